import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where alerts are told, what is told, and how far the telling has come. */
export class AlertDestinations1795210000000 implements MigrationInterface {
  readonly name = 'AlertDestinations1795210000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE alert_destinations (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        type text NOT NULL,
        name text NOT NULL,
        target_url text NOT NULL,
        sealed_url text,
        secret text,
        previous_secret text,
        previous_secret_until timestamptz,
        is_enabled boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_alert_destinations PRIMARY KEY (id),
        CONSTRAINT fk_alert_destinations_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT ck_alert_destinations_type CHECK (type IN ('webhook', 'slack')),
        CONSTRAINT ck_alert_destinations_sealed_url CHECK ((type = 'slack') = (sealed_url IS NOT NULL)),
        CONSTRAINT ck_alert_destinations_previous_secret CHECK (
          (previous_secret IS NULL) = (previous_secret_until IS NULL) AND (previous_secret IS NULL OR secret IS NOT NULL))
      )`);
    await q.query('CREATE INDEX ix_alert_destinations_project_id ON alert_destinations (project_id, created_at)');
    await q.query(`
      CREATE INDEX ix_alert_destinations_previous_secret_until ON alert_destinations (previous_secret_until)
      WHERE previous_secret IS NOT NULL`);
    await q.query(`
      CREATE TABLE alert_notices (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        alert_event_id uuid NOT NULL,
        notice json NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_alert_notices PRIMARY KEY (id),
        CONSTRAINT fk_alert_notices_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      )`);
    await q.query('CREATE INDEX ix_alert_notices_project_id ON alert_notices (project_id)');
    await this.deliveries(q);
  }

  async down(q: QueryRunner): Promise<void> {
    for (const table of ['alert_deliveries', 'alert_notices', 'alert_destinations'])
      await q.query(`DROP TABLE ${table}`);
  }

  private async deliveries(q: QueryRunner): Promise<void> {
    // A delivery outlives its destination, as evidence: hence no key to it.
    await q.query(`
      CREATE TABLE alert_deliveries (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        notice_id uuid NOT NULL,
        alert_event_id uuid NOT NULL,
        destination_id uuid NOT NULL,
        destination_name text NOT NULL,
        destination_type text NOT NULL,
        status text NOT NULL DEFAULT 'pending',
        retry_count integer NOT NULL DEFAULT 0,
        due_at timestamptz DEFAULT now(),
        response_code integer,
        response_summary text,
        failure_code text,
        failure_reason text,
        claim_token uuid,
        claim_owner text,
        claim_expires_at timestamptz,
        finished_token uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        completed_at timestamptz,
        CONSTRAINT pk_alert_deliveries PRIMARY KEY (id),
        CONSTRAINT fk_alert_deliveries_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT fk_alert_deliveries_notice_id FOREIGN KEY (notice_id) REFERENCES alert_notices (id) ON DELETE CASCADE,
        CONSTRAINT ck_alert_deliveries_status CHECK (status IN ('pending', 'retrying', 'sent', 'failed')),
        CONSTRAINT ck_alert_deliveries_due CHECK ((due_at IS NOT NULL) = (status IN ('pending', 'retrying'))),
        CONSTRAINT ck_alert_deliveries_completed CHECK ((completed_at IS NOT NULL) = (status IN ('sent', 'failed'))),
        CONSTRAINT ck_alert_deliveries_retry_count CHECK (retry_count BETWEEN 0 AND 5),
        CONSTRAINT ck_alert_deliveries_claim CHECK (
          (claim_token IS NULL) = (claim_owner IS NULL) AND (claim_token IS NULL) = (claim_expires_at IS NULL))
      )`);
    await q.query('CREATE INDEX ix_alert_deliveries_project_id ON alert_deliveries (project_id, created_at, id)');
    await q.query('CREATE INDEX ix_alert_deliveries_notice_id ON alert_deliveries (notice_id)');
    await q.query('CREATE INDEX ix_alert_deliveries_alert_event_id ON alert_deliveries (alert_event_id, created_at)');
    await q.query(`
      CREATE INDEX ix_alert_deliveries_failed ON alert_deliveries (project_id, created_at) WHERE status = 'failed'`);
    await q.query(`
      CREATE INDEX ix_alert_deliveries_due ON alert_deliveries (destination_id, due_at)
      WHERE due_at IS NOT NULL AND claim_token IS NULL`);
    await q.query(`
      CREATE INDEX ix_alert_deliveries_backlog ON alert_deliveries (due_at)
      WHERE due_at IS NOT NULL AND claim_token IS NULL`);
    await q.query(`
      CREATE INDEX ix_alert_deliveries_claim_expires_at ON alert_deliveries (claim_expires_at)
      WHERE claim_token IS NOT NULL`);
  }
}
