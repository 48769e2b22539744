import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Refresh tokens are derived from a secret of their session, and a repeated refresh is compared with the first one. */
export class RefreshSecrets1802300000000 implements MigrationInterface {
  readonly name = 'RefreshSecrets1802300000000';

  async up(q: QueryRunner): Promise<void> {
    // The default also serves sessions that a process of the previous version opens during an upgrade.
    await q.query(`
      ALTER TABLE sessions ADD COLUMN refresh_secret bytea NOT NULL
        DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())`);
    await q.query(`ALTER TABLE refresh_tokens ADD COLUMN used_ip text, ADD COLUMN used_user_agent text`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE refresh_tokens DROP COLUMN used_ip, DROP COLUMN used_user_agent');
    await q.query('ALTER TABLE sessions DROP COLUMN refresh_secret');
  }
}
