import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A challenge of somebody signed in is good in the session that asked for it, and ends with it. */
export class CeremoniesOfSessions1795227100000 implements MigrationInterface {
  readonly name = 'CeremoniesOfSessions1795227100000';

  async up(q: QueryRunner): Promise<void> {
    // They live five minutes, and whose session they are of is not known.
    await q.query(`DELETE FROM webauthn_challenges WHERE purpose IN ('registration', 'step_up')`);
    await q.query(`
      ALTER TABLE webauthn_challenges
        ADD COLUMN session_id uuid,
        ADD CONSTRAINT fk_webauthn_challenges_session_id FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE,
        ADD CONSTRAINT ck_webauthn_challenges_session
          CHECK ((purpose IN ('registration', 'step_up')) = (session_id IS NOT NULL))`);
    await q.query(`
      CREATE INDEX ix_webauthn_challenges_session_id ON webauthn_challenges (session_id) WHERE session_id IS NOT NULL`);
    await q.query(
      `CREATE INDEX ix_webauthn_challenges_user_id ON webauthn_challenges (user_id) WHERE user_id IS NOT NULL`,
    );
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP INDEX ix_webauthn_challenges_user_id');
    await q.query('ALTER TABLE webauthn_challenges DROP COLUMN session_id');
  }
}
