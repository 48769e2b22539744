import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is being written for a project is told by a shared advisory lock of the writing transaction: (kind, key of the
 * project). So readers in order wait for the project's own writers alone. The kinds are those of `open-writes.ts`.
 */
export class MatchingInTurns1795222000000 implements MigrationInterface {
  readonly name = 'MatchingInTurns1795222000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE FUNCTION project_lock_key(project_id uuid) RETURNS integer
      LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN hashtext(project_id::text)`);
    await q.query(`
      CREATE FUNCTION tell_open_write() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(TG_ARGV[0]::integer, project_lock_key(NEW.project_id));
        RETURN NEW;
      END $$`);
    await q.query(`
      CREATE TRIGGER tell_open_write BEFORE INSERT ON event_outbox
      FOR EACH ROW EXECUTE FUNCTION tell_open_write(795222001)`);
    await q.query(`
      CREATE TRIGGER tell_open_write BEFORE INSERT OR UPDATE OF changed_at ON alert_events
      FOR EACH ROW EXECUTE FUNCTION tell_open_write(795222002)`);
    // Acceptance in the order of the rows, however long their transactions took to get there.
    await q.query('ALTER TABLE event_outbox DROP COLUMN txid, ALTER COLUMN created_at SET DEFAULT clock_timestamp()');

    // What matched and is not told yet: taken from the outbox, to be raised in transactions of bounded length.
    await q.query(`
      CREATE TABLE alert_rule_firings (
        position bigint GENERATED ALWAYS AS IDENTITY,
        project_id uuid NOT NULL,
        rule_id uuid NOT NULL,
        kind text NOT NULL,
        fingerprint text NOT NULL,
        group_values json NOT NULL,
        event_id uuid,
        event_at timestamptz,
        last_event_id uuid,
        occurrences integer NOT NULL,
        accepted_at timestamptz NOT NULL,
        CONSTRAINT pk_alert_rule_firings PRIMARY KEY (position),
        CONSTRAINT fk_alert_rule_firings_rule_id FOREIGN KEY (rule_id) REFERENCES alert_rules (id) ON DELETE CASCADE,
        CONSTRAINT ck_alert_rule_firings_kind CHECK (kind IN ('fire', 'recover'))
      )`);
    await q.query('CREATE INDEX ix_alert_rule_firings_project_id ON alert_rule_firings (project_id, position)');
    await q.query('CREATE INDEX ix_alert_rule_firings_rule_id ON alert_rule_firings (rule_id)');

    // Which events a worker is asking the rules about: what stands there when nobody has the project has ended a worker.
    await q.query(`
      CREATE TABLE event_match_marks (
        project_id uuid NOT NULL,
        worker uuid NOT NULL,
        is_evaluating boolean NOT NULL,
        until_position bigint NOT NULL,
        event_id uuid,
        suspects_until bigint,
        CONSTRAINT pk_event_match_marks PRIMARY KEY (project_id),
        CONSTRAINT fk_event_match_marks_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      ) WITH (fillfactor = 50)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE event_match_marks, alert_rule_firings');
    await q.query('ALTER TABLE event_outbox ALTER COLUMN created_at SET DEFAULT now()');
    await q.query('ALTER TABLE event_outbox ADD COLUMN txid xid8 NOT NULL DEFAULT pg_current_xact_id()');
    await q.query('DROP TRIGGER tell_open_write ON alert_events');
    await q.query('DROP TRIGGER tell_open_write ON event_outbox');
    await q.query('DROP FUNCTION tell_open_write');
    await q.query('DROP FUNCTION project_lock_key');
  }
}
