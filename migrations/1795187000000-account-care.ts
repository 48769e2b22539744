import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens that reset passwords and change addresses, and the failed password attempts that lock an address. */
export class AccountCare1795187000000 implements MigrationInterface {
  readonly name = 'AccountCare1795187000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`ALTER TABLE user_tokens DROP CONSTRAINT ck_user_tokens_purpose`);
    await q.query(`
      ALTER TABLE user_tokens
        ADD COLUMN email text,
        ADD CONSTRAINT ck_user_tokens_purpose CHECK (purpose IN ('verify_email', 'reset_password', 'change_email')),
        ADD CONSTRAINT ck_user_tokens_email CHECK ((purpose = 'change_email') = (email IS NOT NULL))`);
    // No foreign key: addresses without an account are counted too.
    await q.query(`
      CREATE TABLE password_attempts (
        subject_hash bytea NOT NULL,
        attempted_at timestamptz[] NOT NULL,
        locked_until timestamptz,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_password_attempts PRIMARY KEY (subject_hash)
      )`);
    await q.query(`CREATE INDEX ix_password_attempts_expires_at ON password_attempts (expires_at)`);
    await q.query(`CREATE INDEX ix_projects_owner_id ON projects (owner_id)`);
    await q.query(`CREATE INDEX ix_api_keys_created_by ON api_keys (created_by)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP INDEX ix_api_keys_created_by, ix_projects_owner_id');
    await q.query('DROP TABLE password_attempts');
    await q.query(`DELETE FROM user_tokens WHERE purpose <> 'verify_email'`);
    await q.query(`
      ALTER TABLE user_tokens
        DROP CONSTRAINT ck_user_tokens_email,
        DROP CONSTRAINT ck_user_tokens_purpose,
        DROP COLUMN email,
        ADD CONSTRAINT ck_user_tokens_purpose CHECK (purpose IN ('verify_email'))`);
  }
}
