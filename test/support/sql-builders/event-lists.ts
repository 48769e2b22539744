import { sql } from './sql.js';

/** Counts events of a source in a UTC hour. Over HTTP each counted event is a request. */
export async function countedHour(of: {
  projectId: string;
  sourceId: string;
  at: Date;
  events: number;
  errors?: number;
  event?: string;
}): Promise<void> {
  await sql(
    `INSERT INTO event_facet_hours (project_id, hour, event, source_id, events, errors)
     VALUES ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3, $4, $5, $6)`,
    [of.projectId, of.at, of.event ?? 'a', of.sourceId, of.events, of.errors ?? 0],
  );
}

/** Records refusals of a key in a UTC hour. Over HTTP the hour is the current one, and each refusal is a request. */
export async function refusals(of: {
  projectId: string;
  sourceId: string;
  keyId: string;
  at: Date;
  count: number;
}): Promise<void> {
  await sql(
    `INSERT INTO ingestion_failures
       (api_key_id, hour, reason_code, status_code, project_id, source_id, occurred_at, count)
     VALUES ($1, date_trunc('hour', $2::timestamptz, 'UTC'), 'limit_exceeded', 403, $3, $4, $2, $5)`,
    [of.keyId, of.at, of.projectId, of.sourceId, of.count],
  );
}

/** Deletes the refusals of a source. Over HTTP they remain until maintenance removes old ones. */
export async function deleteRefusals(sourceId: string): Promise<void> {
  await sql('DELETE FROM ingestion_failures WHERE source_id = $1', [sourceId]);
}

/** Stores uncounted events of 100,000 bytes each, one a second until now. Over HTTP each takes a request. */
export async function insertLargeEvents(projectId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                         log_latency_ms, created_at)
     SELECT $1, now() - n * interval '1 second', gen_random_uuid(), 'big', 's',
            jsonb_build_object('filler', repeat('x', 100000)), 'GET', '/', 200, 0, now()
     FROM generate_series(1, $2::int) n`,
    [projectId, count],
  );
}

/** Returns the metered usage of a project, one row for each day and key. Routes show sums without keys and requests. */
export async function meteredUsage(
  projectId: string,
): Promise<{ api_key_id: string | null; requests: number; events: number }[]> {
  return sql(
    `SELECT api_key_id, requests::int AS requests, events_ingested::int AS events FROM usage_daily
     WHERE project_id = $1 ORDER BY day, api_key_id`,
    [projectId],
  );
}

/**
 * Sets the number of events that an organization may ingest in a month. Over HTTP that takes a platform administrator.
 */
export async function setMonthlyEventLimit(organizationId: string, limit: number): Promise<void> {
  await sql('UPDATE organizations SET events_per_month_limit = $2 WHERE id = $1', [organizationId, limit]);
}

/** Blocks an organization, as billing enforcement does. Over HTTP that takes a payment provider. */
export async function blockByBilling(organizationId: string): Promise<void> {
  await sql(`UPDATE organizations SET billing_status = 'blocked' WHERE id = $1`, [organizationId]);
}
