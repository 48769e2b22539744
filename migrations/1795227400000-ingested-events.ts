import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Batches bring their events as rows of one type, whose attributes are called as the columns of `events`. The function
 * that takes an array for each column stays beside it, so that processes of the version before go on storing events
 * until they have ended.
 */
export class IngestedEvents1795227400000 implements MigrationInterface {
  readonly name = 'IngestedEvents1795227400000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TYPE ingested_event AS (
        request integer, position integer, project_id uuid, source_id uuid, api_key_id uuid, "timestamp" timestamptz,
        id uuid, event text, source text, severity text, status text, environment text, message text,
        external_event_id text, properties jsonb, bytes integer, log_method text, log_endpoint text, log_status integer,
        log_latency_ms integer, log_has_latency boolean)`);
    await q.query(`
      COMMENT ON TYPE ingested_event IS
        'An event of a batch: of which request from 1, where in it from 1, and what is stored of it'`);

    /*
     * Requests are judged in the order of the arrays, as if they came one after the other. Rows that batches share are
     * locked in one order everywhere: idempotency_records, organizations, event_sources, organization_months, source_days,
     * usage_daily, event_hours, event_facet_hours, event_facet_days, latency_hours, and inside each table by its key; so
     * batches queue up and never deadlock.
     *
     * p_day     null: the requests come now and are checked. A day: they were accepted that day, are counted there and
     *           refused only when their project or source is gone.
     * p_passing billing statuses that pass; p_plans and the three arrays beside it: allowances by plan, null unlimited
     * d_*       the projects and sources of the batch, each once
     * r_*       the requests: which of those, by which key, with how many events, accepted when (only with p_day)
     * k_*       idempotency keys: of which request, the hash of the request, and the answer if all of it is admitted
     * p_events  the events: of which request, where in it from 1, and what is stored of each
     * p_metered false while there is no usage_daily: its absence breaks no request (SERVICE 4.5)
     *
     * accepted_at is in Unix milliseconds. verdicts is null when every event was admitted, else it has a row for each
     * request of which that is not so: why 'replay' (with the stored answer), 'conflict', 'vanished' (the record ended
     * meanwhile: ask again), 'gone', 'source_gone', 'archived', 'billing', 'limit_exceeded', 'request_limit_exceeded' or
     * 'daily_limit_exceeded', and how many of its events, the first ones, were admitted.
     */
    await q.query(`
      CREATE FUNCTION ingest_events(
        p_day date, p_passing text[], p_plans text[], p_monthly bigint[], p_daily bigint[], p_requests bigint[],
        d_organization uuid[], d_project uuid[], d_source uuid[],
        r_day integer[], r_key uuid[], r_events integer[], r_accepted_at timestamptz[],
        k_request integer[], k_key text[], k_hash bytea[], k_answer jsonb[],
        p_events ingested_event[], p_metered boolean,
        OUT accepted_at double precision, OUT verdicts jsonb)
      LANGUAGE plpgsql AS $ingest$
      DECLARE
        v_now timestamptz := now()::timestamptz(3);
        v_day date := coalesce(p_day, (v_now AT TIME ZONE 'UTC')::date);
        v_month date := date_trunc('month', v_day::timestamp)::date;
        v_admitted integer[] := r_events;
        v_counted integer[];
        v_why text[] := array_fill(NULL::text, ARRAY[cardinality(r_events)]);
        v_known integer[];
        v_day_why text[];
        v_status text[];
        v_monthly bigint[];
        v_used bigint[];
        v_request_limit bigint[];
        v_requests bigint[];
        v_daily bigint[];
        v_last timestamptz[];
        v_month_over boolean;
        v_day_over boolean;
        v_month_left bigint[];
        v_day_left bigint[];
        v_take bigint;
        v_owner integer;
        i integer;
      BEGIN
        accepted_at := extract(epoch FROM v_now)::float8 * 1000;

        IF cardinality(k_request) > 0 THEN
          WITH reserved AS (
            INSERT INTO idempotency_records AS s (api_key_id, key, request_hash, answer, created_at)
            SELECT r_key[k.request], k.key, k.hash, k.answer, coalesce(r_accepted_at[k.request], v_now)
            FROM unnest(k_request, k_key, k_hash, k_answer) AS k (request, key, hash, answer)
            ORDER BY 1, 2
            ON CONFLICT ON CONSTRAINT pk_idempotency_records DO NOTHING
            RETURNING s.api_key_id, s.key)
          SELECT array_agg(k.request) INTO v_known
          FROM unnest(k_request, k_key) AS k (request, key)
          WHERE NOT EXISTS (SELECT FROM reserved s WHERE s.api_key_id = r_key[k.request] AND s.key = k.key);
          IF v_known IS NOT NULL THEN
            -- A statement of its own: it sees what the one above waited for.
            SELECT jsonb_agg(jsonb_build_object('request', k.request, 'admitted', 0,
                     'why', CASE WHEN s.key IS NULL THEN 'vanished' WHEN s.request_hash = k.hash THEN 'replay'
                            ELSE 'conflict' END,
                     'answer', CASE WHEN s.request_hash = k.hash THEN s.answer END))
            INTO verdicts
            FROM unnest(k_request, k_key, k_hash) AS k (request, key, hash)
            LEFT JOIN idempotency_records s ON s.api_key_id = r_key[k.request] AND s.key = k.key
            WHERE k.request = ANY (v_known);
            FOREACH i IN ARRAY v_known LOOP
              v_why[i] := 'known';
              v_admitted[i] := 0;
            END LOOP;
          END IF;
        END IF;

        SELECT array_agg(CASE
                 WHEN f.gone THEN 'gone'
                 WHEN p_day IS NOT NULL THEN NULL
                 WHEN f.archived THEN 'archived'
                 WHEN f.status <> ALL (p_passing) THEN 'billing'
                 WHEN f.used + 1 > f.monthly THEN 'limit_exceeded'
                 WHEN f.requests + 1 > f.request_limit THEN 'request_limit_exceeded'
                 WHEN f.today + 1 > f.daily THEN 'daily_limit_exceeded' END ORDER BY f.n),
               array_agg(f.status ORDER BY f.n), array_agg(f.monthly ORDER BY f.n), array_agg(f.used ORDER BY f.n),
               array_agg(f.request_limit ORDER BY f.n), array_agg(f.requests ORDER BY f.n),
               array_agg(f.daily ORDER BY f.n), array_agg(f.last_event_at ORDER BY f.n)
        INTO v_day_why, v_status, v_monthly, v_used, v_request_limit, v_requests, v_daily, v_last
        FROM (
          SELECT d.n, d.gone, d.archived, d.billing_status AS status, d.used, d.requests, d.today, d.last_event_at,
                 CASE WHEN p_day IS NULL THEN coalesce(d.own_limit, p_monthly[l.plan]) END AS monthly,
                 CASE WHEN p_day IS NULL THEN p_daily[l.plan] END AS daily, p_requests[l.plan] AS request_limit
          FROM ingestion_facts(d_organization, d_project, d_source, v_day) d
          LEFT JOIN LATERAL (SELECT array_position(p_plans, d.plan) AS plan) l ON true
        ) f;

        -- Who deletes a source locks it and looks for its days. So where a source has no event of this day yet, its row is
        -- held until the commit; behind that of its organization, as acts lock them.
        IF array_position(v_last, NULL) IS NOT NULL THEN
          PERFORM FROM organizations o WHERE o.id IN (
            SELECT d.organization_id FROM unnest(d_organization, d_source, v_last) AS d (organization_id, source_id, last)
            WHERE d.source_id IS NOT NULL AND d.last IS NULL)
          ORDER BY o.id FOR KEY SHARE;
          WITH held AS MATERIALIZED (
            SELECT s.id FROM event_sources s WHERE s.id IN (
              SELECT d.source_id FROM unnest(d_source, v_last) AS d (source_id, last) WHERE d.last IS NULL)
            ORDER BY s.id FOR KEY SHARE)
          SELECT array_agg(CASE WHEN d.why IS NULL AND d.last IS NULL AND d.source_id IS NOT NULL
                   AND NOT EXISTS (SELECT FROM held h WHERE h.id = d.source_id) THEN 'source_gone' ELSE d.why END ORDER BY d.n)
          INTO v_day_why
          FROM unnest(d_source, v_last, v_day_why) WITH ORDINALITY AS d (source_id, last, why, n);
        END IF;

        IF cardinality(array_remove(v_day_why, NULL)) > 0 THEN
          FOR i IN 1 .. cardinality(r_day) LOOP
            IF v_why[i] IS NULL AND v_day_why[r_day[i]] IS NOT NULL THEN
              v_why[i] := v_day_why[r_day[i]];
              v_admitted[i] := 0;
            END IF;
          END LOOP;
        END IF;

        -- Counted before it is sure that they fit: where they do not, what is too much is taken back below.
        WITH counted AS (
          INSERT INTO organization_months AS m (organization_id, month, events)
          SELECT d_organization[r.day], v_month, sum(r.events)
          FROM unnest(v_admitted, r_day) AS r (events, day) WHERE r.events > 0
          GROUP BY 1 ORDER BY 1
          ON CONFLICT ON CONSTRAINT pk_organization_months DO UPDATE SET events = m.events + excluded.events
          RETURNING m.organization_id, m.events)
        SELECT bool_or(c.events > d.monthly) INTO v_month_over
        FROM counted c JOIN unnest(d_organization, v_monthly) AS d (organization_id, monthly) USING (organization_id);

        WITH counted AS (
          INSERT INTO source_days AS s (project_id, source_id, day, events, last_event_at)
          SELECT d_project[r.day], d_source[r.day], v_day, sum(r.events), coalesce(max(r_accepted_at[r.n]), v_now)
          FROM unnest(v_admitted, r_day) WITH ORDINALITY AS r (events, day, n) WHERE r.events > 0
          GROUP BY 1, 2 ORDER BY 1, 2
          ON CONFLICT ON CONSTRAINT uq_source_days_identity DO UPDATE
          SET events = s.events + excluded.events, last_event_at = greatest(s.last_event_at, excluded.last_event_at)
          RETURNING s.project_id, s.source_id, s.events)
        SELECT bool_or(c.events > d.daily) INTO v_day_over
        FROM counted c JOIN unnest(d_project, d_source, v_daily) AS d (project_id, source_id, daily)
          ON d.project_id = c.project_id AND d.source_id IS NOT DISTINCT FROM c.source_id;

        IF v_month_over OR v_day_over THEN
          v_counted := v_admitted;
          -- What was left before this batch; by source, and by organization at its first place in the arrays.
          SELECT array_agg(CASE WHEN v_monthly[d.n] IS NOT NULL THEN v_monthly[d.n] - coalesce(m.events, 0) + coalesce((
                   SELECT sum(r.events) FROM unnest(v_counted, r_day) AS r (events, day)
                   WHERE d_organization[r.day] = d.organization_id), 0) END ORDER BY d.n),
                 array_agg(CASE WHEN v_daily[d.n] IS NOT NULL THEN v_daily[d.n] - coalesce(s.events, 0) + coalesce((
                   SELECT sum(r.events) FROM unnest(v_counted, r_day) AS r (events, day) WHERE r.day = d.n), 0) END
                   ORDER BY d.n)
          INTO v_month_left, v_day_left
          FROM unnest(d_organization, d_project, d_source) WITH ORDINALITY AS d (organization_id, project_id, source_id, n)
          LEFT JOIN organization_months m ON m.organization_id = d.organization_id AND m.month = v_month
          LEFT JOIN source_days s
            ON s.project_id = d.project_id AND s.source_id IS NOT DISTINCT FROM d.source_id AND s.day = v_day;

          FOR i IN 1 .. cardinality(r_day) LOOP
            CONTINUE WHEN v_why[i] IS NOT NULL;
            v_owner := array_position(d_organization, d_organization[r_day[i]]);
            v_take := greatest(least(v_admitted[i], v_month_left[v_owner], v_day_left[r_day[i]]), 0);
            IF v_take < v_admitted[i] THEN
              IF v_month_left[v_owner] <= v_take THEN
                v_why[i] := 'limit_exceeded';
                v_used[r_day[i]] := greatest(v_monthly[r_day[i]], v_used[r_day[i]]);
              ELSE
                v_why[i] := 'daily_limit_exceeded';
              END IF;
              v_admitted[i] := v_take;
            END IF;
            v_month_left[v_owner] := v_month_left[v_owner] - v_take;
            v_day_left[r_day[i]] := v_day_left[r_day[i]] - v_take;
          END LOOP;

          UPDATE organization_months m SET events = m.events - x.events
          FROM (SELECT d_organization[r.day] AS organization_id, sum(r.counted - r.admitted) AS events
                FROM unnest(v_counted, v_admitted, r_day) AS r (counted, admitted, day) GROUP BY 1) x
          WHERE m.organization_id = x.organization_id AND m.month = v_month AND x.events > 0;
          UPDATE source_days s SET events = s.events - x.counted + x.admitted,
            last_event_at = CASE WHEN x.admitted = 0 THEN coalesce(v_last[x.day], s.last_event_at) ELSE s.last_event_at END
          FROM (SELECT r.day, sum(r.counted) AS counted, sum(r.admitted) AS admitted
                FROM unnest(v_counted, v_admitted, r_day) AS r (counted, admitted, day) GROUP BY 1) x
          WHERE s.project_id = d_project[x.day] AND s.source_id IS NOT DISTINCT FROM d_source[x.day] AND s.day = v_day
            AND x.counted > x.admitted;
          DELETE FROM source_days s USING unnest(d_project) AS d (project_id)
          WHERE s.project_id = d.project_id AND s.day = v_day AND s.events = 0;
        END IF;

        IF p_metered THEN ${storing(METERED)}
        ELSE ${storing('')}
        END IF;

        IF cardinality(array_remove(v_why, NULL)) > 0 THEN
          IF cardinality(k_request) > 0 THEN
            -- A refusal uses no key up; a batch that fitted in part keeps how far it went.
            DELETE FROM idempotency_records s USING unnest(k_request, k_key) AS k (request, key)
            WHERE s.api_key_id = r_key[k.request] AND s.key = k.key AND v_admitted[k.request] = 0
              AND v_why[k.request] <> 'known';
            UPDATE idempotency_records s
            SET answer = s.answer || jsonb_build_object('admitted', v_admitted[k.request], 'why', v_why[k.request])
            FROM unnest(k_request, k_key) AS k (request, key)
            WHERE s.api_key_id = r_key[k.request] AND s.key = k.key AND v_admitted[k.request] > 0
              AND v_why[k.request] IS NOT NULL;
          END IF;
          SELECT coalesce(verdicts, '[]') || coalesce(jsonb_agg(jsonb_build_object(
                   'request', w.n, 'admitted', v_admitted[w.n], 'why', w.why, 'status', v_status[r_day[w.n]],
                   'limit', v_monthly[r_day[w.n]], 'used', v_used[r_day[w.n]],
                   'requestLimit', v_request_limit[r_day[w.n]], 'requestsUsed', v_requests[r_day[w.n]])), '[]')
          INTO verdicts
          FROM unnest(v_why) WITH ORDINALITY AS w (why, n) WHERE w.why <> 'known';
        END IF;
      END $ingest$`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      DROP FUNCTION ingest_events(
        date, text[], text[], bigint[], bigint[], bigint[], uuid[], uuid[], uuid[], integer[], uuid[], integer[],
        timestamptz[], integer[], text[], bytea[], jsonb[], ingested_event[], boolean)`);
    await q.query('DROP TYPE ingested_event');
  }
}

const METERED = `metered AS (
          INSERT INTO usage_daily AS u (day, project_id, api_key_id, events_ingested)
          SELECT v_day, s.project_id, s.api_key_id, count(*) FROM stored s GROUP BY 2, 3 ORDER BY 2, 3
          ON CONFLICT ON CONSTRAINT uq_usage_daily_identity
          DO UPDATE SET events_ingested = u.events_ingested + excluded.events_ingested, updated_at = v_now
          RETURNING 1),
        `;

/** Stores the admitted events and counts what was stored; each count waits for the one before, so that rows lock in order. */
function storing(metered: string): string {
  return `
        WITH stored AS (
          INSERT INTO events AS v (project_id, "timestamp", id, source_id, api_key_id, event, source, severity, status,
            environment, message, external_event_id, properties, bytes, log_method, log_endpoint, log_status,
            log_latency_ms, log_has_latency, created_at)
          SELECT e.project_id, e."timestamp", e.id, e.source_id, e.api_key_id, e.event, e.source, e.severity, e.status,
                 e.environment, e.message, e.external_event_id, e.properties, e.bytes, e.log_method, e.log_endpoint,
                 e.log_status, e.log_latency_ms, e.log_has_latency, coalesce(r_accepted_at[e.request], v_now)
          FROM unnest(p_events) AS e
          WHERE e.position <= v_admitted[e.request]
          RETURNING v.project_id, v."timestamp", v.id, v.source_id, v.api_key_id, v.event, v.severity, v.status,
                    v.environment, v.log_status, v.log_latency_ms, v.log_has_latency,
                    date_trunc('hour', v."timestamp", 'UTC') AS hour),
        ${metered}hourly AS (
          INSERT INTO event_hours AS h (project_id, hour, events, errors)
          SELECT s.project_id, s.hour, count(*), count(*) FILTER (WHERE s.log_status >= 500)
          FROM stored s ${metered && 'WHERE (SELECT count(*) FROM metered) > 0'} GROUP BY 1, 2 ORDER BY 1, 2
          ON CONFLICT ON CONSTRAINT pk_event_hours
          DO UPDATE SET events = h.events + excluded.events, errors = h.errors + excluded.errors
          RETURNING 1),
        faceted AS (
          INSERT INTO event_facet_hours AS f
            (project_id, hour, event, source_id, severity, status, environment, events, errors)
          SELECT s.project_id, s.hour, s.event, s.source_id, s.severity, s.status, s.environment, count(*),
                 count(*) FILTER (WHERE s.log_status >= 500)
          FROM stored s WHERE (SELECT count(*) FROM hourly) > 0
          GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
          ON CONFLICT ON CONSTRAINT uq_event_facet_hours_identity
          DO UPDATE SET events = f.events + excluded.events, errors = f.errors + excluded.errors
          RETURNING 1),
        faceted_by_day AS (
          INSERT INTO event_facet_days AS f
            (project_id, day, event, source_id, severity, status, environment, events, errors)
          SELECT s.project_id, date_trunc('day', s.hour, 'UTC'), s.event, s.source_id, s.severity, s.status, s.environment,
                 count(*), count(*) FILTER (WHERE s.log_status >= 500)
          FROM stored s WHERE (SELECT count(*) FROM faceted) > 0
          GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
          ON CONFLICT ON CONSTRAINT uq_event_facet_days_identity
          DO UPDATE SET events = f.events + excluded.events, errors = f.errors + excluded.errors
          RETURNING 1),
        timed AS (
          INSERT INTO latency_hours AS t (project_id, hour, bucket, events)
          SELECT s.project_id, s.hour, latency_bucket(s.log_latency_ms), count(*)
          FROM stored s WHERE s.log_has_latency AND (SELECT count(*) FROM faceted_by_day) > 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
          ON CONFLICT ON CONSTRAINT pk_latency_hours DO UPDATE SET events = t.events + excluded.events)
        INSERT INTO event_outbox (project_id, event_ids, timestamps)
        SELECT s.project_id, array_agg(s.id ORDER BY s."timestamp", s.id),
               array_agg(s."timestamp" ORDER BY s."timestamp", s.id)
        FROM stored s WHERE s.project_id IN (SELECT w.project_id FROM event_watches w) GROUP BY 1 ORDER BY 1;`;
}
