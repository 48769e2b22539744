import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What watches projects by itself: how far it has come, what is usual in each series, what it found and what people say of it. */
export class Sentinel1795800000000 implements MigrationInterface {
  readonly name = 'Sentinel1795800000000';

  async up(q: QueryRunner): Promise<void> {
    // The bucket before judged_until is judged; the next one is due two minutes after its end.
    await q.query(`
      CREATE TABLE sentinel_projects (
        project_id uuid NOT NULL,
        judging_since timestamptz NOT NULL,
        judged_until timestamptz NOT NULL,
        due_at timestamptz NOT NULL,
        oldest_event_at timestamptz,
        profiled_until timestamptz,
        profiled_events bigint NOT NULL DEFAULT 0,
        most_event_types integer,
        most_endpoints integer,
        series integer NOT NULL DEFAULT 0,
        learning integer NOT NULL DEFAULT 0,
        CONSTRAINT pk_sentinel_projects PRIMARY KEY (project_id),
        CONSTRAINT fk_sentinel_projects_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      )`);
    await q.query('CREATE INDEX ix_sentinel_projects_due_at ON sentinel_projects (due_at)');
    // What is usual: lists of numbers by the hour of the week, as the code writes them.
    await q.query(`
      CREATE TABLE sentinel_series (
        project_id uuid NOT NULL,
        type text NOT NULL,
        value text NOT NULL,
        profile bytea NOT NULL,
        CONSTRAINT pk_sentinel_series PRIMARY KEY (project_id, type, value),
        CONSTRAINT fk_sentinel_series_project_id FOREIGN KEY (project_id)
          REFERENCES sentinel_projects (project_id) ON DELETE CASCADE,
        CONSTRAINT ck_sentinel_series_type CHECK (type IN ('project', 'source', 'event'))
      )`);
    await q.query(`
      CREATE TABLE sentinel_findings (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        kind text NOT NULL,
        series_type text NOT NULL,
        series_value text NOT NULL,
        metric text NOT NULL,
        status text NOT NULL,
        severity text NOT NULL,
        score double precision NOT NULL,
        title text NOT NULL,
        summary text NOT NULL,
        actual double precision,
        expected double precision,
        lower double precision,
        upper double precision,
        started_at timestamptz NOT NULL,
        detected_at timestamptz NOT NULL,
        last_seen_at timestamptz NOT NULL,
        acknowledged_at timestamptz,
        acknowledged_by uuid,
        resolved_at timestamptz,
        dismissed_at timestamptz,
        dismissed_by uuid,
        feedback_reason text,
        feedback_note text,
        evidence json NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_sentinel_findings PRIMARY KEY (id),
        CONSTRAINT fk_sentinel_findings_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT fk_sentinel_findings_acknowledged_by FOREIGN KEY (acknowledged_by) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT fk_sentinel_findings_dismissed_by FOREIGN KEY (dismissed_by) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT ck_sentinel_findings_status CHECK (status IN ('open', 'acknowledged', 'resolved', 'dismissed')),
        CONSTRAINT ck_sentinel_findings_severity CHECK (severity IN ('info', 'warning', 'critical')),
        CONSTRAINT ck_sentinel_findings_score CHECK (score >= 0 AND score <= 1)
      )`);
    await q.query(`
      CREATE UNIQUE INDEX uq_sentinel_findings_unresolved ON sentinel_findings
        (project_id, kind, series_type, series_value, metric) WHERE status IN ('open', 'acknowledged')`);
    await q.query('CREATE INDEX ix_sentinel_findings_started_at ON sentinel_findings (project_id, started_at, id)');
    await q.query('CREATE INDEX ix_sentinel_findings_last_seen_at ON sentinel_findings (project_id, last_seen_at)');
    await q.query(`
      CREATE INDEX ix_sentinel_findings_updated_at ON sentinel_findings (updated_at) WHERE status IN ('resolved', 'dismissed')`);
    await q.query(`
      CREATE INDEX ix_sentinel_findings_acknowledged_by ON sentinel_findings (acknowledged_by) WHERE acknowledged_by IS NOT NULL`);
    await q.query(`
      CREATE INDEX ix_sentinel_findings_dismissed_by ON sentinel_findings (dismissed_by) WHERE dismissed_by IS NOT NULL`);
    // Of a kind and series: until when it is quiet, and when its bounds were raised.
    await q.query(`
      CREATE TABLE sentinel_feedback (
        project_id uuid NOT NULL,
        kind text NOT NULL,
        series_type text NOT NULL,
        series_value text NOT NULL,
        metric text NOT NULL,
        muted_until timestamptz,
        raised_at timestamptz[] NOT NULL DEFAULT '{}',
        CONSTRAINT pk_sentinel_feedback PRIMARY KEY (project_id, kind, series_type, series_value, metric),
        CONSTRAINT fk_sentinel_feedback_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      )`);
    // The outage before up_since, where there was one: since when nothing was done.
    await q.query('ALTER TABLE alert_heartbeats ADD COLUMN down_since timestamptz');
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_heartbeats DROP COLUMN down_since');
    await q.query('DROP TABLE sentinel_feedback, sentinel_findings, sentinel_series, sentinel_projects');
  }
}
