import { EXACT_UP_TO } from './figures.repository.js';

/** What latencies are told apart by, and what is told of them. */
interface Told {
  /** An integer column of the lists: a pair or a bucket. */
  readonly key: string;
  /** Aggregates of {@link nearestRankSql} and others of `value`, `n`, `failed`, `up_to` and `k.measured`, each with its name. */
  readonly aggregates: readonly string[];
}

type Counts = 'int' | 'bigint';

/**
 * A percentile by nearest rank, as an aggregate of a relation with `value` and `up_to` (how many events have it or less);
 * `k.measured` says how many there are.
 * @param quantile between 0 and 1
 */
export function nearestRankSql(quantile: number): string {
  return `min(value) FILTER (WHERE up_to >= ceil(${quantile}::float8 * k.measured))`;
}

/** A number by which parts are added up before all of them are: no more than 128 days or hours have one. */
export function chunkSql(part: string, length: 'hour' | 'day'): string {
  return `(extract(epoch FROM ${part}) / ${128 * (length === 'day' ? 86_400 : 3_600)})::int AS chunk`;
}

/**
 * Relations of a statement that has one named `<name>_lists` of latencies as rollups keep them: the key, `measured` (float8,
 * how many events the key has with a latency), `chunk`, `latencies`, `counts` and `failed_counts` (null: none). The last of
 * them, `name`, has what is told of each key that has latencies: of few as they are, of many middles of buckets, also where
 * they are known as they are, so that answers do not depend on what they were read from. Each key is added up by itself,
 * with latencies of its own alone: all together are too many, and nobody can estimate how many. So that no list grows with
 * the length of a window, what is shown as middles of buckets is made these piece by piece.
 */
export function toldSql(name: string, { key, aggregates }: Told): string {
  // In an order, so that the lists of one key are in memory at a time: those of all would be, were they found by hash.
  const lists = `array_agg(ROW(latencies, counts, failed_counts) ORDER BY chunk) AS lists`;
  return `${name}_pieces AS MATERIALIZED (
         SELECT p.${key}, p.measured, p.chunk, m.latencies, m.counts, m.failed_counts
         FROM (SELECT ${key}, measured, chunk, ${lists} FROM ${name}_lists WHERE measured > ${EXACT_UP_TO} GROUP BY 1, 2, 3) p
         CROSS JOIN LATERAL (
           SELECT array_agg(value) AS latencies, array_agg(n) AS counts, array_agg(failed) AS failed_counts
           FROM (SELECT latency_middle(latency_bucket(value)) AS value, sum(n)::bigint AS n, sum(failed)::bigint AS failed
                 FROM (SELECT value, sum(n) AS n, coalesce(sum(failed), 0) AS failed FROM ${listedSql('p.lists', 'int')} GROUP BY 1) levels
                 GROUP BY 1) middles) m),
       ${name} AS MATERIALIZED (
         SELECT ${key}, t.* FROM (SELECT ${key}, measured, ${lists} FROM ${name}_lists WHERE measured <= ${EXACT_UP_TO} GROUP BY 1, 2) k
         CROSS JOIN LATERAL (SELECT ${aggregates.join(', ')} FROM ${weighedSql('int')}) t
         UNION ALL
         SELECT ${key}, t.* FROM (SELECT ${key}, measured, ${lists} FROM ${name}_pieces GROUP BY 1, 2) k
         CROSS JOIN LATERAL (SELECT ${aggregates.join(', ')} FROM ${weighedSql('bigint')}) t)`;
}

/** Latencies of one key, each as often as there are lists with it, with how many have it or less. */
function weighedSql(counts: Counts): string {
  return `(SELECT value, n, failed, sum(n) OVER (ORDER BY value) AS up_to
                 FROM (SELECT value, n::float8, coalesce(failed, 0)::float8 AS failed FROM ${listedSql('k.lists', counts)}) counted) weighed`;
}

function listedSql(lists: string, counts: Counts): string {
  return `(SELECT unnest(l.latencies) AS value, unnest(l.counts) AS n, unnest(l.failed_counts) AS failed
                       FROM unnest(${lists}) AS l (latencies int[], counts ${counts}[], failed_counts ${counts}[])) listed`;
}
