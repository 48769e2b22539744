import { MOST_KEPT_STATUSES } from './rollup-limits.js';

/** An hour keeps this many pairs of method and endpoint. All further pairs are combined into one item. */
export const MOST_PAIRS = 1_000;
/** The value of `place` for the item that holds all requests of an hour or a day. */
export const WHOLE = -1;
/** Up to this many measured events, latencies are stored exactly. Beyond, they are stored in buckets. */
export const EXACT_UP_TO = 5_000;

/** The columns of the rollup tables without names and the number of requests. */
export const STATS_COLUMNS = `client_errors, errors, measured, fast, slow, latency_sum, latency_min, latency_max,
  last_failed_at, last_error_at, latencies, counts, failed_counts, statuses, status_counts`;

/**
 * Returns relations for a statement that has a relation `raw_requests` of events. Its columns are `part`, `method`,
 * `endpoint`, `status`, `latency` (null when none was measured), `at` and `n`. A row stands for `n` events that only
 * differ in their time, and has the newest time. The last relation, `stats`, has the statistics of each part and
 * `place`: `method`, `endpoint`, `requests` and the {@link STATS_COLUMNS}. None of the relations uses a join, because
 * the planner cannot estimate their sizes.
 * @param levels the whole of each part, or the whole and its pairs
 */
export function statsSql(levels: 'whole' | 'both'): string {
  const pairs = `SELECT part, least(pair, ${MOST_PAIRS}) AS place, CASE WHEN pair < ${MOST_PAIRS} THEN method END AS method,
             CASE WHEN pair < ${MOST_PAIRS} THEN endpoint END AS endpoint, status, latency, n, newest FROM paired`;
  const whole = `SELECT part, ${WHOLE} AS place, NULL::text AS method, NULL::text AS endpoint, status, latency, n, newest FROM grouped`;
  const placed = { whole, both: `${pairs} UNION ALL ${whole}` };
  return `grouped AS MATERIALIZED (
      SELECT part, method, endpoint, status, latency, sum(n)::int AS n, max(at) AS newest FROM raw_requests GROUP BY 1, 2, 3, 4, 5),
    ${levels === 'whole' ? '' : PAIRED}
    by_value AS (
      SELECT part, place, method, endpoint, status, latency, sum(n) AS n, sum(failed_ones) AS failed, max(newest) AS newest
      FROM (SELECT *, CASE WHEN status >= 500 THEN n ELSE 0 END AS failed_ones FROM (${placed[levels]}) placed) weighed
      GROUP BY GROUPING SETS ((part, place, method, endpoint, status), (part, place, method, endpoint, latency))),
    summed AS MATERIALIZED (
      SELECT part, place, method, endpoint, sum(n) FILTER (WHERE status IS NOT NULL) AS requests,
             coalesce(sum(n) FILTER (WHERE status BETWEEN 400 AND 499), 0) AS client_errors,
             coalesce(sum(n) FILTER (WHERE status >= 500), 0) AS errors,
             coalesce(sum(n) FILTER (WHERE latency IS NOT NULL), 0) AS measured,
             coalesce(sum(n) FILTER (WHERE latency < 100), 0) AS fast,
             coalesce(sum(n) FILTER (WHERE latency >= 100 AND latency < 300), 0) AS slow,
             coalesce(sum(n::bigint * latency), 0) AS latency_sum, min(latency) AS latency_min, max(latency) AS latency_max,
             max(newest) FILTER (WHERE status >= 400) AS last_failed_at,
             max(newest) FILTER (WHERE status >= 500) AS last_error_at,
             array_agg(latency ORDER BY latency) FILTER (WHERE latency IS NOT NULL) AS latencies,
             array_agg(n::int ORDER BY latency) FILTER (WHERE latency IS NOT NULL) AS counts,
             array_agg(failed::int ORDER BY latency) FILTER (WHERE latency IS NOT NULL) AS failed_counts,
             sum(failed) FILTER (WHERE latency IS NOT NULL) > 0 AS has_failed,
             array_agg(status ORDER BY status) FILTER (WHERE status >= 400) AS statuses,
             array_agg(n::int ORDER BY status) FILTER (WHERE status >= 400) AS status_counts
      FROM by_value GROUP BY 1, 2, 3, 4),
    ${roundedSql('part, place, method, endpoint, requests')}`;
}

/** The pairs of each part, numbered by requests in descending order. */
const PAIRED = `paired AS MATERIALIZED (
      SELECT part, (dense_rank() OVER (
               PARTITION BY part ORDER BY of_pair DESC, endpoint COLLATE "C", method COLLATE "C") - 1)::int AS pair,
             method, endpoint, status, latency, n, newest
      FROM (SELECT *, sum(n) OVER (PARTITION BY part, method, endpoint) AS of_pair FROM grouped) counted),`;

/** Returns the relation `stats` for a relation `summed`, with latencies and statuses in their stored form. */
export function roundedSql(names: string): string {
  const stats = `client_errors, errors, measured, fast, slow, latency_sum, latency_min, latency_max, last_failed_at, last_error_at`;
  const statuses = `${keptStatusesSql('status')} AS statuses, ${keptStatusesSql('n')} AS status_counts`;
  return `stats AS (
      SELECT ${names}, ${stats}, coalesce(latencies, '{}') AS latencies, coalesce(counts, '{}') AS counts,
             CASE WHEN has_failed THEN failed_counts END AS failed_counts, ${statuses}
      FROM summed WHERE measured <= ${EXACT_UP_TO}
      UNION ALL
      SELECT ${names}, ${stats}, r.latencies, r.counts, CASE WHEN has_failed THEN r.failed_counts END, ${statuses}
      FROM summed s CROSS JOIN LATERAL (
        SELECT array_agg(kept ORDER BY kept) AS latencies, array_agg(n ORDER BY kept) AS counts,
               array_agg(failed ORDER BY kept) AS failed_counts
        FROM (SELECT latency_middle(latency_bucket(l.latency)) AS kept, sum(l.n)::int AS n, sum(l.failed)::int AS failed
              FROM unnest(s.latencies, s.counts, s.failed_counts) AS l (latency, n, failed) GROUP BY 1) buckets) r
      WHERE measured > ${EXACT_UP_TO})`;
}

/** Returns SQL for the statuses or counts that are kept. Both lists are ascending by status. */
function keptStatusesSql(column: 'status' | 'n'): string {
  const all = { status: 'statuses', n: 'status_counts' }[column];
  return `coalesce(CASE WHEN cardinality(statuses) <= ${MOST_KEPT_STATUSES} THEN ${all} ELSE ARRAY(
        SELECT ${column} FROM (SELECT c.status, c.n FROM unnest(statuses, status_counts) AS c (status, n)
                               ORDER BY c.n DESC, c.status LIMIT ${MOST_KEPT_STATUSES}) most ORDER BY status) END, '{}')`;
}

/**
 * Relations for a statement that has a relation `raw_requests` of events. Its columns are `part` (the start of an
 * hour), `at`, `event`, `source` (text, or null), `status` and `latency`. The last relation, `series`, has the series
 * of the project, the event types and the sources for each hour, in the form of `event_series_hours`.
 */
export const SERIES_SQL = `slotted AS (
      SELECT part, CASE WHEN grouping(event) = 0 THEN 'event' WHEN grouping(source) = 0 THEN 'source' ELSE 'project' END AS kind,
             CASE WHEN grouping(event) = 0 THEN event WHEN grouping(source) = 0 THEN source ELSE '' END AS value,
             slot, count(*)::int AS events, (count(*) FILTER (WHERE status >= 500))::int AS errors, count(latency)::int AS measured,
             coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY latency), -1) AS p95
      FROM (SELECT part, event, source, status, latency,
                   floor(extract(epoch FROM at - part) / 300)::smallint AS slot FROM raw_requests) slots
      GROUP BY GROUPING SETS ((part, slot), (part, slot, event), (part, slot, source))),
    series AS (
      SELECT part, kind, value, array_agg(slot ORDER BY slot) AS slots, array_agg(events ORDER BY slot) AS events,
             array_agg(errors ORDER BY slot) AS errors, array_agg(measured ORDER BY slot) AS measured,
             array_agg(p95 ORDER BY slot) AS p95
      FROM slotted WHERE value IS NOT NULL GROUP BY 1, 2, 3)`;
