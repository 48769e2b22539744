import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the encrypted ID token of a session, because some providers require it when the session ends. */
export class IdTokensOfSessions1803500400000 implements MigrationInterface {
  readonly name = 'IdTokensOfSessions1803500400000';

  async up(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE sso_sessions ADD COLUMN id_token text');
    await q.query(
      `CREATE INDEX ix_sso_sessions_id_token_key ON sso_sessions (split_part(id_token, '.', 1), session_id)
       WHERE id_token IS NOT NULL`,
    );
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE sso_sessions DROP COLUMN id_token');
  }
}
