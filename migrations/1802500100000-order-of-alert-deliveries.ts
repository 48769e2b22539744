import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the earlier rows of an alert. It has a migration of its own: creating an index does not block readers, adding the
 * column does.
 */
export class OrderOfAlertDeliveries1802500100000 implements MigrationInterface {
  readonly name = 'OrderOfAlertDeliveries1802500100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE INDEX ix_alert_deliveries_series ON alert_deliveries (destination_id, fingerprint, created_at)
      WHERE due_at IS NOT NULL AND fingerprint IS NOT NULL`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DROP INDEX ix_alert_deliveries_series`);
  }
}
