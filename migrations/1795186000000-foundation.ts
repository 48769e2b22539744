import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts, sessions, organizations, projects, keys, events and metering. */
export class Foundation1795186000000 implements MigrationInterface {
  readonly name = 'Foundation1795186000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE users (
        id uuid NOT NULL,
        email text NOT NULL,
        email_key text NOT NULL,
        password_hash text,
        name text,
        email_verified_at timestamptz,
        selected_project_id uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_users PRIMARY KEY (id),
        CONSTRAINT uq_users_email_key UNIQUE (email_key)
      )`);
    await q.query(`
      CREATE TABLE user_tokens (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        purpose text NOT NULL,
        token_hash bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        CONSTRAINT pk_user_tokens PRIMARY KEY (id),
        CONSTRAINT uq_user_tokens_token_hash UNIQUE (token_hash),
        CONSTRAINT fk_user_tokens_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_user_tokens_purpose CHECK (purpose IN ('verify_email'))
      )`);
    await q.query(`CREATE INDEX ix_user_tokens_user_id_purpose ON user_tokens (user_id, purpose)`);
    await q.query(`CREATE INDEX ix_user_tokens_expires_at ON user_tokens (expires_at)`);
    await q.query(`
      CREATE TABLE sessions (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        method text NOT NULL,
        generation integer NOT NULL DEFAULT 0,
        ip text,
        user_agent text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz,
        CONSTRAINT pk_sessions PRIMARY KEY (id),
        CONSTRAINT fk_sessions_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_sessions_method CHECK (method IN ('password', 'oauth', 'passkey'))
      )`);
    await q.query(`CREATE INDEX ix_sessions_user_id ON sessions (user_id)`);
    await q.query(`CREATE INDEX ix_sessions_expires_at ON sessions (expires_at)`);
    await q.query(`
      CREATE TABLE refresh_tokens (
        token_hash bytea NOT NULL,
        session_id uuid NOT NULL,
        generation integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        used_at timestamptz,
        superseded_at timestamptz,
        CONSTRAINT pk_refresh_tokens PRIMARY KEY (token_hash),
        CONSTRAINT fk_refresh_tokens_session_id FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
      )`);
    await q.query(`
      CREATE UNIQUE INDEX uq_refresh_tokens_living ON refresh_tokens (session_id)
      WHERE used_at IS NULL AND superseded_at IS NULL`);
    await q.query(`CREATE INDEX ix_refresh_tokens_session_id ON refresh_tokens (session_id, generation)`);

    await q.query(`
      CREATE TABLE organizations (
        id uuid NOT NULL,
        name text NOT NULL,
        slug text NOT NULL,
        owner_id uuid NOT NULL,
        plan text NOT NULL DEFAULT 'free',
        billing_status text NOT NULL DEFAULT 'active',
        events_per_month_limit bigint,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_organizations PRIMARY KEY (id),
        CONSTRAINT uq_organizations_slug UNIQUE (slug),
        CONSTRAINT fk_organizations_owner_id FOREIGN KEY (owner_id) REFERENCES users (id),
        CONSTRAINT ck_organizations_plan CHECK (plan IN ('free', 'pro', 'scale', 'enterprise')),
        CONSTRAINT ck_organizations_limit CHECK (events_per_month_limit >= 0)
      )`);
    await q.query(`CREATE INDEX ix_organizations_owner_id ON organizations (owner_id)`);
    await q.query(`
      CREATE TABLE organization_members (
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        role text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_organization_members PRIMARY KEY (organization_id, user_id),
        CONSTRAINT fk_organization_members_organization_id FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT fk_organization_members_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_organization_members_role CHECK (role IN ('viewer', 'member', 'operator', 'admin', 'owner'))
      )`);
    await q.query(`CREATE INDEX ix_organization_members_user_id ON organization_members (user_id)`);
    await q.query(`
      CREATE UNIQUE INDEX uq_organization_members_owner ON organization_members (organization_id) WHERE role = 'owner'`);

    await q.query(`
      CREATE TABLE projects (
        id uuid NOT NULL,
        organization_id uuid NOT NULL,
        name text NOT NULL,
        slug text NOT NULL,
        owner_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_projects PRIMARY KEY (id),
        CONSTRAINT uq_projects_organization_id_slug UNIQUE (organization_id, slug),
        CONSTRAINT fk_projects_organization_id FOREIGN KEY (organization_id) REFERENCES organizations (id),
        CONSTRAINT fk_projects_owner_id FOREIGN KEY (owner_id) REFERENCES users (id)
      )`);
    await q.query(`
      CREATE TABLE project_members (
        project_id uuid NOT NULL,
        user_id uuid NOT NULL,
        role text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_project_members PRIMARY KEY (project_id, user_id),
        CONSTRAINT fk_project_members_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT fk_project_members_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_project_members_role CHECK (role IN ('viewer', 'member', 'operator', 'admin', 'owner'))
      )`);
    await q.query(`CREATE INDEX ix_project_members_user_id ON project_members (user_id)`);

    await q.query(`
      CREATE TABLE api_keys (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        source_id uuid,
        name text NOT NULL,
        prefix text NOT NULL,
        key_hash bytea NOT NULL,
        scopes text[] NOT NULL,
        created_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        expires_at timestamptz,
        revoked_at timestamptz,
        CONSTRAINT pk_api_keys PRIMARY KEY (id),
        CONSTRAINT uq_api_keys_key_hash UNIQUE (key_hash),
        CONSTRAINT fk_api_keys_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT ck_api_keys_scopes CHECK (scopes <@ ARRAY['events:read', 'events:write'] AND cardinality(scopes) > 0)
      )`);
    await q.query(`CREATE INDEX ix_api_keys_project_id ON api_keys (project_id, created_at)`);

    // Range by month; every key begins with the project, so that the table can be distributed by it later.
    await q.query(`
      CREATE TABLE events (
        project_id uuid NOT NULL,
        "timestamp" timestamptz(3) NOT NULL,
        id uuid NOT NULL,
        source_id uuid,
        api_key_id uuid,
        event text NOT NULL,
        source text NOT NULL,
        severity text,
        status text,
        environment text,
        message text,
        external_event_id text,
        properties jsonb NOT NULL,
        log_method text NOT NULL,
        log_endpoint text NOT NULL,
        log_status integer NOT NULL,
        log_latency_ms integer NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_events PRIMARY KEY (project_id, "timestamp", id)
      ) PARTITION BY RANGE ("timestamp")`);
    await q.query(`CREATE TABLE events_default PARTITION OF events DEFAULT`);
    await q.query(`CREATE INDEX ix_events_project_id_event_timestamp ON events (project_id, event, "timestamp" DESC)`);

    await q.query(`
      CREATE TABLE usage_daily (
        day date NOT NULL,
        project_id uuid NOT NULL,
        api_key_id uuid,
        requests bigint NOT NULL DEFAULT 0,
        events_ingested bigint NOT NULL DEFAULT 0,
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT uq_usage_daily_identity UNIQUE NULLS NOT DISTINCT (project_id, day, api_key_id),
        CONSTRAINT fk_usage_daily_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      )`);

    await q.query(`
      CREATE TABLE job_runs (
        name text NOT NULL,
        last_run_at timestamptz,
        last_duration_ms integer,
        last_error text,
        CONSTRAINT pk_job_runs PRIMARY KEY (name)
      )`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      DROP TABLE job_runs, usage_daily, events, api_keys, project_members, projects,
        organization_members, organizations, refresh_tokens, sessions, user_tokens, users`);
  }
}
