import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables of things to send. */
const OUTBOXES = ['alert_deliveries', 'delivery_attempts'] as const;

/**
 * Rows of one alert reach one receiver in order: each waits for those before it. Rows that are there already, and those of
 * processes of the version before, have no fingerprint and wait for nothing.
 */
export class OrderedNotices1802500000000 implements MigrationInterface {
  readonly name = 'OrderedNotices1802500000000';

  async up(q: QueryRunner): Promise<void> {
    for (const table of OUTBOXES) await q.query(`ALTER TABLE ${table} ADD COLUMN fingerprint text`);
  }

  async down(q: QueryRunner): Promise<void> {
    for (const table of OUTBOXES) await q.query(`ALTER TABLE ${table} DROP COLUMN fingerprint`);
  }
}
