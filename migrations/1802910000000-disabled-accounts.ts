import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An operator can disable an account, and reads the newest audit events of all organizations. */
export class DisabledAccounts1802910000000 implements MigrationInterface {
  readonly name = 'DisabledAccounts1802910000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`ALTER TABLE users ADD COLUMN disabled_at timestamptz`);
    await q.query(`CREATE INDEX ix_audit_events_created_at ON audit_events (created_at, id)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DROP INDEX ix_audit_events_created_at`);
    await q.query(`ALTER TABLE users DROP COLUMN disabled_at`);
  }
}
