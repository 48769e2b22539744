import type { MigrationInterface, QueryRunner } from 'typeorm';

/** In the order in which an alert writes them, so that a lock never waits in a circle. */
const TABLES = ['alert_deliveries', 'delivery_attempts'] as const;

/**
 * The sanitized request of the last send. The columns have no default, so that no row is rewritten, and processes of
 * older versions leave them null.
 */
export class SentRequests1803200000000 implements MigrationInterface {
  readonly name = 'SentRequests1803200000000';

  async up(q: QueryRunner): Promise<void> {
    for (const table of TABLES) await q.query(`ALTER TABLE ${table} ADD COLUMN sent_request jsonb`);
  }

  async down(q: QueryRunner): Promise<void> {
    for (const table of TABLES) await q.query(`ALTER TABLE ${table} DROP COLUMN sent_request`);
  }
}
