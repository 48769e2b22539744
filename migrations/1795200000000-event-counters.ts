import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Event Sources, and what is counted in the transaction of the events: months, days, hours and latencies. */
export class EventCounters1795200000000 implements MigrationInterface {
  readonly name = 'EventCounters1795200000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE event_sources (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        description text,
        is_enabled boolean NOT NULL DEFAULT true,
        created_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_event_sources PRIMARY KEY (id),
        CONSTRAINT fk_event_sources_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT ck_event_sources_type CHECK (type IN ('http', 'server', 'browser', 'webhook', 'cron', 'custom'))
      )`);
    await q.query(`CREATE INDEX ix_event_sources_project_id ON event_sources (project_id, created_at)`);
    await q.query(`
      ALTER TABLE api_keys ADD CONSTRAINT fk_api_keys_source_id
      FOREIGN KEY (source_id) REFERENCES event_sources (id) ON DELETE CASCADE`);
    await q.query(`CREATE INDEX ix_api_keys_source_id ON api_keys (source_id) WHERE source_id IS NOT NULL`);

    // The counters below are updated by every batch: room on the page keeps those updates out of the indexes.
    const busy = `WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500)`;
    await q.query(`
      CREATE TABLE organization_months (
        organization_id uuid NOT NULL,
        month date NOT NULL,
        events bigint NOT NULL DEFAULT 0,
        requests bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_organization_months PRIMARY KEY (organization_id, month),
        CONSTRAINT fk_organization_months_organization_id FOREIGN KEY (organization_id)
          REFERENCES organizations (id) ON DELETE CASCADE
      ) ${busy}`);
    await q.query(`
      INSERT INTO organization_months (organization_id, month, events, requests)
      SELECT p.organization_id, date_trunc('month', u.day)::date, sum(u.events_ingested), sum(u.requests)
      FROM usage_daily u JOIN projects p ON p.id = u.project_id GROUP BY 1, 2`);
    // By day of acceptance; source_id is null for keys without a source and for the dashboard.
    await q.query(`
      CREATE TABLE source_days (
        project_id uuid NOT NULL,
        source_id uuid,
        day date NOT NULL,
        events bigint NOT NULL,
        last_event_at timestamptz NOT NULL,
        CONSTRAINT uq_source_days_identity UNIQUE NULLS NOT DISTINCT (project_id, source_id, day)
      ) ${busy}`);
    // By hour of the event's own timestamp. An error is an event whose derived status is 500 or more.
    await q.query(`
      CREATE TABLE event_hours (
        project_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        events bigint NOT NULL,
        errors bigint NOT NULL,
        CONSTRAINT pk_event_hours PRIMARY KEY (project_id, hour)
      ) ${busy}`);
    await q.query(`
      CREATE TABLE event_facet_hours (
        project_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        event text NOT NULL,
        source_id uuid,
        severity text,
        status text,
        environment text,
        events bigint NOT NULL,
        errors bigint NOT NULL,
        CONSTRAINT uq_event_facet_hours_identity
          UNIQUE NULLS NOT DISTINCT (project_id, hour, event, source_id, severity, status, environment)
      ) ${busy}`);
    // The same by UTC day: what a month's window adds up is a twentieth of its hours.
    await q.query(`
      CREATE TABLE event_facet_days (
        project_id uuid NOT NULL,
        day timestamptz NOT NULL,
        event text NOT NULL,
        source_id uuid,
        severity text,
        status text,
        environment text,
        events bigint NOT NULL,
        errors bigint NOT NULL,
        CONSTRAINT uq_event_facet_days_identity
          UNIQUE NULLS NOT DISTINCT (project_id, day, event, source_id, severity, status, environment)
      ) ${busy}`);
    // Bucket 0 is below one millisecond; bucket n ends at 1.02^n milliseconds. Only events that carry a latency.
    await q.query(`
      CREATE TABLE latency_hours (
        project_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        bucket smallint NOT NULL,
        events bigint NOT NULL,
        CONSTRAINT pk_latency_hours PRIMARY KEY (project_id, hour, bucket)
      ) ${busy}`);
    await q.query(`ALTER TABLE events ADD COLUMN log_has_latency boolean NOT NULL DEFAULT false`);

    await q.query(`
      CREATE TABLE idempotency_records (
        api_key_id uuid NOT NULL,
        key text NOT NULL,
        request_hash bytea NOT NULL,
        answer jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_idempotency_records PRIMARY KEY (api_key_id, key)
      )`);
    await q.query(`CREATE INDEX ix_idempotency_records_created_at ON idempotency_records (created_at)`);

    // One row an hour for each key and reason, so that a storm of refusals stays small.
    await q.query(`
      CREATE TABLE ingestion_failures (
        api_key_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        reason_code text NOT NULL,
        status_code integer NOT NULL,
        project_id uuid NOT NULL,
        source_id uuid,
        occurred_at timestamptz NOT NULL,
        request_id text,
        count bigint NOT NULL,
        CONSTRAINT pk_ingestion_failures PRIMARY KEY (api_key_id, hour, reason_code, status_code),
        CONSTRAINT fk_ingestion_failures_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      )`);
    await q.query(`CREATE INDEX ix_ingestion_failures_source_id ON ingestion_failures (source_id, hour)`);
    await q.query(`CREATE INDEX ix_ingestion_failures_project_id ON ingestion_failures (project_id)`);
    await q.query(`CREATE INDEX ix_ingestion_failures_hour ON ingestion_failures (hour)`);

    // Projects whose events somebody follows in order, and for those one row a batch, in the transaction of its events.
    await q.query(`
      CREATE TABLE event_watches (
        project_id uuid NOT NULL,
        CONSTRAINT pk_event_watches PRIMARY KEY (project_id),
        CONSTRAINT fk_event_watches_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      )`);
    await q.query(`
      CREATE TABLE event_outbox (
        position bigint GENERATED ALWAYS AS IDENTITY,
        txid xid8 NOT NULL DEFAULT pg_current_xact_id(),
        project_id uuid NOT NULL,
        event_ids uuid[] NOT NULL,
        timestamps timestamptz[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_event_outbox PRIMARY KEY (position)
      )`);
    await q.query(`CREATE INDEX ix_event_outbox_project_id ON event_outbox (project_id, position)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      DROP TABLE event_outbox, event_watches, ingestion_failures, idempotency_records, latency_hours,
        event_facet_days, event_facet_hours, event_hours, source_days, organization_months`);
    await q.query(`ALTER TABLE events DROP COLUMN log_has_latency`);
    await q.query(`ALTER TABLE api_keys DROP CONSTRAINT fk_api_keys_source_id`);
    await q.query(`DROP INDEX ix_api_keys_source_id`);
    await q.query(`DROP TABLE event_sources`);
  }
}
