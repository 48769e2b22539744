import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables of things to send, each with the column of where a row goes. */
const OUTBOXES = [
  { table: 'alert_deliveries', lane: 'destination_id' },
  { table: 'delivery_attempts', lane: 'channel_id' },
] as const;

/**
 * Rows of one alert reach one receiver in order: each waits for those before it. Rows that are there already, and those of
 * processes of the version before, have no fingerprint and wait for nothing.
 */
export class OrderedNotices1802500000000 implements MigrationInterface {
  readonly name = 'OrderedNotices1802500000000';

  async up(q: QueryRunner): Promise<void> {
    for (const { table, lane } of OUTBOXES) {
      await q.query(`ALTER TABLE ${table} ADD COLUMN fingerprint text`);
      await q.query(`
        CREATE INDEX ix_${table}_series ON ${table} (${lane}, fingerprint, created_at)
        WHERE due_at IS NOT NULL AND fingerprint IS NOT NULL`);
    }
  }

  async down(q: QueryRunner): Promise<void> {
    for (const { table } of OUTBOXES) await q.query(`ALTER TABLE ${table} DROP COLUMN fingerprint`);
  }
}
