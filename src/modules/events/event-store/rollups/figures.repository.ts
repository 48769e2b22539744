import { MOST_KEPT_STATUSES } from './rollup-limits.js';

/** Method and endpoint pairs that have a place of their own in an hour; all others are one item (DECISIONS 15). */
export const MOST_PAIRS = 1_000;
/** The place of the item that holds all of an hour or a day. */
export const WHOLE = -1;
/** Up to so many measured events latencies are kept as they are. */
export const EXACT_UP_TO = 5_000;

/** The columns of figures beside their names and the number of requests, as the tables of rollups have them. */
export const FIGURE_COLUMNS = `client_errors, errors, measured, fast, slow, latency_sum, latency_min, latency_max,
  last_failed_at, last_error_at, latencies, counts, failed_counts, statuses, status_counts`;

/**
 * Relations of a statement that has one named `looked` of events: `part`, `method`, `endpoint`, `status`, `latency` (null:
 * none was measured), `at`, and `n` where a row stands for so many that are alike but for the time, of which it has the last. The last of them, `figured`, has for each part and `place` what its requests add up to:
 * `method`, `endpoint`, `requests` and the {@link FIGURE_COLUMNS}. None joins another: nobody can estimate how large they are.
 * @param levels the whole of each part, or the whole and its pairs
 */
export function figuresSql(levels: 'whole' | 'both'): string {
  const pairs = `SELECT part, least(pair, ${MOST_PAIRS}) AS place, CASE WHEN pair < ${MOST_PAIRS} THEN method END AS method,
             CASE WHEN pair < ${MOST_PAIRS} THEN endpoint END AS endpoint, status, latency, n, newest FROM paired`;
  const whole = `SELECT part, ${WHOLE} AS place, NULL::text AS method, NULL::text AS endpoint, status, latency, n, newest FROM grouped`;
  const placed = { whole, both: `${pairs} UNION ALL ${whole}` };
  return `grouped AS MATERIALIZED (
      SELECT part, method, endpoint, status, latency, sum(n)::int AS n, max(at) AS newest FROM looked GROUP BY 1, 2, 3, 4, 5),
    ${levels === 'whole' ? '' : PAIRED}
    leveled AS (
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
      FROM leveled GROUP BY 1, 2, 3, 4),
    ${roundedSql('part, place, method, endpoint, requests')}`;
}

/** Pairs of each part, numbered from the one with the most requests on. */
const PAIRED = `paired AS MATERIALIZED (
      SELECT part, (dense_rank() OVER (
               PARTITION BY part ORDER BY of_pair DESC, endpoint COLLATE "C", method COLLATE "C") - 1)::int AS pair,
             method, endpoint, status, latency, n, newest
      FROM (SELECT *, sum(n) OVER (PARTITION BY part, method, endpoint) AS of_pair FROM grouped) counted),`;

/** The relation `figured` of one named `summed`, with latencies and statuses as they are kept. */
export function roundedSql(names: string): string {
  const figures = `client_errors, errors, measured, fast, slow, latency_sum, latency_min, latency_max, last_failed_at, last_error_at`;
  const statuses = `${keptStatusesSql('status')} AS statuses, ${keptStatusesSql('n')} AS status_counts`;
  return `figured AS (
      SELECT ${names}, ${figures}, coalesce(latencies, '{}') AS latencies, coalesce(counts, '{}') AS counts,
             CASE WHEN has_failed THEN failed_counts END AS failed_counts, ${statuses}
      FROM summed WHERE measured <= ${EXACT_UP_TO}
      UNION ALL
      SELECT ${names}, ${figures}, r.latencies, r.counts, CASE WHEN has_failed THEN r.failed_counts END, ${statuses}
      FROM summed s CROSS JOIN LATERAL (
        SELECT array_agg(kept ORDER BY kept) AS latencies, array_agg(n ORDER BY kept) AS counts,
               array_agg(failed ORDER BY kept) AS failed_counts
        FROM (SELECT latency_middle(latency_bucket(l.latency)) AS kept, sum(l.n)::int AS n, sum(l.failed)::int AS failed
              FROM unnest(s.latencies, s.counts, s.failed_counts) AS l (latency, n, failed) GROUP BY 1) buckets) r
      WHERE measured > ${EXACT_UP_TO})`;
}

/** Of `statuses` and `status_counts`, which ascend by status, those that are kept. */
function keptStatusesSql(column: 'status' | 'n'): string {
  const all = { status: 'statuses', n: 'status_counts' }[column];
  return `coalesce(CASE WHEN cardinality(statuses) <= ${MOST_KEPT_STATUSES} THEN ${all} ELSE ARRAY(
        SELECT ${column} FROM (SELECT c.status, c.n FROM unnest(statuses, status_counts) AS c (status, n)
                               ORDER BY c.n DESC, c.status LIMIT ${MOST_KEPT_STATUSES}) most ORDER BY status) END, '{}')`;
}

/**
 * Relations of a statement that has one named `looked` of events: `part`, the beginning of an hour, `at`, `event`, `source`
 * (text; null: none), `status` and `latency`. The last of them, `series`, has for each hour the series of the project, the
 * event types and the sources, as `event_series_hours` has them.
 */
export const SERIES_SQL = `slotted AS (
      SELECT part, CASE WHEN grouping(event) = 0 THEN 'event' WHEN grouping(source) = 0 THEN 'source' ELSE 'project' END AS kind,
             CASE WHEN grouping(event) = 0 THEN event WHEN grouping(source) = 0 THEN source ELSE '' END AS value,
             slot, count(*)::int AS events, (count(*) FILTER (WHERE status >= 500))::int AS errors, count(latency)::int AS measured,
             coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY latency), -1) AS p95
      FROM (SELECT part, event, source, status, latency,
                   floor(extract(epoch FROM at - part) / 300)::smallint AS slot FROM looked) slots
      GROUP BY GROUPING SETS ((part, slot), (part, slot, event), (part, slot, source))),
    series AS (
      SELECT part, kind, value, array_agg(slot ORDER BY slot) AS slots, array_agg(events ORDER BY slot) AS events,
             array_agg(errors ORDER BY slot) AS errors, array_agg(measured ORDER BY slot) AS measured,
             array_agg(p95 ORDER BY slot) AS p95
      FROM slotted WHERE value IS NOT NULL GROUP BY 1, 2, 3)`;
