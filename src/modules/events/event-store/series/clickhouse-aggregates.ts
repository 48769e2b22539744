import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { type Aggregate, countsEvents, quantileOf } from './aggregates.js';
import { clickHouseDigits, clickHouseKeyed, keptKeySql, plainDigits } from '../aggregation/clickhouse-keys.js';

/** SQL that groups events in ClickHouse, and converts the groups into rows of PostgreSQL. */
export interface ClickHouseAggregation {
  /** The selected columns of the rows `e`. */
  readonly columns: string;
  /** The columns that are part of GROUP BY. */
  readonly grouped: readonly string[];
  /** The columns of the groups, under the names of {@link taken}. */
  readonly aggregated: string;
  /** The types in PostgreSQL by column name. */
  readonly taken: Readonly<Record<string, string>>;
  /** The expressions in PostgreSQL that return the columns of `Aggregation.aggregated`. */
  readonly kept: string;
  /** SQL for the value of the field. Null without a field. */
  readonly read: { readonly value: string } | null;
  /** True for an event `e` with a number that ClickHouse cannot add exactly. */
  readonly inexact: string;
}

/**
 * Sums have 38 decimals and 38 digits before them. A double has at most 17 digits, so all numbers from 1e-20 up are
 * represented exactly.
 */
const DECIMALS = 38;
const LEAST_EXACT = '1e-20';
/** Up to this number, a hundred million numbers can be added without overflow. */
const MOST_EXACT = '1e30';

export function clickHouseAggregationOf(
  aggregate: Aggregate,
  field: string | undefined,
  bind: BindValue,
): ClickHouseAggregation {
  const plain = { grouped: [], read: null, inexact: 'false' };
  if (field === undefined || countsEvents(aggregate)) {
    return {
      ...plain,
      columns: 'count() AS events, countIf(e.log_status >= 500) AS errors',
      aggregated: 'events, errors',
      taken: { events: 'bigint', errors: 'bigint' },
      kept: 'events, errors',
    };
  }
  if (aggregate === 'unique') {
    const keyed = clickHouseKeyed(field, bind, plainDigits);
    return {
      ...plain,
      columns: `${keyed.value} AS measured`,
      grouped: ['measured'],
      aggregated: `${keyed.key('measured')} AS seen`,
      taken: { seen: 'text' },
      kept: `${keptKeySql('seen')} AS seen`,
      read: keyed,
    };
  }
  const read = clickHouseDigits(field, bind);
  const ofNumbers = { ...plain, read };
  if (quantileOf(aggregate) !== undefined) {
    return {
      ...ofNumbers,
      columns: `${read.digits} AS number, count() AS times`,
      grouped: ['number'],
      aggregated: 'number, times',
      taken: { number: 'numeric', times: 'bigint' },
      kept: 'number, times',
    };
  }
  const double = `toFloat64OrNull(${read.digits})`;
  if (aggregate === 'min' || aggregate === 'max') {
    const name = aggregate === 'min' ? 'least' : 'most';
    return {
      ...ofNumbers,
      columns: `${aggregate}(${double}) AS found`,
      aggregated: `toString(found) AS ${name}`,
      taken: { [name]: 'numeric' },
      kept: name,
    };
  }
  // The decimals of the longest number determine the decimals of the average.
  const fraction = `length(extract(assumeNotNull(${read.digits}), '\\\\.([0-9]+)'))`;
  const exponent = `toInt32OrZero(extract(assumeNotNull(${read.digits}), 'e(-?[0-9]+)'))`;
  return {
    ...ofNumbers,
    columns: `sum(toDecimal256OrNull(${read.digits}, ${DECIMALS})) AS added, count(${read.digits}) AS numbers,
      maxIf(toInt32(${fraction}) - ${exponent}, isNotNull(${read.digits})) AS decimals`,
    aggregated: 'toString(added) AS total, greatest(decimals, 0) AS scale, numbers',
    taken: { total: 'numeric', scale: 'int', numbers: 'bigint' },
    kept: 'round(total, scale) AS total, numbers',
    inexact: `ifNull(${double} != 0 AND NOT (abs(${double}) BETWEEN ${LEAST_EXACT} AND ${MOST_EXACT}), false)`,
  };
}
