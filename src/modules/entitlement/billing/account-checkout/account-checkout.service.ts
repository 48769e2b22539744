import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { UsersReader } from '../../../identity/users/index.js';
import { PRE_WORKSPACE_SCOPE } from '../billing-scope.js';
import { BillingSettings } from '../billing-settings.js';
import { CustomersService } from '../customers/customers.service.js';
import { SubscriptionActive } from '../billing.errors.js';
import { PaymentProvider } from '../provider/payment-provider.js';
import { PendingSubscriptionsRepository } from '../subscriptions/pending-subscriptions.repository.js';
import { isPassing } from '../subscriptions/subscription-rules.js';
import type { AccountCheckoutRequest, AccountCheckoutResponse } from './account-checkout.dto.js';
import { WorkspaceExists } from './account-checkout.errors.js';

@Injectable()
export class AccountCheckoutService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
    private readonly pending: PendingSubscriptionsRepository,
    private readonly settings: BillingSettings,
    private readonly customers: CustomersService,
    private readonly provider: PaymentProvider,
  ) {}

  /**
   * Starts a checkout for a person who has no organization yet.
   * @throws WorkspaceExists when the person belongs to an organization
   * @throws SubscriptionActive when the person has already paid: the first organization takes that subscription over
   */
  async begin(scope: UserScope, request: AccountCheckoutRequest): Promise<AccountCheckoutResponse> {
    const { plan, currency = null, success_url: successUrl, cancel_url: cancelUrl } = request;
    const user = await this.database.transaction(async (tx) => {
      const locked = await this.users.lock(scope.userId, tx);
      if (await this.pending.hasWorkspace(scope.userId, tx)) throw new WorkspaceExists();
      if (isPassing(locked.pendingBillingStatus ?? '')) throw new SubscriptionActive();
      return locked;
    });
    this.settings.requireBilling();
    const priceId = this.settings.price(plan, currency);
    const within = this.provider.begin();
    const customerId = await this.customers.ofPerson(scope, user, within);
    const metadata = { billing_scope: PRE_WORKSPACE_SCOPE, user_id: user.id, plan };
    const session = await this.provider.createCheckout(
      { customerId, priceId, successUrl, cancelUrl, reference: user.id, metadata },
      within,
    );
    return { plan, checkout_session_id: session.id, checkout_url: session.url };
  }
}
