import type { Bind } from '../../../../platform/database/parameters.js';
import { keyedSql, numericSql } from '../aggregation/keys.js';

export const AGGREGATES = [
  'count',
  'errors',
  'error_rate',
  'unique',
  'sum',
  'avg',
  'min',
  'max',
  'p50',
  'p95',
  'p99',
] as const;
export type Aggregate = (typeof AGGREGATES)[number];

const COUNTING: readonly Aggregate[] = ['count', 'errors', 'error_rate'];
const ADDING: readonly Aggregate[] = ['count', 'errors', 'sum'];
const ZERO_WITHOUT_EVENTS: readonly Aggregate[] = ['count', 'errors', 'error_rate', 'sum', 'unique'];
const QUANTILES: Readonly<Partial<Record<Aggregate, number>>> = { p50: 0.5, p95: 0.95, p99: 0.99 };

/** True for aggregates that count events and need no field. */
export function countsEvents(aggregate: Aggregate): boolean {
  return COUNTING.includes(aggregate);
}

/** True when the sum of the parts is the value of the whole. */
export function addsUp(aggregate: Aggregate): boolean {
  return ADDING.includes(aggregate);
}

/** The quantile of a percentile, between 0 and 1. Undefined for other aggregates. */
export function quantileOf(aggregate: Aggregate): number | undefined {
  return QUANTILES[aggregate];
}

export function withoutEvents(aggregate: Aggregate): number | null {
  return ZERO_WITHOUT_EVENTS.includes(aggregate) ? 0 : null;
}

/** SQL that groups events by bucket and value, and aggregates the groups. */
export interface Aggregation {
  /** The selected columns of the events. */
  readonly columns: string;
  /**
   * Says which events of a bucket and value become one row: `all` when the columns are aggregates, `equal` for events
   * with equal columns, or `none`.
   */
  readonly merges: 'all' | 'equal' | 'none';
  /** The columns of the grouped rows. */
  readonly aggregated: string;
  /** The aggregate over these columns. Its type is numeric or float8. */
  readonly value: string;
}

/** Returns the aggregate over counted rows with the columns `events` and `errors`. */
export function countedValue(aggregate: Aggregate): string {
  if (aggregate === 'errors') return 'sum(errors)';
  return aggregate === 'error_rate' ? 'sum(errors)::float8 / nullif(sum(events), 0)::float8' : 'sum(events)';
}

/** @param isWeighed true when a row may stand for several equal numbers, counted in `times` */
export function aggregationOf(
  aggregate: Aggregate,
  field: string | undefined,
  bind: Bind,
  isWeighed = false,
): Aggregation {
  if (field === undefined) {
    return {
      columns: 'count(*) AS events, count(*) FILTER (WHERE e.log_status >= 500) AS errors',
      merges: 'all',
      aggregated: 'events, errors',
      value: countedValue(aggregate),
    };
  }
  if (aggregate === 'unique') {
    const { value, key } = keyedSql(field, bind);
    return {
      columns: `${value} AS measured`,
      merges: 'equal',
      aggregated: `${key('measured')} AS seen`,
      value: "count(DISTINCT nullif(seen, ''))",
    };
  }
  const number = numericSql(field, bind);
  const quantile = QUANTILES[aggregate];
  if (quantile !== undefined) {
    if (isWeighed) {
      const columns = `${number} AS number`;
      return { columns, merges: 'none', aggregated: 'number, 1::bigint AS times', value: weighedQuantile(quantile) };
    }
    const value = `percentile_disc(${quantile}) WITHIN GROUP (ORDER BY number)`;
    return { columns: `${number} AS number`, merges: 'none', aggregated: 'number', value };
  }
  return { merges: 'all', ...ofNumbers(aggregate, number) };
}

/** Computes the quantile by nearest rank, like `percentile_disc`, where each `number` occurs `times` times. */
function weighedQuantile(quantile: number): string {
  return `(SELECT min(one) FROM (
      SELECT one, sum(n) OVER (ORDER BY one) AS up_to, sum(n) OVER () AS of_all
      FROM unnest(array_agg(number), array_agg(times)) AS u (one, n) WHERE one IS NOT NULL) ranked
    WHERE up_to >= ceil(${quantile}::float8 * of_all::float8))`;
}

function ofNumbers(aggregate: Aggregate, number: string): Pick<Aggregation, 'columns' | 'aggregated' | 'value'> {
  switch (aggregate) {
    case 'min':
      return { columns: `min(${number}) AS least`, aggregated: 'least', value: 'min(least)' };
    case 'max':
      return { columns: `max(${number}) AS most`, aggregated: 'most', value: 'max(most)' };
    default:
      return {
        columns: `sum(${number}) AS total, count(${number}) AS numbers`,
        aggregated: 'total, numbers',
        value: aggregate === 'avg' ? 'sum(total) / nullif(sum(numbers), 0)' : 'coalesce(sum(total), 0)',
      };
  }
}
