import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events with a key of their sender, such as the source and id of a CloudEvent, are stored once in 24 hours. The primary
 * key decides it in the transaction that stores the events.
 */
export class UniqueEvents1802800000000 implements MigrationInterface {
  readonly name = 'UniqueEvents1802800000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE unique_events (
        project_id uuid NOT NULL,
        digest bytea NOT NULL,
        event_id uuid NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT pk_unique_events PRIMARY KEY (project_id, digest)
      )`);
    await q.query(`CREATE INDEX ix_unique_events_created_at ON unique_events (created_at)`);

    /*
     * Calls ingest_events without the events whose key another event has. The keys are locked before everything that
     * ingest_events locks, in their order, so batches queue up and never deadlock. A batch has each key once.
     *
     * u_*  the events that have a key: of which request, their project, the SHA-256 of the key, and the event's id
     *
     * duplicates maps the ids of events that are not stored to the ids of the stored events that have their keys. It is
     * null without any, and is added to the stored answer of a request with an idempotency key. Positions in the
     * verdicts count the other events. An event that ingest_events refuses does not keep its key.
     */
    await q.query(`
      CREATE FUNCTION ingest_unique_events(
        p_day date, p_passing text[], p_plans text[], p_monthly bigint[], p_daily bigint[], p_requests bigint[],
        d_organization uuid[], d_project uuid[], d_source uuid[],
        r_day integer[], r_key uuid[], r_events integer[], r_accepted_at timestamptz[],
        k_request integer[], k_key text[], k_hash bytea[], k_answer jsonb[],
        u_request integer[], u_project uuid[], u_digest bytea[], u_event uuid[],
        p_events ingested_event[], p_metered boolean,
        OUT accepted_at double precision, OUT verdicts jsonb, OUT duplicates jsonb)
      LANGUAGE plpgsql AS $unique$
      DECLARE
        v_events ingested_event[] := p_events;
        v_counts integer[] := r_events;
        v_answers jsonb[] := k_answer;
        v_taken uuid[];
      BEGIN
        WITH taken AS (
          INSERT INTO unique_events AS s (project_id, digest, event_id, created_at)
          SELECT u.project, u.digest, u.event, coalesce(r_accepted_at[u.request], now())
          FROM unnest(u_request, u_project, u_digest, u_event) AS u (request, project, digest, event)
          ORDER BY 1, 2
          ON CONFLICT ON CONSTRAINT pk_unique_events
          DO UPDATE SET event_id = excluded.event_id, created_at = excluded.created_at
          WHERE s.created_at < now() - interval '24 hours'
          RETURNING s.event_id)
        SELECT array_agg(t.event_id) INTO v_taken FROM taken t;

        -- A statement of its own: it sees what the one above waited for. An event that has its own key was stored by an
        -- earlier attempt.
        SELECT jsonb_object_agg(u.event, s.event_id) INTO duplicates
        FROM unnest(u_project, u_digest, u_event) AS u (project, digest, event)
        JOIN unique_events s ON s.project_id = u.project AND s.digest = u.digest
        WHERE s.event_id <> u.event;

        IF duplicates IS NOT NULL THEN
          SELECT coalesce(array_agg(jsonb_populate_record(k.event, jsonb_build_object('position', k.position))
                   ORDER BY k.request, k.position), '{}')
          INTO v_events
          FROM (
            SELECT e AS event, e.request, row_number() OVER (PARTITION BY e.request ORDER BY e.position) AS position
            FROM unnest(p_events) AS e WHERE NOT duplicates ? e.id::text) k;
          SELECT array_agg(r.events - coalesce(d.events, 0) ORDER BY r.n) INTO v_counts
          FROM unnest(r_events) WITH ORDINALITY AS r (events, n)
          LEFT JOIN (
            SELECT u.request, count(*)::integer AS events FROM unnest(u_request, u_event) AS u (request, event)
            WHERE duplicates ? u.event::text GROUP BY 1) d ON d.request = r.n;
          SELECT coalesce(array_agg(CASE WHEN d.own IS NULL THEN k.answer
                   ELSE k.answer || jsonb_build_object('duplicates', d.own) END ORDER BY k.n), '{}')
          INTO v_answers
          FROM unnest(k_request, k_answer) WITH ORDINALITY AS k (request, answer, n)
          LEFT JOIN LATERAL (
            SELECT jsonb_object_agg(u.event, duplicates -> u.event::text) AS own
            FROM unnest(u_request, u_event) AS u (request, event)
            WHERE u.request = k.request AND duplicates ? u.event::text) d ON true;
        END IF;

        SELECT f.accepted_at, f.verdicts INTO accepted_at, verdicts
        FROM ingest_events(
          p_day => p_day, p_passing => p_passing, p_plans => p_plans, p_monthly => p_monthly, p_daily => p_daily,
          p_requests => p_requests, d_organization => d_organization, d_project => d_project, d_source => d_source,
          r_day => r_day, r_key => r_key, r_events => v_counts, r_accepted_at => r_accepted_at,
          k_request => k_request, k_key => k_key, k_hash => k_hash, k_answer => v_answers,
          p_events => v_events, p_metered => p_metered) AS f;

        IF verdicts IS NOT NULL AND v_taken IS NOT NULL THEN
          DELETE FROM unique_events s
          USING unnest(u_request, u_project, u_digest, u_event) AS u (request, project, digest, event),
                unnest(v_events) AS e, jsonb_to_recordset(verdicts) AS v (request integer, admitted integer)
          WHERE s.project_id = u.project AND s.digest = u.digest AND u.event = ANY (v_taken)
            AND e.id = u.event AND v.request = u.request AND e.position > v.admitted;
        END IF;
      END $unique$`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP FUNCTION ingest_unique_events');
    await q.query('DROP TABLE unique_events');
  }
}
