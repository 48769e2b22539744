import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Passkeys remember whether their user was verified when the account's owner had shown another factor. It was not recorded so
 * far. The only passkey of an account that has signed in without a password was verified then; any other one is verified again
 * by its next use as a second factor.
 */
export class VerifiedPasskeys1802310000000 implements MigrationInterface {
  readonly name = 'VerifiedPasskeys1802310000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE passkeys ADD COLUMN uv_initialized boolean NOT NULL DEFAULT false');
    await q.query(`
      UPDATE passkeys p SET uv_initialized = true
      WHERE EXISTS (SELECT FROM sessions s
                    WHERE s.user_id = p.user_id AND s.method = 'passkey' AND s.created_at >= p.created_at)
        AND NOT EXISTS (SELECT FROM passkeys other WHERE other.user_id = p.user_id AND other.id <> p.id)
        AND NOT EXISTS (SELECT FROM security_events e
                        WHERE e.user_id = p.user_id AND e.type = 'passkey_removed' AND e.created_at >= p.created_at)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE passkeys DROP COLUMN uv_initialized');
  }
}
