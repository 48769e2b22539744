import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the events that were there before their counters, and lets one be found by its id. */
export class EventTotals1795203000000 implements MigrationInterface {
  readonly name = 'EventTotals1795203000000';

  async up(q: QueryRunner): Promise<void> {
    // Nobody writes events meanwhile; counted anew from the rows, so that what is counted already does not count twice.
    await q.query(`LOCK TABLE events IN SHARE MODE`);
    await q.query(`
      UPDATE events SET log_has_latency = true
      WHERE NOT log_has_latency
        AND EXISTS (SELECT FROM unnest(ARRAY['latency_ms', 'duration_ms', 'response_time_ms', 'elapsed_ms']) AS name
                    WHERE jsonb_typeof(properties -> name) <> 'null')`);
    await q.query(`TRUNCATE event_hours, event_facet_hours, event_facet_days, latency_hours, source_days`);
    await q.query(`
      INSERT INTO event_hours (project_id, hour, events, errors)
      SELECT project_id, date_trunc('hour', "timestamp", 'UTC'), count(*), count(*) FILTER (WHERE log_status >= 500)
      FROM events GROUP BY 1, 2`);
    await q.query(`
      INSERT INTO event_facet_hours (project_id, hour, event, source_id, severity, status, environment, events, errors)
      SELECT project_id, date_trunc('hour', "timestamp", 'UTC'), event, source_id, severity, status, environment,
             count(*), count(*) FILTER (WHERE log_status >= 500)
      FROM events GROUP BY 1, 2, 3, 4, 5, 6, 7`);
    await q.query(`
      INSERT INTO event_facet_days (project_id, day, event, source_id, severity, status, environment, events, errors)
      SELECT project_id, date_trunc('day', hour, 'UTC'), event, source_id, severity, status, environment, sum(events), sum(errors)
      FROM event_facet_hours GROUP BY 1, 2, 3, 4, 5, 6, 7`);
    await q.query(`
      INSERT INTO latency_hours (project_id, hour, bucket, events)
      SELECT project_id, date_trunc('hour', "timestamp", 'UTC'), latency_bucket(log_latency_ms), count(*)
      FROM events WHERE log_has_latency GROUP BY 1, 2, 3`);
    await q.query(`
      INSERT INTO source_days (project_id, source_id, day, events, last_event_at)
      SELECT project_id, source_id, (created_at AT TIME ZONE 'UTC')::date, count(*), max(created_at)
      FROM events GROUP BY 1, 2, 3`);
    // Rows lie in the order of arrival, and so do their ids: a few pages of ranges find one among millions.
    await q.query(
      `CREATE INDEX ix_events_project_id_id ON events USING brin (project_id, id) WITH (autosummarize = on)`,
    );
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DROP INDEX ix_events_project_id_id`);
  }
}
