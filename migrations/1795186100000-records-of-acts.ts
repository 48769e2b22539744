import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people did: the account's security events, the audit of organizations and projects; and step-up tokens. */
export class RecordsOfActs1795186100000 implements MigrationInterface {
  readonly name = 'RecordsOfActs1795186100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE security_events (
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        type text NOT NULL,
        ip text,
        user_agent text,
        detail jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_security_events PRIMARY KEY (id),
        CONSTRAINT fk_security_events_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query(`CREATE INDEX ix_security_events_user_id ON security_events (user_id, created_at)`);

    // No foreign keys: an audit record outlives the account, organization or project it speaks of.
    await q.query(`
      CREATE TABLE audit_events (
        id uuid NOT NULL,
        actor_user_id uuid,
        organization_id uuid,
        project_id uuid,
        action text NOT NULL,
        target_type text NOT NULL,
        target_id text,
        detail jsonb NOT NULL DEFAULT '{}',
        request_id text,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_audit_events PRIMARY KEY (id)
      )`);
    await q.query(`CREATE INDEX ix_audit_events_organization_id ON audit_events (organization_id, created_at)`);
    await q.query(`CREATE INDEX ix_audit_events_project_id ON audit_events (project_id, created_at)`);

    await q.query(`
      CREATE TABLE step_up_tokens (
        token_hash bytea NOT NULL,
        user_id uuid NOT NULL,
        session_id uuid NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_step_up_tokens PRIMARY KEY (token_hash),
        CONSTRAINT fk_step_up_tokens_session_id FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
      )`);
    await q.query(`CREATE INDEX ix_step_up_tokens_expires_at ON step_up_tokens (expires_at)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE step_up_tokens, audit_events, security_events');
  }
}
