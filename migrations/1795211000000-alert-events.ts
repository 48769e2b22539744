import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Alert events, what happened to each of them, and silences. */
export class AlertEvents1795211000000 implements MigrationInterface {
  readonly name = 'AlertEvents1795211000000';

  async up(q: QueryRunner): Promise<void> {
    // An alert event outlives its rule and the events that raised it: hence no keys to them.
    await q.query(`
      CREATE TABLE alert_events (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        alert_rule_id uuid,
        rule_name text,
        fingerprint text NOT NULL,
        group_values json NOT NULL,
        event_id uuid,
        event_at timestamptz,
        event_type text,
        source text,
        source_id uuid,
        last_event_id uuid,
        severity text NOT NULL,
        status text NOT NULL DEFAULT 'open',
        message text NOT NULL,
        payload json NOT NULL,
        occurrences bigint NOT NULL,
        told_occurrences bigint NOT NULL DEFAULT 0,
        assignee_id uuid,
        snoozed_until timestamptz,
        cooldown_seconds integer NOT NULL,
        targets json NOT NULL,
        notified_at timestamptz,
        notice_due_at timestamptz,
        is_resolve_told boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        last_occurred_at timestamptz NOT NULL,
        acknowledged_at timestamptz,
        first_acknowledged_at timestamptz,
        resolved_at timestamptz,
        CONSTRAINT pk_alert_events PRIMARY KEY (id),
        CONSTRAINT fk_alert_events_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT fk_alert_events_assignee_id FOREIGN KEY (assignee_id) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT ck_alert_events_severity CHECK (severity IN ('info', 'warning', 'critical')),
        CONSTRAINT ck_alert_events_status CHECK (status IN ('open', 'acknowledged', 'snoozed', 'resolved')),
        CONSTRAINT ck_alert_events_snoozed CHECK ((status = 'snoozed') = (snoozed_until IS NOT NULL)),
        CONSTRAINT ck_alert_events_resolved CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
        CONSTRAINT ck_alert_events_occurrences CHECK (occurrences > 0 AND told_occurrences BETWEEN 0 AND occurrences)
      )`);
    await q.query(`
      CREATE UNIQUE INDEX uq_alert_events_unresolved ON alert_events (project_id, fingerprint)
      WHERE status <> 'resolved'`);
    await q.query('CREATE INDEX ix_alert_events_fingerprint ON alert_events (project_id, fingerprint, created_at)');
    await q.query('CREATE INDEX ix_alert_events_project_id ON alert_events (project_id, created_at, id)');
    await q.query('CREATE INDEX ix_alert_events_changed_at ON alert_events (project_id, changed_at, id)');
    await q.query(`
      CREATE INDEX ix_alert_events_alert_rule_id ON alert_events (alert_rule_id) WHERE status <> 'resolved'`);
    await q.query('CREATE INDEX ix_alert_events_event_id ON alert_events (event_id) WHERE event_id IS NOT NULL');
    await q.query(`
      CREATE INDEX ix_alert_events_last_event_id ON alert_events (last_event_id) WHERE last_event_id IS NOT NULL`);
    await q.query(
      'CREATE INDEX ix_alert_events_assignee_id ON alert_events (assignee_id) WHERE assignee_id IS NOT NULL',
    );
    await q.query(`
      CREATE INDEX ix_alert_events_notice_due_at ON alert_events (notice_due_at) WHERE notice_due_at IS NOT NULL`);
    await q.query(`
      CREATE INDEX ix_alert_events_snoozed_until ON alert_events (snoozed_until) WHERE snoozed_until IS NOT NULL`);
    await this.timeline(q);
    await this.silences(q);
  }

  async down(q: QueryRunner): Promise<void> {
    for (const table of ['alert_silences', 'alert_timeline', 'alert_events']) await q.query(`DROP TABLE ${table}`);
  }

  private async timeline(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE alert_timeline (
        position bigint GENERATED ALWAYS AS IDENTITY,
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        alert_event_id uuid NOT NULL,
        type text NOT NULL,
        actor_user_id uuid,
        note text,
        detail json NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT pk_alert_timeline PRIMARY KEY (position),
        CONSTRAINT fk_alert_timeline_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT fk_alert_timeline_alert_event_id FOREIGN KEY (alert_event_id)
          REFERENCES alert_events (id) ON DELETE CASCADE,
        CONSTRAINT ck_alert_timeline_type CHECK (type IN ('opened', 'notified', 'acknowledged', 'snoozed', 'snooze_ended',
          'resolved', 'reopened', 'assigned', 'unassigned', 'commented'))
      )`);
    await q.query('CREATE INDEX ix_alert_timeline_alert_event_id ON alert_timeline (alert_event_id, position)');
    await q.query('CREATE INDEX ix_alert_timeline_project_id ON alert_timeline (project_id)');
  }

  private async silences(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE alert_silences (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        filter json NOT NULL,
        starts_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL,
        reason text,
        created_by uuid,
        revision integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_alert_silences PRIMARY KEY (id),
        CONSTRAINT fk_alert_silences_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT fk_alert_silences_created_by FOREIGN KEY (created_by) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT ck_alert_silences_times CHECK (starts_at <= ends_at)
      )`);
    await q.query('CREATE INDEX ix_alert_silences_project_id ON alert_silences (project_id, ends_at)');
    await q.query(
      'CREATE INDEX ix_alert_silences_created_by ON alert_silences (created_by) WHERE created_by IS NOT NULL',
    );
  }
}
