import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sign-in by Google and Apple: whose account a provider's subject is, and what a login must fit to. */
export class SignInProviders1795189000000 implements MigrationInterface {
  readonly name = 'SignInProviders1795189000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE oauth_identities (
        issuer text NOT NULL,
        subject text NOT NULL,
        user_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_oauth_identities PRIMARY KEY (issuer, subject),
        CONSTRAINT uq_oauth_identities_user_id_issuer UNIQUE (user_id, issuer),
        CONSTRAINT fk_oauth_identities_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query(`
      CREATE TABLE oauth_starts (
        nonce_hash bytea NOT NULL,
        provider text NOT NULL,
        state_hash bytea NOT NULL,
        verifier_hash bytea NOT NULL,
        redirect_uri_hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_oauth_starts PRIMARY KEY (nonce_hash),
        CONSTRAINT ck_oauth_starts_provider CHECK (provider IN ('google', 'apple'))
      )`);
    await q.query(`CREATE INDEX ix_oauth_starts_expires_at ON oauth_starts (expires_at)`);
    await q.query(`
      CREATE TABLE oauth_used_nonces (
        nonce_hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_oauth_used_nonces PRIMARY KEY (nonce_hash)
      )`);
    await q.query(`CREATE INDEX ix_oauth_used_nonces_expires_at ON oauth_used_nonces (expires_at)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE oauth_used_nonces, oauth_starts, oauth_identities');
  }
}
