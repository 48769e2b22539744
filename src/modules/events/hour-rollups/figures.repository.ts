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
 * none was measured) and `at`. The last of them, `figured`, has for each part and `place` what its requests add up to:
 * `method`, `endpoint`, `requests` and the {@link FIGURE_COLUMNS}.
 * @param levels the whole of each part, its pairs, or both
 */
export function figuresSql(levels: 'whole' | 'pairs' | 'both'): string {
  const pairs = `SELECT g.part, p.place, g.status, g.latency, g.n, g.newest FROM grouped g JOIN pairs p USING (part, method, endpoint)`;
  const whole = `SELECT part, ${WHOLE} AS place, status, latency, n, newest FROM grouped`;
  const placed = { whole, pairs, both: `${pairs} UNION ALL ${whole}` };
  return `grouped AS MATERIALIZED (
      SELECT part, method, endpoint, status, latency, count(*) AS n, max(at) AS newest FROM looked GROUP BY 1, 2, 3, 4, 5),
    pairs AS ${levels === 'whole' ? 'NOT MATERIALIZED' : 'MATERIALIZED'} (
      SELECT part, method, endpoint, least(${MOST_PAIRS}, row_number() OVER (
        PARTITION BY part ORDER BY sum(n) DESC, endpoint COLLATE "C", method COLLATE "C") - 1)::int AS place
      FROM grouped GROUP BY 1, 2, 3),
    placed AS MATERIALIZED (${placed[levels]}),
    ${SUMMED},
    figured AS (
      SELECT s.part, s.place, p.method, p.endpoint, s.requests, client_errors, errors, measured, fast, slow, latency_sum,
             latency_min, latency_max, last_failed_at, last_error_at, coalesce(latencies, '{}') AS latencies,
             coalesce(counts, '{}') AS counts, failed_counts, statuses, status_counts
      FROM summed s JOIN coded c USING (part, place) LEFT JOIN timed t USING (part, place)
      LEFT JOIN pairs p ON p.part = s.part AND p.place = s.place AND p.place < ${MOST_PAIRS}${levels === 'whole' ? ' AND false' : ''})`;
}

const SUMMED = `summed AS MATERIALIZED (
      SELECT part, place, sum(n) AS requests,
             coalesce(sum(n) FILTER (WHERE status BETWEEN 400 AND 499), 0) AS client_errors,
             coalesce(sum(n) FILTER (WHERE status >= 500), 0) AS errors,
             coalesce(sum(n) FILTER (WHERE latency IS NOT NULL), 0) AS measured,
             coalesce(sum(n) FILTER (WHERE latency < 100), 0) AS fast,
             coalesce(sum(n) FILTER (WHERE latency >= 100 AND latency < 300), 0) AS slow,
             coalesce(sum(n * latency), 0) AS latency_sum, min(latency) AS latency_min, max(latency) AS latency_max,
             max(newest) FILTER (WHERE status >= 400) AS last_failed_at,
             max(newest) FILTER (WHERE status >= 500) AS last_error_at
      FROM placed GROUP BY 1, 2),
    timed AS (
      SELECT part, place, array_agg(kept ORDER BY kept) AS latencies, array_agg(n ORDER BY kept) AS counts,
             CASE WHEN sum(failed) > 0 THEN array_agg(failed ORDER BY kept) END AS failed_counts
      FROM (SELECT part, place,
                   CASE WHEN s.measured <= ${EXACT_UP_TO} THEN latency ELSE latency_middle(latency_bucket(latency)) END AS kept,
                   sum(n)::int AS n, coalesce(sum(n) FILTER (WHERE status >= 500), 0)::int AS failed
            FROM placed JOIN summed s USING (part, place) WHERE latency IS NOT NULL GROUP BY 1, 2, 3) latencies
      GROUP BY 1, 2),
    coded AS (
      SELECT part, place, array_agg(status ORDER BY status) AS statuses, array_agg(n ORDER BY status) AS status_counts
      FROM (SELECT part, place, status, sum(n)::int AS n FROM placed GROUP BY 1, 2, 3) codes GROUP BY 1, 2)`;

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
