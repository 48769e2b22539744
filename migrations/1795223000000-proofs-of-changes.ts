import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Step-up tokens remember what was shown for them, and passkeys whether a proof was shown to add them.
 *
 * A session younger than five minutes could add a passkey without any, within the five minutes of its challenge. Which
 * did cannot be told from the row, so a passkey counts as proven where its account had no sign-in in the ten minutes
 * before. The others go with a password reset; until then they work as before.
 */
export class ProofsOfChanges1795223000000 implements MigrationInterface {
  readonly name = 'ProofsOfChanges1795223000000';

  async up(q: QueryRunner): Promise<void> {
    // They live five minutes, and their owners can earn another.
    await q.query('DELETE FROM step_up_tokens');
    await q.query(`
      ALTER TABLE step_up_tokens
        DROP COLUMN proves_both_factors,
        ADD COLUMN methods text[] NOT NULL,
        ADD CONSTRAINT ck_step_up_tokens_methods
          CHECK (methods <@ ARRAY['password', 'totp', 'recovery_code', 'passkey'])`);

    await q.query(`ALTER TABLE passkeys ADD COLUMN proven boolean NOT NULL DEFAULT false`);
    await q.query(`
      UPDATE passkeys p SET proven = true WHERE NOT EXISTS (
        SELECT FROM security_events e
        WHERE e.user_id = p.user_id AND e.type IN ('signed_in', 'signed_in_new_device')
          AND e.created_at BETWEEN p.created_at - interval '10 minutes' AND p.created_at)`);
    // Given out without a proof, perhaps.
    await q.query(`DELETE FROM webauthn_challenges WHERE purpose = 'registration'`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE passkeys DROP COLUMN proven');
    await q.query('DELETE FROM step_up_tokens');
    await q.query(`
      ALTER TABLE step_up_tokens
        DROP CONSTRAINT ck_step_up_tokens_methods,
        DROP COLUMN methods,
        ADD COLUMN proves_both_factors boolean NOT NULL DEFAULT false`);
  }
}
