import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { type Aggregate, countsEvents, quantileOf } from './aggregates.js';
import { copiedDigits, copiedKeyed, keptKeySql, plainDigits } from '../questions/copied-keys.js';

/** How ClickHouse gathers events by bucket and value, and how PostgreSQL takes what was gathered for rows of its own. */
export interface CopiedGathering {
  /** Of the rows `e`. */
  readonly columns: string;
  /** Those of the columns that events are told apart by. */
  readonly grouped: readonly string[];
  /** Of what was gathered, under the names of {@link taken}. */
  readonly gathered: string;
  /** Types in PostgreSQL by name. */
  readonly taken: Readonly<Record<string, string>>;
  /** Of these in PostgreSQL: as `Gathering.gathered` has them. */
  readonly kept: string;
  /** What the field holds; null without one. */
  readonly read: { readonly value: string } | null;
  /** Whether an event `e` has a number that is not added up exactly. */
  readonly inexact: string;
}

/** Decimals of sums, as many as there are digits before them, and the least number that has no others: a double has 17 digits at most. */
const DECIMALS = 38;
const LEAST_EXACT = '1e-20';
/** A hundred million of these are added up. */
const MOST_EXACT = '1e30';

export function copiedGatheringOf(aggregate: Aggregate, field: string | undefined, bind: BindValue): CopiedGathering {
  const plain = { grouped: [], read: null, inexact: 'false' };
  if (field === undefined || countsEvents(aggregate)) {
    return {
      ...plain,
      columns: 'count() AS events, countIf(e.log_status >= 500) AS errors',
      gathered: 'events, errors',
      taken: { events: 'bigint', errors: 'bigint' },
      kept: 'events, errors',
    };
  }
  if (aggregate === 'unique') {
    const keyed = copiedKeyed(field, bind, plainDigits);
    return {
      ...plain,
      columns: `${keyed.value} AS measured`,
      grouped: ['measured'],
      gathered: `${keyed.key('measured')} AS seen`,
      taken: { seen: 'text' },
      kept: `${keptKeySql('seen')} AS seen`,
      read: keyed,
    };
  }
  const read = copiedDigits(field, bind);
  const ofNumbers = { ...plain, read };
  if (quantileOf(aggregate) !== undefined) {
    return {
      ...ofNumbers,
      columns: `${read.digits} AS number, count() AS times`,
      grouped: ['number'],
      gathered: 'number, times',
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
      gathered: `toString(found) AS ${name}`,
      taken: { [name]: 'numeric' },
      kept: name,
    };
  }
  // An average is as precise as the longest of its numbers.
  const fraction = `length(extract(assumeNotNull(${read.digits}), '\\\\.([0-9]+)'))`;
  const exponent = `toInt32OrZero(extract(assumeNotNull(${read.digits}), 'e(-?[0-9]+)'))`;
  return {
    ...ofNumbers,
    columns: `sum(toDecimal256OrNull(${read.digits}, ${DECIMALS})) AS added, count(${read.digits}) AS numbers,
      maxIf(toInt32(${fraction}) - ${exponent}, isNotNull(${read.digits})) AS decimals`,
    gathered: 'toString(added) AS total, greatest(decimals, 0) AS scale, numbers',
    taken: { total: 'numeric', scale: 'int', numbers: 'bigint' },
    kept: 'round(total, scale) AS total, numbers',
    inexact: `ifNull(${double} != 0 AND NOT (abs(${double}) BETWEEN ${LEAST_EXACT} AND ${MOST_EXACT}), false)`,
  };
}
