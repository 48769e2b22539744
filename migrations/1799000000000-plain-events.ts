import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gives `ingest_events` a short way for one event that comes by itself: what makes many requests one transaction costs more than
 * storing one of them. What the function stores of an event is taken from what it is by now, so fields that have come to it stay.
 */
export class PlainEvents1799000000000 implements MigrationInterface {
  readonly name = 'PlainEvents1799000000000';

  async up(q: QueryRunner): Promise<void> {
    const before = await definitionOf(q);
    let after = before;
    for (const { place, more } of additions(before)) {
      if (after.split(place).length !== 2) throw new Error(`ingest_events does not say "${place}" once`);
      after = after.replace(place, () => `${more}${place}`);
    }
    await q.query(after);
  }

  async down(q: QueryRunner): Promise<void> {
    const after = await definitionOf(q);
    let before = after;
    for (const { more } of additions(after)) {
      if (!before.includes(more)) throw new Error(`ingest_events does not say "${more}"`);
      before = before.replace(more, '');
    }
    await q.query(before);
  }
}

async function definitionOf(q: QueryRunner): Promise<string> {
  const [found] = (await q.query(`
    SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
    WHERE proname = 'ingest_events' AND 'ingested_event[]'::regtype::oid = ANY (proargtypes)`)) as {
    definition: string;
  }[];
  if (found === undefined) throw new Error('there is no ingest_events that takes rows');
  return found.definition;
}

/** What comes in front of which places. */
function additions(definition: string): readonly { place: string; more: string }[] {
  const insert = /INSERT INTO events AS v [^]*?FROM unnest\(p_events\) AS e\n/.exec(definition)?.[0];
  if (insert === undefined) throw new Error('ingest_events stores no rows');
  return [
    { place: '        i integer;\n', more: VARIABLES },
    { place: `        SELECT array_agg(CASE\n                 WHEN f.gone THEN 'gone'`, more: plainEvent(insert) },
  ];
}

const VARIABLES = `        v_event ingested_event;
        v_hour timestamptz;
        v_error integer;
        v_most_of_month bigint;
        v_most_of_day bigint;
`;

/*
 * The same rows as for many, judged by the same facts. It is left for the long way, which judges anew and tells why, by whatever
 * does not pass, and by the first event of a source on a day, for which the source has to be held. Nothing is counted by then: the
 * limits are looked at in the statements that count, so that two who want the last place of them get it once.
 *
 * The counters have no order among them here. Whoever shares them shares the row of the month, which is held; a batch of
 * another month (events of a queue) may get in the way of one of this, and is then tried again.
 */
function plainEvent(insert: string): string {
  return `        IF cardinality(p_events) = 1 AND p_day IS NULL AND p_metered AND v_known IS NULL AND r_events = ARRAY[1] THEN
          v_event := p_events[1];
          SELECT coalesce(o.events_per_month_limit, p_monthly[l.plan]), p_daily[l.plan] INTO v_most_of_month, v_most_of_day
          FROM organizations o
          JOIN projects p
            ON p.id = d_project[1] AND p.organization_id = o.id AND p.deleted_at IS NULL AND p.archived_at IS NULL
          CROSS JOIN LATERAL (SELECT array_position(p_plans, o.plan) AS plan) l
          LEFT JOIN organization_months m ON m.organization_id = o.id AND m.month = v_month
          LEFT JOIN source_days s ON s.project_id = p.id AND s.source_id = d_source[1] AND s.day = v_day
          WHERE o.id = d_organization[1] AND o.billing_status = ANY (p_passing)
            AND (d_source[1] IS NULL OR s.day IS NOT NULL)
            AND coalesce(coalesce(m.events, 0) < coalesce(o.events_per_month_limit, p_monthly[l.plan]), true)
            AND coalesce(coalesce(m.requests, 0) < p_requests[l.plan], true)
            AND coalesce(p_daily[l.plan] > 0, true);
          IF FOUND THEN
            INSERT INTO organization_months AS m (organization_id, month, events) VALUES (d_organization[1], v_month, 1)
            ON CONFLICT ON CONSTRAINT pk_organization_months
            DO UPDATE SET events = m.events + 1 WHERE coalesce(m.events < v_most_of_month, true);
            IF FOUND THEN
              INSERT INTO source_days AS s (project_id, source_id, day, events, last_event_at)
              VALUES (v_event.project_id, v_event.source_id, v_day, 1, v_now)
              ON CONFLICT ON CONSTRAINT uq_source_days_identity
              DO UPDATE SET events = s.events + 1, last_event_at = greatest(s.last_event_at, excluded.last_event_at)
              WHERE coalesce(s.events < v_most_of_day, true);
              IF FOUND THEN
                v_hour := date_trunc('hour', v_event."timestamp", 'UTC');
                v_error := (v_event.log_status >= 500)::integer;
                WITH stored AS (
                  ${insert}),
                metered AS (
                  INSERT INTO usage_daily AS u (day, project_id, api_key_id, events_ingested)
                  VALUES (v_day, v_event.project_id, v_event.api_key_id, 1)
                  ON CONFLICT ON CONSTRAINT uq_usage_daily_identity
                  DO UPDATE SET events_ingested = u.events_ingested + 1, updated_at = v_now),
                hourly AS (
                  INSERT INTO event_hours AS h (project_id, hour, events, errors)
                  VALUES (v_event.project_id, v_hour, 1, v_error)
                  ON CONFLICT ON CONSTRAINT pk_event_hours
                  DO UPDATE SET events = h.events + 1, errors = h.errors + excluded.errors),
                faceted AS (
                  INSERT INTO event_facet_hours AS f
                    (project_id, hour, event, source_id, severity, status, environment, events, errors)
                  VALUES (v_event.project_id, v_hour, v_event.event, v_event.source_id, v_event.severity, v_event.status,
                    v_event.environment, 1, v_error)
                  ON CONFLICT ON CONSTRAINT uq_event_facet_hours_identity
                  DO UPDATE SET events = f.events + 1, errors = f.errors + excluded.errors),
                faceted_by_day AS (
                  INSERT INTO event_facet_days AS f
                    (project_id, day, event, source_id, severity, status, environment, events, errors)
                  VALUES (v_event.project_id, date_trunc('day', v_hour, 'UTC'), v_event.event, v_event.source_id,
                    v_event.severity, v_event.status, v_event.environment, 1, v_error)
                  ON CONFLICT ON CONSTRAINT uq_event_facet_days_identity
                  DO UPDATE SET events = f.events + 1, errors = f.errors + excluded.errors),
                timed AS (
                  INSERT INTO latency_hours AS t (project_id, hour, bucket, events)
                  SELECT v_event.project_id, v_hour, latency_bucket(v_event.log_latency_ms), 1 WHERE v_event.log_has_latency
                  ON CONFLICT ON CONSTRAINT pk_latency_hours DO UPDATE SET events = t.events + 1)
                INSERT INTO event_outbox (project_id, event_ids, timestamps)
                SELECT w.project_id, ARRAY[v_event.id], ARRAY[v_event."timestamp"] FROM event_watches w
                WHERE w.project_id = v_event.project_id;
                RETURN;
              END IF;
              UPDATE organization_months m SET events = m.events - 1
              WHERE m.organization_id = d_organization[1] AND m.month = v_month;
            END IF;
          END IF;
        END IF;

`;
}
