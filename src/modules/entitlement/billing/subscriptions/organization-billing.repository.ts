import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { OrganizationId, OrganizationScope, UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Organization } from '../../../tenancy/organizations/index.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** What of an organization billing changes. */
export type BillingColumns = Pick<
  Organization,
  | 'plan'
  | 'billingStatus'
  | 'billingHold'
  | 'eventsPerMonthLimit'
  | 'paymentCustomerId'
  | 'paymentSubscriptionId'
  | 'paymentSubscriptionStatus'
  | 'paymentPriceId'
>;

/** Billing's part of the organizations. */
@Injectable()
export class OrganizationBillingRepository {
  constructor(private readonly database: Database) {}

  /** Its row is held until the transaction ends. Null: there is no such organization. */
  lock({ organizationId }: Tenant, tx: Db): Promise<Organization | null> {
    return this.database
      .repository(Organization, tx)
      .findOne({ where: { id: organizationId, deletedAt: IsNull() }, lock: { mode: 'pessimistic_write' } });
  }

  exists({ organizationId }: Tenant, tx: Db): Promise<boolean> {
    return this.database.repository(Organization, tx).existsBy({ id: organizationId });
  }

  async update({ organizationId }: Tenant, changes: Partial<BillingColumns>, tx: Db): Promise<void> {
    await this.database.repository(Organization, tx).update({ id: organizationId }, changes);
  }

  /**
   * Puts a customer in the place of another, unless somebody else has done so.
   * @param known what was there when the customer was looked for; null: none
   * @returns the customer that is stored now; null: the organization is deleted
   */
  async exchangeCustomer({ organizationId }: Tenant, known: string | null, customerId: string): Promise<string | null> {
    await this.database.execute(
      `UPDATE organizations SET payment_customer_id = $3
       WHERE id = $1 AND payment_customer_id IS NOT DISTINCT FROM $2 AND deleted_at IS NULL`,
      [organizationId, known, customerId],
    );
    const row = await this.database.repository(Organization).findOneBy({ id: organizationId });
    return row?.paymentCustomerId ?? null;
  }

  async findByCustomer(customerId: string, tx: Db): Promise<OrganizationId | null> {
    const row = await this.database
      .repository(Organization, tx)
      .findOneBy({ /* tenant: the one whose customer it is */ paymentCustomerId: customerId });
    return row?.id ?? null;
  }

  /** The first organization that somebody made; null: they have none. */
  async firstOwnedBy(userId: UserId, tx: Db): Promise<OrganizationId | null> {
    const [row] = await this.database.rows<{ id: OrganizationId }>(
      'SELECT id FROM organizations WHERE owner_id = $1 /* tenant: the first of an owner */ ORDER BY created_at, id LIMIT 1',
      [userId],
      tx,
    );
    return row?.id ?? null;
  }
}
