import { Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { User } from '../../../identity/users/index.js';

/** What of a person's account billing changes (SERVICE 2.13). */
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

/** Subscriptions of people who have no organization yet: billing's part of the accounts. */
@Injectable()
export class PendingSubscriptionsRepository {
  constructor(private readonly database: Database) {}

  /** The account's row is held until the transaction ends. Null: there is no such account. */
  lock(userId: UserId, tx: Db): Promise<User | null> {
    return this.database.repository(User, tx).findOne({ where: { id: userId }, lock: { mode: 'for_no_key_update' } });
  }

  exists(userId: UserId, tx: Db): Promise<boolean> {
    return this.database.repository(User, tx).existsBy({ id: userId });
  }

  async update(userId: UserId, changes: Partial<PendingColumns>, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id: userId }, changes);
  }

  /** As for an organization: the customer that is stored first wins. Null: the account was deleted. */
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

  /** Whether a person belongs to any organization. */
  async hasWorkspace(userId: UserId, db: Db): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM organization_members WHERE user_id = $1 LIMIT 1',
      [userId],
      db,
    );
    return rows.length > 0;
  }
}
