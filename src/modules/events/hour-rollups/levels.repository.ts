import { EXACT_UP_TO } from './figures.repository.js';

/**
 * A latency as percentiles are told of: of many events the middle of its bucket, also where it is known as it is, so that
 * answers do not depend on what they were read from.
 * @param measured how many events are told of together
 */
export function shownLatencySql(measured: string, latency: string): string {
  return `CASE WHEN ${measured} <= ${EXACT_UP_TO} THEN ${latency} ELSE latency_middle(latency_bucket(${latency})) END`;
}

/**
 * A percentile by nearest rank, as an aggregate of a relation with `value`, `up_to` (how many events have it or less) and
 * `measured` (how many there are).
 * @param quantile between 0 and 1
 */
export function nearestRankSql(quantile: number): string {
  return `min(value) FILTER (WHERE up_to >= ceil(${quantile}::float8 * measured::float8))`;
}
