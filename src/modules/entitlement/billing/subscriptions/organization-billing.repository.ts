import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { OrganizationId, OrganizationScope, UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Organization } from '../../../tenancy/organizations/index.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** The columns of an organization that billing changes. */
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

/** Reads and writes the billing columns of organizations. */
@Injectable()
export class OrganizationBillingRepository {
  constructor(private readonly database: Database) {}

  /** Locks the organization's row until the transaction ends. Returns null when there is no such organization. */
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
   * Replaces the customer, unless another request has done so meanwhile.
   * @param known the customer that was stored before the caller searched for one; null: none
   * @returns the customer that is stored now; null when the organization was deleted and has none
   */
  async exchangeCustomer({ organizationId }: Tenant, known: string | null, customerId: string): Promise<string | null> {
    await this.database.execute(
      `UPDATE organizations SET payment_customer_id = $3
       WHERE id = $1 AND payment_customer_id IS NOT DISTINCT FROM $2 AND deleted_at IS NULL`,
      [organizationId, known, customerId],
    );
    const row = await this.database.repository(Organization).findOneBy({ id: organizationId, deletedAt: IsNull() });
    return row?.paymentCustomerId ?? null;
  }

  async findByCustomer(customerId: string, tx: Db): Promise<OrganizationId | null> {
    const row = await this.database
      .repository(Organization, tx)
      .findOneBy({ /* tenant: the one whose customer it is */ paymentCustomerId: customerId });
    return row?.id ?? null;
  }

  /** Returns the oldest organization that a person owns, or null when they own none. */
  async firstOwnedBy(userId: UserId, tx: Db): Promise<OrganizationId | null> {
    const [row] = await this.database.rows<{ id: OrganizationId }>(
      'SELECT id FROM organizations WHERE owner_id = $1 /* tenant: the first of an owner */ ORDER BY created_at, id LIMIT 1',
      [userId],
      tx,
    );
    return row?.id ?? null;
  }
}
