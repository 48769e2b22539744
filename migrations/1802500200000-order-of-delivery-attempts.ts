import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the earlier rows of an alert. Made by itself, since readers go on while an index is made, and a new column stops them. */
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
