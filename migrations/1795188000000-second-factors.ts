import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Authenticator apps, recovery codes, passkeys, trusted devices and the challenges between password and session. */
export class SecondFactors1795188000000 implements MigrationInterface {
  readonly name = 'SecondFactors1795188000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE totp_factors (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        secret text NOT NULL,
        last_used_step bigint,
        created_at timestamptz NOT NULL DEFAULT now(),
        confirmed_at timestamptz,
        CONSTRAINT pk_totp_factors PRIMARY KEY (id),
        CONSTRAINT uq_totp_factors_user_id UNIQUE (user_id),
        CONSTRAINT fk_totp_factors_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query(`
      CREATE TABLE recovery_codes (
        user_id uuid NOT NULL,
        code_hash bytea NOT NULL,
        is_active boolean NOT NULL,
        used_at timestamptz,
        CONSTRAINT pk_recovery_codes PRIMARY KEY (user_id, code_hash),
        CONSTRAINT fk_recovery_codes_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query(`
      CREATE TABLE passkeys (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        name text NOT NULL,
        credential_id bytea NOT NULL,
        public_key bytea NOT NULL,
        sign_count bigint NOT NULL,
        backup_eligible boolean NOT NULL,
        backed_up boolean NOT NULL,
        transports text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        CONSTRAINT pk_passkeys PRIMARY KEY (id),
        CONSTRAINT uq_passkeys_credential_id UNIQUE (credential_id),
        CONSTRAINT fk_passkeys_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query(`CREATE INDEX ix_passkeys_user_id ON passkeys (user_id, created_at)`);
    await q.query(`
      CREATE TABLE webauthn_challenges (
        challenge_hash bytea NOT NULL,
        purpose text NOT NULL,
        user_id uuid,
        token_hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_webauthn_challenges PRIMARY KEY (challenge_hash),
        CONSTRAINT fk_webauthn_challenges_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_webauthn_challenges_purpose
          CHECK (purpose IN ('registration', 'second_factor', 'passwordless', 'step_up'))
      )`);
    await q.query(`CREATE INDEX ix_webauthn_challenges_expires_at ON webauthn_challenges (expires_at)`);
    await q.query(`
      CREATE TABLE sign_in_challenges (
        token_hash bytea NOT NULL,
        user_id uuid NOT NULL,
        method text NOT NULL,
        compared_hash_digest bytea,
        attempts_left smallint NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_sign_in_challenges PRIMARY KEY (token_hash),
        CONSTRAINT fk_sign_in_challenges_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_sign_in_challenges_method CHECK (method IN ('password', 'oauth', 'passkey'))
      )`);
    await q.query(`CREATE INDEX ix_sign_in_challenges_user_id ON sign_in_challenges (user_id)`);
    await q.query(`CREATE INDEX ix_sign_in_challenges_expires_at ON sign_in_challenges (expires_at)`);
    await q.query(`
      CREATE TABLE second_factor_failures (
        user_id uuid NOT NULL,
        failed_at timestamptz[] NOT NULL DEFAULT '{}',
        locked_until timestamptz,
        CONSTRAINT pk_second_factor_failures PRIMARY KEY (user_id),
        CONSTRAINT fk_second_factor_failures_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query(`
      CREATE TABLE trusted_devices (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        token_hash bytea NOT NULL,
        ip text,
        user_agent text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_trusted_devices PRIMARY KEY (id),
        CONSTRAINT uq_trusted_devices_token_hash UNIQUE (token_hash),
        CONSTRAINT fk_trusted_devices_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query(`CREATE INDEX ix_trusted_devices_user_id ON trusted_devices (user_id, created_at)`);
    await q.query(`CREATE INDEX ix_trusted_devices_expires_at ON trusted_devices (expires_at)`);

    await q.query(`ALTER TABLE step_up_tokens ADD COLUMN proves_both_factors boolean NOT NULL DEFAULT false`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE step_up_tokens DROP COLUMN proves_both_factors');
    await q.query(
      `DROP TABLE trusted_devices, second_factor_failures, sign_in_challenges, webauthn_challenges, passkeys,
         recovery_codes, totp_factors`,
    );
  }
}
