import { Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { User } from '../../../identity/users/index.js';

/** The columns of an account that billing changes. */
export type PendingColumns = Pick<
  User,
  | 'pendingPlan'
  | 'pendingBillingStatus'
  | 'pendingCustomerId'
  | 'pendingSubscriptionId'
  | 'pendingSubscriptionStatus'
  | 'pendingPriceId'
>;

export const NOTHING_PENDING = {
  pendingPlan: null,
  pendingBillingStatus: null,
  pendingSubscriptionId: null,
  pendingSubscriptionStatus: null,
  pendingPriceId: null,
} as const satisfies Partial<PendingColumns>;

/** Reads and writes the billing columns of accounts, for people who have no organization yet. */
@Injectable()
export class PendingSubscriptionsRepository {
  constructor(private readonly database: Database) {}

  /** Locks the account's row until the transaction ends. Returns null when there is no such account. */
  lock(userId: UserId, tx: Db): Promise<User | null> {
    return this.database.repository(User, tx).findOne({ where: { id: userId }, lock: { mode: 'for_no_key_update' } });
  }

  exists(userId: UserId, tx: Db): Promise<boolean> {
    return this.database.repository(User, tx).existsBy({ id: userId });
  }

  async update(userId: UserId, changes: Partial<PendingColumns>, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id: userId }, changes);
  }

  /**
   * Replaces the customer, unless another request has done so meanwhile.
   * @returns the customer that is stored now; null when the account was deleted
   */
  async exchangeCustomer({ userId }: UserScope, known: string | null, customerId: string): Promise<string | null> {
    await this.database.execute(
      `UPDATE users SET pending_customer_id = $3 WHERE id = $1 AND pending_customer_id IS NOT DISTINCT FROM $2`,
      [userId, known, customerId],
    );
    const row = await this.database.repository(User).findOneBy({ id: userId });
    return row?.pendingCustomerId ?? null;
  }

  async findByCustomer(customerId: string, tx: Db): Promise<UserId | null> {
    const row = await this.database
      .repository(User, tx)
      .findOneBy({ /* tenant: the one whose customer it is */ pendingCustomerId: customerId });
    return row?.id ?? null;
  }

  /** Returns whether a person belongs to any organization. */
  async hasWorkspace(userId: UserId, db: Db): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM organization_members WHERE user_id = $1 LIMIT 1',
      [userId],
      db,
    );
    return rows.length > 0;
  }
}
