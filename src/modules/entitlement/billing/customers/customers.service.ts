import { Injectable } from '@nestjs/common';
import { OrganizationNotFound, type UserScope } from '../../../access/index.js';
import { sha256 } from '../../../../platform/crypto/index.js';
import { NotAuthenticated } from '../../../../platform/http/domain-error.js';
import type { Organization } from '../../../tenancy/organizations/index.js';
import type { User } from '../../../identity/users/index.js';
import type { Deadline } from '../../../../platform/concurrency/index.js';
import { type NewCustomer, PaymentProvider } from '../provider/payment-provider.js';
import { OrganizationBillingRepository } from '../subscriptions/organization-billing.repository.js';
import { PendingSubscriptionsRepository } from '../subscriptions/pending-subscriptions.repository.js';
import { CustomerRemovalsRepository } from './customer-removals.repository.js';

/**
 * Finds the customers at the payment provider, and creates one that is missing or that the provider no longer has.
 * Parallel requests send the same idempotency key and so create one customer. The customer that is stored first is used
 * by all.
 */
@Injectable()
export class CustomersService {
  constructor(
    private readonly provider: PaymentProvider,
    private readonly organizations: OrganizationBillingRepository,
    private readonly pending: PendingSubscriptionsRepository,
    private readonly removals: CustomerRemovalsRepository,
  ) {}

  /**
   * @returns the identifier of a customer that exists at the provider
   * @throws OrganizationNotFound when the organization was deleted meanwhile
   */
  async ofOrganization({ id, name, paymentCustomerId: known }: Organization, within: Deadline): Promise<string> {
    if (known !== null && (await this.provider.hasCustomer(known, within))) return known;
    const made = await this.make({ name, metadata: { organization_id: id } }, known, within);
    const stored = await this.organizations.exchangeCustomer({ organizationId: id }, known, made);
    if (stored !== null) return stored;
    await this.removals.add(made);
    throw new OrganizationNotFound();
  }

  /** @throws NotAuthenticated when the account was deleted meanwhile */
  async ofPerson(scope: UserScope, user: User, within: Deadline): Promise<string> {
    const { email, pendingCustomerId: known } = user;
    if (known !== null && (await this.provider.hasCustomer(known, within))) return known;
    const name = user.name ?? undefined;
    const made = await this.make(
      { email, ...(name !== undefined && { name }), metadata: { user_id: user.id } },
      known,
      within,
    );
    const stored = await this.pending.exchangeCustomer(scope, known, made);
    if (stored !== null) return stored;
    await this.removals.add(made);
    throw new NotAuthenticated();
  }

  /**
   * Creates a customer. The idempotency key is a digest of the customer's fields and of the customer that is replaced,
   * so a request that differs in these creates another customer.
   */
  private make(
    customer: Omit<NewCustomer, 'idempotencyKey'>,
    replaced: string | null,
    within: Deadline,
  ): Promise<string> {
    const digest = sha256(JSON.stringify([customer, replaced])).toString('hex');
    return this.provider.createCustomer({ ...customer, idempotencyKey: `customer-${digest}` }, within);
  }
}
