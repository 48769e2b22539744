import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the newest deliveries of one destination. Without it, their list reads the deliveries of all destinations of the
 * project. The index of a large table takes minutes.
 */
export class DeliveriesOfDestinations1803600000000 implements MigrationInterface {
  readonly name = 'DeliveriesOfDestinations1803600000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(
      'CREATE INDEX ix_alert_deliveries_destination_id ON alert_deliveries (destination_id, created_at, id)',
    );
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP INDEX ix_alert_deliveries_destination_id');
  }
}
