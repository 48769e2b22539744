import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Channels, what is sent to them, and who asked for it to be sent again. */
export class Delivery1795208000000 implements MigrationInterface {
  readonly name = 'Delivery1795208000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE delivery_channels (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        enabled boolean NOT NULL,
        configuration jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_delivery_channels PRIMARY KEY (id),
        CONSTRAINT fk_delivery_channels_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT ck_delivery_channels_type CHECK (type IN ('email', 'webhook'))
      )`);
    await q.query('CREATE INDEX ix_delivery_channels_project_id ON delivery_channels (project_id, created_at)');
    await q.query(`
      CREATE TABLE delivery_protected_headers (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        channel_id uuid NOT NULL,
        name text NOT NULL,
        name_key text NOT NULL,
        value text NOT NULL,
        key_version text NOT NULL,
        last_rotated_at timestamptz NOT NULL DEFAULT now(),
        last_rotated_by uuid,
        CONSTRAINT pk_delivery_protected_headers PRIMARY KEY (id),
        CONSTRAINT uq_delivery_protected_headers_channel_id_name_key UNIQUE (channel_id, name_key),
        CONSTRAINT fk_delivery_protected_headers_channel_id FOREIGN KEY (channel_id) REFERENCES delivery_channels (id) ON DELETE CASCADE,
        CONSTRAINT fk_delivery_protected_headers_last_rotated_by FOREIGN KEY (last_rotated_by) REFERENCES users (id) ON DELETE SET NULL
      )`);
    await q.query(`
      CREATE INDEX ix_delivery_protected_headers_last_rotated_by ON delivery_protected_headers (last_rotated_by)`);
    await this.attempts(q);
    await this.audits(q);
  }

  async down(q: QueryRunner): Promise<void> {
    for (const table of [
      'delivery_recovery_audits',
      'delivery_retry_audits',
      'delivery_attempts',
      'delivery_protected_headers',
      'delivery_channels',
    ]) {
      await q.query(`DROP TABLE ${table}`);
    }
  }

  private async attempts(q: QueryRunner): Promise<void> {
    // A channel with evidence stays; without an action of its own the key lets a deleted project take both along.
    await q.query(`
      CREATE TABLE delivery_attempts (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        channel_id uuid NOT NULL,
        kind text NOT NULL,
        status text NOT NULL DEFAULT 'pending',
        retry_state text DEFAULT 'pending',
        due_at timestamptz DEFAULT now(),
        retry_count integer NOT NULL DEFAULT 0,
        try_number integer NOT NULL DEFAULT 0,
        rule jsonb,
        event jsonb,
        event_id uuid,
        rule_id uuid,
        source_id uuid,
        evaluation_id uuid,
        parent_attempt_id uuid,
        recovery text,
        response_code integer,
        response_summary text,
        failure_code text,
        failure_reason text,
        request_metadata jsonb,
        response_metadata jsonb,
        delivered_to text[] NOT NULL DEFAULT '{}',
        claim_token uuid,
        claim_owner text,
        claim_kind text,
        claim_expires_at timestamptz,
        finished_token uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        completed_at timestamptz,
        terminal_at timestamptz,
        dlq_at timestamptz,
        CONSTRAINT pk_delivery_attempts PRIMARY KEY (id),
        CONSTRAINT fk_delivery_attempts_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT fk_delivery_attempts_channel_id FOREIGN KEY (channel_id) REFERENCES delivery_channels (id),
        CONSTRAINT ck_delivery_attempts_kind CHECK (kind IN ('test', 'rule_match')),
        CONSTRAINT ck_delivery_attempts_state CHECK (
          (status = 'pending' AND retry_state = 'pending')
          OR (status = 'sent' AND retry_state IS NULL)
          OR (status = 'failed' AND retry_state IN ('scheduled_retry', 'retry_exhausted', 'dlq', 'terminal'))),
        CONSTRAINT ck_delivery_attempts_due CHECK ((due_at IS NOT NULL) = (retry_state IN ('pending', 'scheduled_retry') AND retry_state IS NOT NULL)),
        CONSTRAINT ck_delivery_attempts_recovery CHECK (recovery IN ('replay', 'dlq_drain') AND (recovery IS NULL) = (parent_attempt_id IS NULL)),
        CONSTRAINT ck_delivery_attempts_claim CHECK (
          (claim_token IS NULL) = (claim_kind IS NULL)
          AND (claim_token IS NULL) = (claim_expires_at IS NULL)
          AND claim_kind IN ('worker', 'retry_now', 'dlq_drain', 'test'))
      )`);
    await q.query(`
      CREATE UNIQUE INDEX uq_delivery_attempts_parent_attempt_id ON delivery_attempts (parent_attempt_id)
      WHERE parent_attempt_id IS NOT NULL`);
    await q.query('CREATE INDEX ix_delivery_attempts_project_id ON delivery_attempts (project_id, created_at, id)');
    await q.query('CREATE INDEX ix_delivery_attempts_channel_id ON delivery_attempts (channel_id, created_at)');
    await q.query(`
      CREATE INDEX ix_delivery_attempts_due ON delivery_attempts (channel_id, due_at)
      WHERE due_at IS NOT NULL AND claim_token IS NULL`);
    await q.query(`
      CREATE INDEX ix_delivery_attempts_backlog ON delivery_attempts (due_at)
      WHERE due_at IS NOT NULL AND claim_token IS NULL`);
    await q.query(`
      CREATE INDEX ix_delivery_attempts_claim_expires_at ON delivery_attempts (claim_expires_at)
      WHERE claim_token IS NOT NULL`);
  }

  private async audits(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE delivery_retry_audits (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        attempt_id uuid NOT NULL,
        claim_token uuid NOT NULL,
        claim_kind text NOT NULL,
        retry_number integer NOT NULL,
        worker_id text NOT NULL,
        status text NOT NULL DEFAULT 'claimed',
        started_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz,
        response_code integer,
        response_summary text,
        reason text,
        CONSTRAINT pk_delivery_retry_audits PRIMARY KEY (id),
        CONSTRAINT fk_delivery_retry_audits_attempt_id FOREIGN KEY (attempt_id) REFERENCES delivery_attempts (id) ON DELETE CASCADE,
        CONSTRAINT ck_delivery_retry_audits_status CHECK (status IN ('claimed', 'dispatched', 'failed', 'exhausted', 'skipped'))
      )`);
    await q.query(`
      CREATE INDEX ix_delivery_retry_audits_project_id ON delivery_retry_audits (project_id, started_at, id)`);
    await q.query('CREATE INDEX ix_delivery_retry_audits_attempt_id ON delivery_retry_audits (attempt_id, started_at)');
    await q.query(`
      CREATE TABLE delivery_recovery_audits (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        action text NOT NULL,
        source_attempt_id uuid NOT NULL,
        created_attempt_id uuid NOT NULL,
        actor_user_id uuid,
        request_id text,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_delivery_recovery_audits PRIMARY KEY (id),
        CONSTRAINT fk_delivery_recovery_audits_source_attempt_id FOREIGN KEY (source_attempt_id) REFERENCES delivery_attempts (id) ON DELETE CASCADE,
        CONSTRAINT ck_delivery_recovery_audits_action CHECK (action IN ('replay', 'dlq_drain'))
      )`);
    await q.query(`
      CREATE INDEX ix_delivery_recovery_audits_source_attempt_id ON delivery_recovery_audits (source_attempt_id)`);
    await q.query('CREATE INDEX ix_delivery_recovery_audits_project_id ON delivery_recovery_audits (project_id)');
  }
}
