import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a registration chose travels with its token: the one who confirms the address gets their own password. */
export class VerificationCandidates1795192000000 implements MigrationInterface {
  readonly name = 'VerificationCandidates1795192000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE user_tokens
        ADD COLUMN password_hash text,
        ADD COLUMN name text,
        ADD CONSTRAINT ck_user_tokens_candidate CHECK (purpose = 'verify_email' OR (password_hash IS NULL AND name IS NULL))`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE user_tokens
        DROP CONSTRAINT ck_user_tokens_candidate,
        DROP COLUMN name,
        DROP COLUMN password_hash`);
  }
}
