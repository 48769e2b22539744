import { v7 as newId } from 'uuid';
import { sql } from './sql.js';

/** One row of `events`. Omitted fields get the smallest valid values. */
export interface EventRow {
  id?: string;
  timestamp: Date;
  event?: string;
  source?: string;
  external_event_id?: string | null;
  source_id?: string | null;
  severity?: string | null;
  status?: string | null;
  environment?: string | null;
  log_status?: number;
  /** Undefined: the event has no latency. */
  log_latency_ms?: number;
  log_method?: string;
  log_endpoint?: string;
  message?: string | null;
  properties?: Record<string, unknown>;
}

/**
 * Stores events of a project with given ids and times, without counting them. Ingestion chooses the id and the time of
 * acceptance itself, and thousands of events would take as many requests.
 */
export async function insertEvents(projectId: string, events: readonly EventRow[]): Promise<string[]> {
  const rows = events.map((event) => ({
    id: newId(),
    event: 'e',
    source: 's',
    log_status: 200,
    log_method: 'EVENT',
    log_endpoint: `/events/${event.event ?? 'e'}`,
    properties: {},
    ...event,
    log_has_latency: event.log_latency_ms !== undefined,
    log_latency_ms: event.log_latency_ms ?? 0,
    project_id: projectId,
    created_at: event.timestamp,
  }));
  await sql(
    `INSERT INTO events (project_id, "timestamp", id, source_id, event, source, severity, status, environment, message,
                         properties, log_method, log_endpoint, log_status, log_latency_ms, log_has_latency, created_at,
                         external_event_id)
     SELECT project_id, "timestamp", id, source_id, event, source, severity, status, environment, message,
            properties, log_method, log_endpoint, log_status, log_latency_ms, log_has_latency, created_at,
            external_event_id
     FROM jsonb_populate_recordset(NULL::events, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id }) => id);
}

/**
 * Counts the events of a project again, as ingestion counts them one by one. {@link insertEvents} does not count them.
 */
export async function countEvents(projectId: string): Promise<void> {
  for (const table of ['event_hours', 'event_facet_hours', 'event_facet_days', 'latency_hours', 'source_days']) {
    await sql(`DELETE FROM ${table} WHERE project_id = $1`, [projectId]);
  }
  await sql(
    `INSERT INTO event_hours (project_id, hour, events, errors)
     SELECT project_id, date_trunc('hour', "timestamp", 'UTC'), count(*), count(*) FILTER (WHERE log_status >= 500)
     FROM events WHERE project_id = $1 GROUP BY 1, 2`,
    [projectId],
  );
  await sql(
    `INSERT INTO event_facet_hours (project_id, hour, event, source_id, severity, status, environment, events, errors)
     SELECT project_id, date_trunc('hour', "timestamp", 'UTC'), event, source_id, severity, status, environment,
            count(*), count(*) FILTER (WHERE log_status >= 500)
     FROM events WHERE project_id = $1 GROUP BY 1, 2, 3, 4, 5, 6, 7`,
    [projectId],
  );
  await sql(
    `INSERT INTO event_facet_days (project_id, day, event, source_id, severity, status, environment, events, errors)
     SELECT project_id, date_trunc('day', "timestamp", 'UTC'), event, source_id, severity, status, environment,
            count(*), count(*) FILTER (WHERE log_status >= 500)
     FROM events WHERE project_id = $1 GROUP BY 1, 2, 3, 4, 5, 6, 7`,
    [projectId],
  );
  await sql(
    `INSERT INTO latency_hours (project_id, hour, bucket, events)
     SELECT project_id, date_trunc('hour', "timestamp", 'UTC'),
            CASE WHEN log_latency_ms < 1 THEN 0 ELSE ceil(ln(log_latency_ms::float8) / ln(1.02::float8)) END, count(*)
     FROM events WHERE project_id = $1 AND log_has_latency GROUP BY 1, 2, 3`,
    [projectId],
  );
  await sql(
    `INSERT INTO source_days (project_id, source_id, day, events, last_event_at)
     SELECT project_id, source_id, (created_at AT TIME ZONE 'UTC')::date, count(*), max(created_at)
     FROM events WHERE project_id = $1 GROUP BY 1, 2, 3`,
    [projectId],
  );
}
