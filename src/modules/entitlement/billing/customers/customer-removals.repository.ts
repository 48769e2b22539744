import { Injectable } from '@nestjs/common';
import type { OrganizationId, UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/**
 * Stores which customers must be removed at the provider. Their account or organization, and so their tenant, is
 * deleted.
 */
@Injectable()
export class CustomerRemovalsRepository {
  constructor(private readonly database: Database) {}

  async add(customerId: string): Promise<void> {
    await this.database.execute(
      `INSERT INTO payment_customer_removals (customer_id) VALUES ($1)
       ON CONFLICT ON CONSTRAINT pk_payment_customer_removals DO NOTHING`,
      [customerId],
    );
  }

  /** Adds every customer of a person, except those that an organization has taken over. */
  async addAllOf(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO payment_customer_removals (customer_id)
       SELECT customer_id FROM (
         SELECT pending_customer_id AS customer_id FROM users WHERE id = $1
         UNION SELECT customer_id FROM payment_subscriptions WHERE user_id = $1) AS own
       WHERE customer_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM organizations WHERE payment_customer_id = own.customer_id)
       ON CONFLICT ON CONSTRAINT pk_payment_customer_removals DO NOTHING`,
      [userId],
      tx,
    );
  }

  /** Adds every customer of a deleted organization, except those that another organization has too. */
  async addAllOfOrganization(organizationId: OrganizationId, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO payment_customer_removals (customer_id)
       SELECT customer_id FROM (
         SELECT payment_customer_id AS customer_id FROM organizations WHERE id = $1
         UNION SELECT customer_id FROM payment_subscriptions WHERE organization_id = $1) AS own
       WHERE customer_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM organizations WHERE payment_customer_id = own.customer_id AND id <> $1)
       ON CONFLICT ON CONSTRAINT pk_payment_customer_removals DO NOTHING`,
      [organizationId],
      tx,
    );
  }

  /**
   * Claims the next customer that is due. The customer is due again after a minute, and after twice as long with each
   * further attempt (8.5 hours at most). Nobody else claims it in this time.
   * @returns null when no customer is due
   */
  async claim(): Promise<string | null> {
    const [row] = await this.database.rows<{ customer_id: string }>(
      `UPDATE payment_customer_removals
       SET tries = tries + 1, next_try_at = now() + interval '1 minute' * power(2, least(tries, 9))
       WHERE customer_id = (
         SELECT customer_id FROM payment_customer_removals WHERE next_try_at <= now()
         ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING customer_id`,
    );
    return row?.customer_id ?? null;
  }

  async finish(customerId: string): Promise<void> {
    await this.database.execute('DELETE FROM payment_customer_removals WHERE customer_id = $1', [customerId]);
  }
}
