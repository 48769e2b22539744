import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is asked for an address without an account leaves the same rows as for one with an account, for some minutes; and
 * security events remember whom they still have to tell.
 */
export class BackgroundLanes1795224000000 implements MigrationInterface {
  readonly name = 'BackgroundLanes1795224000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE user_tokens
        ALTER COLUMN user_id DROP NOT NULL,
        ADD COLUMN stranger_hash bytea,
        ADD CONSTRAINT ck_user_tokens_stranger CHECK ((user_id IS NULL) = (stranger_hash IS NOT NULL))`);
    await q.query(`
      CREATE INDEX ix_user_tokens_stranger_hash ON user_tokens (stranger_hash, purpose)
        WHERE stranger_hash IS NOT NULL`);
    await q.query(`
      ALTER TABLE security_events
        ALTER COLUMN user_id DROP NOT NULL,
        ADD COLUMN notice_to text,
        ADD COLUMN notice_lines text[],
        ADD COLUMN notice_at timestamptz`);
    await q.query(
      `CREATE INDEX ix_security_events_notice_to ON security_events (user_id, created_at) WHERE notice_to IS NOT NULL`,
    );
    await q.query(`CREATE INDEX ix_security_events_of_nobody ON security_events (created_at) WHERE user_id IS NULL`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DELETE FROM security_events WHERE user_id IS NULL`);
    await q.query(`DROP INDEX ix_security_events_of_nobody, ix_security_events_notice_to`);
    await q.query(`
      ALTER TABLE security_events
        ALTER COLUMN user_id SET NOT NULL,
        DROP COLUMN notice_to,
        DROP COLUMN notice_lines,
        DROP COLUMN notice_at`);
    await q.query(`DELETE FROM user_tokens WHERE user_id IS NULL`);
    await q.query(`DROP INDEX ix_user_tokens_stranger_hash`);
    await q.query(`
      ALTER TABLE user_tokens
        DROP CONSTRAINT ck_user_tokens_stranger,
        DROP COLUMN stranger_hash,
        ALTER COLUMN user_id SET NOT NULL`);
  }
}
