import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a subscription was ever paid for: only then plan and billing status follow it. */
export class PaidSubscriptions1802400000000 implements MigrationInterface {
  readonly name = 'PaidSubscriptions1802400000000';

  async up(q: QueryRunner): Promise<void> {
    // The default also serves subscriptions that a process of the previous version stores during an upgrade.
    await q.query(`ALTER TABLE payment_subscriptions ADD COLUMN was_paid boolean NOT NULL DEFAULT true`);
    await q.query(`
      UPDATE payment_subscriptions SET was_paid = false WHERE status IN ('incomplete', 'incomplete_expired')`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`ALTER TABLE payment_subscriptions DROP COLUMN was_paid`);
  }
}
