import type { Schemas } from '@operational-events/client';
import type { MeasuredSeries } from '../../../api/alerting.js';
import { eqlOf } from '../filters/eql.js';
import { type FilterGroup, groupOf, Misspelt } from '../filters/filter.js';
import { type RuleDraft, takesField } from './draft.js';

/** A time window in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The series that show the number of a rule, and how their buckets become bars of the rule's window. */
export interface Measure {
  readonly series: MeasuredSeries;
  /** Buckets of the answer in one bar. */
  readonly perBar: number;
  readonly barSeconds: number;
  readonly fold: 'sum' | 'min' | 'max' | 'ratio';
  /** The threshold, where the bars can be compared with it. */
  readonly threshold: number | null;
}

export interface Bars {
  /** The starts of the bars, in Unix seconds. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
}

/** A window with more minutes is read by the hour: the service returns at most 1,500 buckets. */
const MOST_MINUTES = 1_440;
/** Bars of a rule without a window: about this many. */
const BARS = 96;
const BAR_SECONDS = [60, 300, 900, 3_600, 21_600];
const FOLDS: ReadonlyMap<RuleDraft['aggregate'], Measure['fold']> = new Map([
  ['count', 'sum'],
  ['sum', 'sum'],
  ['min', 'min'],
  ['max', 'max'],
  ['error_rate', 'ratio'],
]);

/**
 * @param group the values of the alert's group, which the events must have as well
 * @returns null when the draft is not complete
 */
export function measureOf(draft: RuleDraft, { from, to }: Span, group: FilterGroup = {}): Measure | null {
  const { kind } = draft;
  const takes = kind === 'threshold' || kind === 'rate_of_change';
  const aggregate = takes ? draft.aggregate : 'count';
  const aggregate_field = takes && takesField(aggregate) ? draft.aggregateField.trim() : undefined;
  if (aggregate_field === '') return null;
  let where: string | undefined;
  try {
    // A filter of findings has no meaning for events.
    where = eqlOf({ all: [kind === 'anomaly' ? {} : groupOf(draft.filter), group].filter(hasParts) });
  } catch (error) {
    if (error instanceof Misspelt) return null;
    throw error;
  }
  const bucketSeconds = (to - from) / 60_000 <= MOST_MINUTES ? 60 : 3_600;
  const hasWindow = takes || kind === 'absence';
  const wanted = hasWindow ? draft.windowSeconds : barSecondsOf((to - from) / 1_000);
  const fold = FOLDS.get(aggregate);
  // Averages and percentiles of buckets cannot be combined, so their bars are single buckets.
  const perBar = fold === undefined ? 1 : Math.max(1, Math.round(wanted / bucketSeconds));
  const barSeconds = perBar * bucketSeconds;
  const isAdded = fold === 'sum';
  return {
    series: {
      from_ts: new Date(from).toISOString(),
      to_ts: new Date(to).toISOString(),
      interval: bucketSeconds === 60 ? 'minute' : 'hour',
      aggregates: fold === 'ratio' ? ['errors', 'count'] : [aggregate],
      aggregate_field,
      where,
    },
    perBar,
    barSeconds,
    fold: fold ?? 'max',
    // Counts and sums of a window cannot be compared with those of a longer or shorter one.
    threshold: kind === 'threshold' && (!isAdded || barSeconds === wanted) ? numberOf(draft.value) : null,
  };
}

function hasParts(group: FilterGroup): boolean {
  return Object.keys(group).length > 0;
}

function barSecondsOf(seconds: number): number {
  return BAR_SECONDS.find((each) => seconds / each <= BARS) ?? 86_400;
}

function numberOf(typed: number | string): number | null {
  return typed !== '' && Number.isFinite(Number(typed)) ? Number(typed) : null;
}

/** Combines buckets from the end, so that the last bar is a whole window. Leaves out a first bar that is not whole. */
export function barsOf({ perBar, fold }: Measure, answers: readonly Schemas['TimeseriesResponse'][]): Bars {
  const points = answers[0]?.series[0]?.points ?? [];
  const others = answers[1]?.series[0]?.points ?? [];
  const times: number[] = [];
  const values: (number | null)[] = [];
  for (let at = points.length % perBar; at < points.length; at += perBar) {
    const bar = points.slice(at, at + perBar);
    const known = bar.map(({ value }) => value).filter((value) => value !== null);
    const divisor = others.slice(at, at + perBar).reduce((sum, { value }) => sum + (value ?? 0), 0);
    times.push(Date.parse(bar[0]?.ts ?? '') / 1_000);
    values.push(folded(fold, known, divisor));
  }
  return { times, values };
}

function folded(fold: Measure['fold'], known: readonly number[], divisor: number): number | null {
  const sum = known.reduce((before, value) => before + value, 0);
  if (fold === 'ratio') return divisor === 0 ? null : sum / divisor;
  if (known.length === 0) return null;
  return fold === 'sum' ? sum : fold === 'min' ? Math.min(...known) : Math.max(...known);
}

/** A firing without an end lasts to the end of the chart, unless its rule fires for single moments. */
interface Firing {
  readonly at: string;
  readonly until: string | null;
}

/**
 * Returns the times in which a rule fires, as bands that do not overlap. Bands closer than a bar are one band; moments
 * stay moments.
 * @param end the end of the chart, in milliseconds since 1970
 */
export function bandsOf(
  firings: readonly Firing[],
  { isMoment, barSeconds, end }: { readonly isMoment: boolean; readonly barSeconds: number; readonly end: number },
): { from: number; until: number }[] {
  const single = firings
    .map(({ at, until }) => {
      const from = Date.parse(at) / 1_000;
      return { from, until: until !== null ? Date.parse(until) / 1_000 : isMoment ? from : end / 1_000 };
    })
    .sort((one, other) => one.from - other.from);
  const bands: { from: number; until: number }[] = [];
  for (const { from, until } of single) {
    const last = bands.at(-1);
    if (!isMoment && last !== undefined && from - barSeconds <= last.until) last.until = Math.max(last.until, until);
    else bands.push({ from, until });
  }
  return bands;
}
