import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A registration's password stands with the account alone and no longer travels with a mailed token: of registrations
 * that disagree none counts. Those that wait for confirmation and disagree already are void by this.
 */
export class VoidRegistrations1795223100000 implements MigrationInterface {
  readonly name = 'VoidRegistrations1795223100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      UPDATE users u SET password_hash = NULL, name = NULL
      WHERE u.email_verified_at IS NULL AND EXISTS (
        SELECT FROM user_tokens t
        WHERE t.user_id = u.id AND t.password_hash IS NOT NULL AND t.password_hash IS DISTINCT FROM u.password_hash)`);
    await q.query(`
      ALTER TABLE user_tokens
        DROP CONSTRAINT ck_user_tokens_candidate,
        DROP COLUMN name,
        DROP COLUMN password_hash`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE user_tokens
        ADD COLUMN password_hash text,
        ADD COLUMN name text,
        ADD CONSTRAINT ck_user_tokens_candidate CHECK (purpose = 'verify_email' OR (password_hash IS NULL AND name IS NULL))`);
  }
}
