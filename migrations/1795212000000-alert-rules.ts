import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Alert rules, whom they tell, and how far each of their series has come. */
export class AlertRules1795212000000 implements MigrationInterface {
  readonly name = 'AlertRules1795212000000';

  async up(q: QueryRunner): Promise<void> {
    // json, not jsonb: a condition is given back as it was written.
    await q.query(`
      CREATE TABLE alert_rules (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        name text NOT NULL,
        is_enabled boolean NOT NULL,
        severity text NOT NULL,
        kind text NOT NULL,
        condition json NOT NULL,
        group_by text[] NOT NULL,
        for_seconds integer NOT NULL,
        keep_firing_seconds integer NOT NULL,
        cooldown_seconds integer NOT NULL,
        revision integer NOT NULL DEFAULT 1,
        watched_since timestamptz NOT NULL DEFAULT now(),
        next_evaluation_at timestamptz,
        last_evaluated_at timestamptz,
        last_error text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_alert_rules PRIMARY KEY (id),
        CONSTRAINT fk_alert_rules_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT ck_alert_rules_severity CHECK (severity IN ('info', 'warning', 'critical')),
        CONSTRAINT ck_alert_rules_kind CHECK (kind IN ('match', 'threshold', 'rate_of_change', 'absence')),
        CONSTRAINT ck_alert_rules_seconds CHECK (
          for_seconds BETWEEN 0 AND 86400 AND keep_firing_seconds BETWEEN 0 AND 86400
          AND cooldown_seconds BETWEEN 0 AND 86400)
      )`);
    await q.query('CREATE INDEX ix_alert_rules_project_id ON alert_rules (project_id, created_at)');
    await q.query(`
      CREATE INDEX ix_alert_rules_next_evaluation_at ON alert_rules (next_evaluation_at)
      WHERE next_evaluation_at IS NOT NULL`);
    await q.query(`
      CREATE TABLE alert_rule_destinations (
        rule_id uuid NOT NULL,
        destination_id uuid NOT NULL,
        place integer NOT NULL,
        CONSTRAINT pk_alert_rule_destinations PRIMARY KEY (rule_id, destination_id),
        CONSTRAINT fk_alert_rule_destinations_rule_id FOREIGN KEY (rule_id) REFERENCES alert_rules (id) ON DELETE CASCADE,
        CONSTRAINT fk_alert_rule_destinations_destination_id FOREIGN KEY (destination_id)
          REFERENCES alert_destinations (id) ON DELETE CASCADE
      )`);
    await q.query('CREATE INDEX ix_alert_rule_destinations_destination_id ON alert_rule_destinations (destination_id)');
    await q.query(`
      CREATE TABLE alert_rule_channels (
        rule_id uuid NOT NULL,
        channel_id uuid NOT NULL,
        place integer NOT NULL,
        CONSTRAINT pk_alert_rule_channels PRIMARY KEY (rule_id, channel_id),
        CONSTRAINT fk_alert_rule_channels_rule_id FOREIGN KEY (rule_id) REFERENCES alert_rules (id) ON DELETE CASCADE,
        CONSTRAINT fk_alert_rule_channels_channel_id FOREIGN KEY (channel_id)
          REFERENCES delivery_channels (id) ON DELETE CASCADE
      )`);
    await q.query('CREATE INDEX ix_alert_rule_channels_channel_id ON alert_rule_channels (channel_id)');
    // A series that is inactive has no row.
    await q.query(`
      CREATE TABLE alert_rule_series (
        rule_id uuid NOT NULL,
        fingerprint text NOT NULL,
        group_values json NOT NULL,
        state text NOT NULL,
        since timestamptz NOT NULL,
        breached_at timestamptz NOT NULL,
        due_at timestamptz,
        CONSTRAINT pk_alert_rule_series PRIMARY KEY (rule_id, fingerprint),
        CONSTRAINT fk_alert_rule_series_rule_id FOREIGN KEY (rule_id) REFERENCES alert_rules (id) ON DELETE CASCADE,
        CONSTRAINT ck_alert_rule_series_state CHECK (state IN ('pending', 'firing', 'recovering'))
      )`);
    await q.query('CREATE INDEX ix_alert_rule_series_due_at ON alert_rule_series (due_at) WHERE due_at IS NOT NULL');
    // Since when ingestion and evaluation have been running without a gap, as their processes say again and again.
    await q.query(`
      CREATE TABLE alert_heartbeats (
        name text NOT NULL,
        up_since timestamptz NOT NULL,
        beat_at timestamptz NOT NULL,
        CONSTRAINT pk_alert_heartbeats PRIMARY KEY (name)
      )`);
  }

  async down(q: QueryRunner): Promise<void> {
    for (const table of [
      'alert_heartbeats',
      'alert_rule_series',
      'alert_rule_channels',
      'alert_rule_destinations',
      'alert_rules',
    ]) {
      await q.query(`DROP TABLE ${table}`);
    }
  }
}
