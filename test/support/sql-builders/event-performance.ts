import { type StoredRequest, storedRequests as requestsOf } from '../request-model.js';
import { sql } from './sql.js';

/** Makes the creation of an alert rule this many days older. No route moves the clock. */
export async function ageAlertRule(id: string, days: number): Promise<void> {
  await sql('UPDATE alert_rules SET created_at = created_at - make_interval(days => $2) WHERE id = $1', [id, days]);
}

/**
 * Returns the events of a project as requests, from which a test computes the expected answers of the routes. Routes
 * show only pages of them.
 */
export function storedRequests(projectId: string): Promise<StoredRequest[]> {
  return requestsOf({ rows: sql }, projectId);
}

/**
 * Stores equal requests without a latency, one per millisecond, and without counting them. Over HTTP these would be
 * thousands of requests.
 */
export async function insertEqualRequests(
  projectId: string,
  of: { count: number; from: Date; method: string; endpoint: string },
): Promise<void> {
  await sql(
    `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                         log_latency_ms, log_has_latency, created_at)
     SELECT $1, $2::timestamptz + n * interval '1 millisecond', gen_random_uuid(), 'e', 's', '{}', $3, $4, 200, 0, false,
            now() FROM generate_series(1, $5::int) n`,
    [projectId, of.from, of.method, of.endpoint, of.count],
  );
}

/**
 * Stores requests without counting them. Every second request fails, and three of four have a latency below 30 seconds.
 * Over HTTP these would be thousands of requests.
 */
export async function insertMeasuredRequests(
  projectId: string,
  of: { count: number; from: Date; everyMs: number },
): Promise<void> {
  await sql(
    `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                         log_latency_ms, log_has_latency, created_at)
     SELECT $1, $2::timestamptz + n * $3::int * interval '1 millisecond', gen_random_uuid(), 'e', 's', '{}', 'GET', '/',
            200 + (n % 2) * 300, (n::bigint * 7919) % 30000, n % 4 > 0, now() FROM generate_series(1, $4::int) n`,
    [projectId, of.from, of.everyMs, of.count],
  );
}

/** Deletes an event of a project and keeps its counters. No route deletes an event. */
export async function deleteEvent(projectId: string, id: string): Promise<void> {
  await sql('DELETE FROM events WHERE project_id = $1 AND id = $2', [projectId, id]);
}

/**
 * Counts the ended hours and days of a project that have no rollup over all of their events. No route shows the number.
 */
export async function dueRollups(projectId: string): Promise<number> {
  const rows = await sql(
    `SELECT h.hour FROM event_hours h LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour
     WHERE h.project_id = $1 AND h.hour <= now() - interval '1 hour 2 minutes' AND r.counted IS DISTINCT FROM h.events
     UNION ALL
     SELECT d.day FROM (SELECT date_trunc('day', hour, 'UTC') AS day, sum(events) AS events FROM event_hours
                        WHERE project_id = $1 GROUP BY 1) d
     LEFT JOIN day_rollups s ON s.project_id = $1 AND s.day = d.day
     WHERE d.day <= now() - interval '1 day 2 minutes' AND s.counted IS DISTINCT FROM d.events`,
    [projectId],
  );
  return rows.length;
}

/**
 * Deletes the rollups of an hour and of all days of a project, so that reads use the events. No route deletes rollups.
 */
export async function deleteRollups(projectId: string, hour: string): Promise<void> {
  await sql('DELETE FROM hour_rollups WHERE project_id = $1 AND hour = $2', [projectId, hour]);
  await sql('DELETE FROM day_rollups WHERE project_id = $1', [projectId]);
}

/** Counts the day rollups of a project. No route shows the number. */
export async function rolledUpDays(projectId: string): Promise<number> {
  return (await sql('SELECT 1 FROM day_rollups WHERE project_id = $1', [projectId])).length;
}

/**
 * Returns the largest values in the hour rollups of a project: the characters of an endpoint and the number of
 * statuses. No route shows them.
 */
export async function largestRollups(
  projectId: string,
): Promise<{ characters: number | null; statuses: number | null }> {
  const [largest] = await sql<{ characters: number | null; statuses: number | null }>(
    `SELECT max(length(endpoint)) AS characters, max(cardinality(statuses)) AS statuses FROM endpoint_hours
     WHERE project_id = $1`,
    [projectId],
  );
  return largest!;
}
