import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A provider's first sign-in waits for the second factor of the account that it is to be linked with. */
export class PendingLinks1795223200000 implements MigrationInterface {
  readonly name = 'PendingLinks1795223200000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE oauth_pending_links (
        challenge_hash bytea NOT NULL,
        provider text NOT NULL,
        issuer text NOT NULL,
        subject text NOT NULL,
        email_key text NOT NULL,
        CONSTRAINT pk_oauth_pending_links PRIMARY KEY (challenge_hash),
        CONSTRAINT fk_oauth_pending_links_challenge_hash
          FOREIGN KEY (challenge_hash) REFERENCES sign_in_challenges (token_hash) ON DELETE CASCADE,
        CONSTRAINT ck_oauth_pending_links_provider CHECK (provider IN ('google', 'apple'))
      )`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE oauth_pending_links');
  }
}
