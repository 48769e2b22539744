import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An operator can disable an account. */
export class DisabledAccounts1802910000000 implements MigrationInterface {
  readonly name = 'DisabledAccounts1802910000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`ALTER TABLE users ADD COLUMN disabled_at timestamptz`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`ALTER TABLE users DROP COLUMN disabled_at`);
  }
}
