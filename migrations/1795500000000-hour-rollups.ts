import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the events of ended hours add up to: made later, and right as long as as many events as were looked at are counted. */
export class HourRollups1795500000000 implements MigrationInterface {
  readonly name = 'HourRollups1795500000000';

  async up(q: QueryRunner): Promise<void> {
    // The newest hours of all projects are looked through every minute. Counting an event leaves this column alone, and so the index.
    await q.query(`CREATE INDEX ix_event_hours_hour ON event_hours (hour)`);
    await q.query(`
      CREATE FUNCTION latency_middle(bucket smallint) RETURNS integer
      LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN CASE WHEN bucket <= 0 THEN 0 ELSE least(2147483647,
        floor((floor(1.02::float8 ^ (bucket - 1)) + 1 + floor(1.02::float8 ^ bucket)) / 2 + 0.5)) END::integer`);
    await q.query(`
      COMMENT ON FUNCTION latency_middle IS 'The middle of a bucket of latency_bucket, at most 1 % or a millisecond off its ends'`);

    // Latencies ascend; each has its number in counts, and that of events with a status of 500 or more in failed_counts,
    // which is null where there is none. They are those of the events up to 5,000 of these, above it middles of buckets.
    const figures = (count: string): string => `
        client_errors ${count} NOT NULL,
        errors ${count} NOT NULL,
        measured ${count} NOT NULL,
        fast ${count} NOT NULL,
        slow ${count} NOT NULL,
        latency_sum bigint NOT NULL,
        latency_min integer,
        latency_max integer,
        last_failed_at timestamptz(3),
        last_error_at timestamptz(3),
        latencies integer[] NOT NULL,
        counts integer[] NOT NULL,
        failed_counts integer[],
        statuses integer[] NOT NULL,
        status_counts integer[] NOT NULL`;
    await q.query(`
      CREATE TABLE hour_rollups (
        project_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        counted bigint NOT NULL,
        event_types integer NOT NULL,
        sources integer NOT NULL,
        pairs integer NOT NULL,${figures('bigint')},
        CONSTRAINT pk_hour_rollups PRIMARY KEY (project_id, hour),
        CONSTRAINT fk_hour_rollups_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      )`);
    // Place 0 has the most requests; place 1000 is all that has none of its own, without method and endpoint.
    await q.query(`
      CREATE TABLE endpoint_hours (
        project_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        place integer NOT NULL,
        method text,
        endpoint text,
        requests bigint NOT NULL,${figures('bigint')},
        CONSTRAINT pk_endpoint_hours PRIMARY KEY (project_id, hour, place),
        CONSTRAINT fk_endpoint_hours_hour FOREIGN KEY (project_id, hour)
          REFERENCES hour_rollups (project_id, hour) ON DELETE CASCADE
      )`);
    // Of each five minutes with events, which slots number from 0 to 11. The 95th percentile is -1 where nothing was measured.
    await q.query(`
      CREATE TABLE event_series_hours (
        project_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        kind text NOT NULL,
        value text NOT NULL,
        slots smallint[] NOT NULL,
        events integer[] NOT NULL,
        errors integer[] NOT NULL,
        measured integer[] NOT NULL,
        p95 integer[] NOT NULL,
        CONSTRAINT pk_event_series_hours PRIMARY KEY (project_id, hour, kind, value),
        CONSTRAINT fk_event_series_hours_hour FOREIGN KEY (project_id, hour)
          REFERENCES hour_rollups (project_id, hour) ON DELETE CASCADE,
        CONSTRAINT ck_event_series_hours_kind CHECK (kind IN ('project', 'event', 'source'))
      )`);
    await q.query(`
      CREATE TABLE day_rollups (
        project_id uuid NOT NULL,
        day timestamptz NOT NULL,
        counted bigint NOT NULL,
        has_rest boolean NOT NULL,${figures('bigint')},
        CONSTRAINT pk_day_rollups PRIMARY KEY (project_id, day),
        CONSTRAINT fk_day_rollups_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      )`);
    await q.query(`
      CREATE TABLE endpoint_days (
        project_id uuid NOT NULL,
        day timestamptz NOT NULL,
        place integer NOT NULL,
        method text,
        endpoint text,
        requests bigint NOT NULL,${figures('bigint')},
        CONSTRAINT pk_endpoint_days PRIMARY KEY (project_id, day, place),
        CONSTRAINT fk_endpoint_days_day FOREIGN KEY (project_id, day)
          REFERENCES day_rollups (project_id, day) ON DELETE CASCADE
      )`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE endpoint_days, day_rollups, event_series_hours, endpoint_hours, hour_rollups');
    await q.query('DROP FUNCTION latency_middle');
    await q.query('DROP INDEX ix_event_hours_hour');
  }
}
