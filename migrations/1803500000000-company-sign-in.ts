import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sign-in by the identity providers of companies. A link that waits for a second factor may belong to any provider, and
 * may bring a membership.
 */
export class CompanySignIn1803500000000 implements MigrationInterface {
  readonly name = 'CompanySignIn1803500000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE oauth_pending_links DROP CONSTRAINT ck_oauth_pending_links_provider,
        ADD COLUMN organization_id uuid, ADD COLUMN role text,
        ADD COLUMN sso_provider text, ADD COLUMN provider_session text,
        ADD CONSTRAINT fk_oauth_pending_links_organization_id
          FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE SET NULL,
        ADD CONSTRAINT ck_oauth_pending_links_role CHECK (role IN ('viewer', 'member', 'operator', 'admin'))`);
    await q.query('CREATE INDEX ix_oauth_pending_links_organization_id ON oauth_pending_links (organization_id)');
    await q.query(`
      CREATE TABLE sso_connections (
        id uuid NOT NULL,
        organization_id uuid NOT NULL,
        protocol text NOT NULL,
        label text NOT NULL,
        is_enabled boolean NOT NULL DEFAULT true,
        issuer text,
        client_id text,
        client_secret text,
        scopes text,
        groups_claim text,
        trusts_email boolean NOT NULL DEFAULT false,
        entity_id text,
        sign_in_url text,
        certificates text[],
        email_attribute text,
        groups_attribute text,
        allows_idp_initiated boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_sso_connections PRIMARY KEY (id),
        CONSTRAINT fk_sso_connections_organization_id
          FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT ck_sso_connections_protocol CHECK (protocol IN ('oidc', 'saml'))
      )`);
    await q.query('CREATE INDEX ix_sso_connections_organization_id ON sso_connections (organization_id)');
    await q.query(
      `CREATE INDEX ix_sso_connections_client_secret_key ON sso_connections (split_part(client_secret, '.', 1), id)
       WHERE client_secret IS NOT NULL`,
    );
    await q.query(`
      CREATE TABLE sso_domains (
        id uuid NOT NULL,
        organization_id uuid NOT NULL,
        domain text NOT NULL,
        challenge text NOT NULL,
        verified_at timestamptz,
        verified_by text,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_sso_domains PRIMARY KEY (id),
        CONSTRAINT uq_sso_domains_organization_id_domain UNIQUE (organization_id, domain),
        CONSTRAINT fk_sso_domains_organization_id
          FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT ck_sso_domains_verified_by CHECK (verified_by IN ('dns', 'platform'))
      )`);
    await q.query(
      'CREATE UNIQUE INDEX uq_sso_domains_verified_domain ON sso_domains (domain) WHERE verified_at IS NOT NULL',
    );
    await q.query(`
      CREATE TABLE sso_roles (
        organization_id uuid NOT NULL,
        default_role text NOT NULL,
        group_roles jsonb NOT NULL DEFAULT '[]',
        CONSTRAINT pk_sso_roles PRIMARY KEY (organization_id),
        CONSTRAINT fk_sso_roles_organization_id
          FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT ck_sso_roles_default_role CHECK (default_role IN ('viewer', 'member', 'operator', 'admin'))
      )`);
    await q.query(`
      CREATE TABLE sso_starts (
        state_hash bytea NOT NULL,
        browser_hash bytea NOT NULL,
        provider text NOT NULL,
        request_id text,
        return_to text,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_sso_starts PRIMARY KEY (state_hash)
      )`);
    await q.query('CREATE INDEX ix_sso_starts_expires_at ON sso_starts (expires_at)');
    await q.query(`
      CREATE TABLE sso_used_assertions (
        provider text NOT NULL,
        assertion_hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_sso_used_assertions PRIMARY KEY (provider, assertion_hash)
      )`);
    await q.query('CREATE INDEX ix_sso_used_assertions_expires_at ON sso_used_assertions (expires_at)');
    await q.query(`
      CREATE TABLE sso_memberships (
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        made_by text NOT NULL,
        role text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_sso_memberships PRIMARY KEY (organization_id, user_id),
        CONSTRAINT fk_sso_memberships_organization_id
          FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT fk_sso_memberships_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_sso_memberships_made_by CHECK (made_by IN ('sign-in', 'scim', 'person')),
        CONSTRAINT ck_sso_memberships_role CHECK (role IN ('viewer', 'member', 'operator', 'admin'))
      )`);
    await q.query('CREATE INDEX ix_sso_memberships_user_id ON sso_memberships (user_id)');
    await q.query(`
      CREATE TABLE sso_sessions (
        session_id uuid NOT NULL,
        provider text NOT NULL,
        subject text NOT NULL,
        provider_session text,
        CONSTRAINT pk_sso_sessions PRIMARY KEY (session_id),
        CONSTRAINT fk_sso_sessions_session_id FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
      )`);
    await q.query('CREATE INDEX ix_sso_sessions_subject ON sso_sessions (provider, subject)');
    await q.query(`
      CREATE TABLE scim_tokens (
        id uuid NOT NULL,
        organization_id uuid NOT NULL,
        name text NOT NULL,
        token_hash bytea NOT NULL,
        created_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        expires_at timestamptz,
        revoked_at timestamptz,
        CONSTRAINT pk_scim_tokens PRIMARY KEY (id),
        CONSTRAINT uq_scim_tokens_token_hash UNIQUE (token_hash),
        CONSTRAINT fk_scim_tokens_organization_id
          FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT fk_scim_tokens_created_by FOREIGN KEY (created_by) REFERENCES users (id) ON DELETE SET NULL
      )`);
    await q.query('CREATE INDEX ix_scim_tokens_organization_id ON scim_tokens (organization_id)');
    await q.query('CREATE INDEX ix_scim_tokens_created_by ON scim_tokens (created_by)');
    await q.query(`
      CREATE TABLE scim_users (
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        external_id text,
        user_name text NOT NULL,
        display_name text,
        given_name text,
        family_name text,
        active boolean NOT NULL,
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_scim_users PRIMARY KEY (organization_id, user_id),
        CONSTRAINT fk_scim_users_organization_id
          FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT fk_scim_users_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query('CREATE INDEX ix_scim_users_user_id ON scim_users (user_id)');
    await q.query(
      `CREATE UNIQUE INDEX uq_scim_users_external_id ON scim_users (organization_id, external_id)
       WHERE external_id IS NOT NULL`,
    );
    await q.query(`
      CREATE TABLE scim_groups (
        id uuid NOT NULL,
        organization_id uuid NOT NULL,
        display_name text NOT NULL,
        external_id text,
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_scim_groups PRIMARY KEY (id),
        CONSTRAINT fk_scim_groups_organization_id
          FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE
      )`);
    await q.query(
      'CREATE UNIQUE INDEX uq_scim_groups_display_name ON scim_groups (organization_id, lower(display_name))',
    );
    await q.query(`
      CREATE TABLE scim_group_members (
        group_id uuid NOT NULL,
        user_id uuid NOT NULL,
        CONSTRAINT pk_scim_group_members PRIMARY KEY (group_id, user_id),
        CONSTRAINT fk_scim_group_members_group_id FOREIGN KEY (group_id) REFERENCES scim_groups (id) ON DELETE CASCADE,
        CONSTRAINT fk_scim_group_members_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query('CREATE INDEX ix_scim_group_members_user_id ON scim_group_members (user_id)');
    await q.query('DROP INDEX ix_security_events_of_nobody');
    await q.query(
      `CREATE INDEX ix_security_events_of_nobody ON security_events (created_at)
       WHERE user_id IS NULL AND type <> 'sso_refused'`,
    );
    await q.query(
      `CREATE INDEX ix_security_events_sso_refused ON security_events ((detail->>'provider'), created_at)
       WHERE type = 'sso_refused'`,
    );
  }

  async down(q: QueryRunner): Promise<void> {
    for (const table of [
      'scim_group_members',
      'scim_groups',
      'scim_users',
      'scim_tokens',
      'sso_sessions',
      'sso_memberships',
      'sso_used_assertions',
      'sso_starts',
      'sso_roles',
      'sso_domains',
      'sso_connections',
    ])
      await q.query(`DROP TABLE ${table}`);
    await q.query('DROP INDEX ix_security_events_sso_refused');
    await q.query('DROP INDEX ix_security_events_of_nobody');
    await q.query('CREATE INDEX ix_security_events_of_nobody ON security_events (created_at) WHERE user_id IS NULL');
    await q.query("DELETE FROM security_events WHERE type = 'sso_refused'");
    await q.query("DELETE FROM oauth_pending_links WHERE provider NOT IN ('google', 'apple')");
    await q.query(`
      ALTER TABLE oauth_pending_links DROP COLUMN organization_id, DROP COLUMN role, DROP COLUMN sso_provider,
        DROP COLUMN provider_session,
        ADD CONSTRAINT ck_oauth_pending_links_provider CHECK (provider IN ('google', 'apple'))`);
  }
}
