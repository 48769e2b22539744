import { EXACT_UP_TO } from './request-stats.repository.js';

/** The key that latencies are grouped by, and the aggregates of each key. */
interface Quantiles {
  /** An integer column of the lists: a pair or a bucket. */
  readonly key: string;
  /**
   * Aggregates with their names. They can use {@link nearestRankSql} and the columns `value`, `n`, `failed`, `up_to`
   * and `k.measured`.
   */
  readonly aggregates: readonly string[];
}

type Counts = 'int' | 'bigint';

/**
 * Returns a percentile by nearest rank, as an aggregate of a relation with `value` and `up_to` (the number of events
 * with this value or less). `k.measured` is the number of all events.
 * @param quantile between 0 and 1
 */
export function nearestRankSql(quantile: number): string {
  return `min(value) FILTER (WHERE up_to >= ceil(${quantile}::float8 * k.measured))`;
}

/** Returns SQL for a number that groups up to 128 days or hours. Parts are first aggregated within such a group. */
export function chunkSql(part: string, length: 'hour' | 'day'): string {
  return `(extract(epoch FROM ${part}) / ${128 * (length === 'day' ? 86_400 : 3_600)})::int AS chunk`;
}

/**
 * Returns relations for a statement that has a relation `<name>_lists` of stored latencies: the key, `measured`
 * (float8, the number of events with a latency), `chunk`, `latencies`, `counts` and `failed_counts` (or null). The last
 * relation, `name`, has the aggregates of each key.
 * Keys with few events use exact latencies. Keys with many use the middles of buckets, even where exact latencies are
 * known, so that answers do not depend on the source. Each key is aggregated separately, because all latencies together
 * are too many and the planner cannot estimate their number. Buckets are built chunk by chunk, so that no list grows
 * with the length of the window.
 */
export function quantilesSql(name: string, { key, aggregates }: Quantiles): string {
  // Sorted by key, so that only the lists of one key are in memory. A hash aggregate would hold the lists of all keys.
  const lists = `array_agg(ROW(latencies, counts, failed_counts) ORDER BY chunk) AS lists`;
  return `${name}_pieces AS MATERIALIZED (
         SELECT p.${key}, p.measured, p.chunk, m.latencies, m.counts, m.failed_counts
         FROM (SELECT ${key}, measured, chunk, ${lists} FROM ${name}_lists WHERE measured > ${EXACT_UP_TO} GROUP BY 1, 2, 3) p
         CROSS JOIN LATERAL (
           SELECT array_agg(value) AS latencies, array_agg(n) AS counts, array_agg(failed) AS failed_counts
           FROM (SELECT latency_middle(latency_bucket(value)) AS value, sum(n)::bigint AS n, sum(failed)::bigint AS failed
                 FROM (SELECT value, sum(n) AS n, coalesce(sum(failed), 0) AS failed FROM ${listedSql('p.lists', 'int')} GROUP BY 1) latency_sketch
                 GROUP BY 1) middles) m),
       ${name} AS MATERIALIZED (
         SELECT ${key}, t.* FROM (SELECT ${key}, measured, ${lists} FROM ${name}_lists WHERE measured <= ${EXACT_UP_TO} GROUP BY 1, 2) k
         CROSS JOIN LATERAL (SELECT ${aggregates.join(', ')} FROM ${weighedSql('int')}) t
         UNION ALL
         SELECT ${key}, t.* FROM (SELECT ${key}, measured, ${lists} FROM ${name}_pieces GROUP BY 1, 2) k
         CROSS JOIN LATERAL (SELECT ${aggregates.join(', ')} FROM ${weighedSql('bigint')}) t)`;
}

/** Returns the latencies of one key with their counts, and `up_to`: the number of events with this latency or less. */
function weighedSql(counts: Counts): string {
  return `(SELECT value, n, failed, sum(n) OVER (ORDER BY value) AS up_to
                 FROM (SELECT value, n::float8, coalesce(failed, 0)::float8 AS failed FROM ${listedSql('k.lists', counts)}) counted) weighed`;
}

function listedSql(lists: string, counts: Counts): string {
  return `(SELECT unnest(l.latencies) AS value, unnest(l.counts) AS n, unnest(l.failed_counts) AS failed
                       FROM unnest(${lists}) AS l (latencies int[], counts ${counts}[], failed_counts ${counts}[])) listed`;
}
