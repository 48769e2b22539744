import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the earlier rows of an alert. It has a migration of its own: creating an index does not block readers, adding the
 * column does.
 */
export class OrderOfDeliveryAttempts1802500200000 implements MigrationInterface {
  readonly name = 'OrderOfDeliveryAttempts1802500200000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE INDEX ix_delivery_attempts_series ON delivery_attempts (channel_id, fingerprint, created_at)
      WHERE due_at IS NOT NULL AND fingerprint IS NOT NULL`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DROP INDEX ix_delivery_attempts_series`);
  }
}
