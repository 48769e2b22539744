import type { TimeWindow } from '../totals/coverage.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An hour of the window with events. */
export interface PlannedHour {
  readonly hour: Date;
  readonly events: number;
  /** True when the rollup is complete and can answer the query. */
  readonly isMade: boolean;
}

/** The sources of a window: rollups, and rows where rollups cannot answer. They do not overlap. */
export interface RollupPlan {
  readonly days: readonly Date[];
  readonly hours: readonly Date[];
  /** Ranges whose rows are read. Each lies within one hour and one bucket. */
  readonly spans: readonly TimeWindow[];
  /** The number of rows in the hours of the spans. */
  readonly events: number;
}

/**
 * Returns the UTC days in which a bucket begins after midnight. Their daily rollups cannot be used. There are at most
 * as many such days as buckets.
 * @param starts the starts of the buckets, ascending
 */
export function dividedDaysOf(starts: readonly Date[]): Date[] {
  const days = new Set<number>();
  for (const start of starts) {
    const day = Math.floor(start.getTime() / DAY_MS) * DAY_MS;
    if (day !== start.getTime()) days.add(day);
  }
  return [...days].map((day) => new Date(day));
}

/**
 * Uses the rollup of each hour that is complete and lies within the window and one bucket. Reads the rows of all other
 * hours.
 * @param days the starts of days whose rollup is used
 * @param hours ascending, without the hours of these days
 */
export function planOf(
  window: TimeWindow,
  starts: readonly Date[],
  days: readonly PlannedHour[],
  hours: readonly PlannedHour[],
): RollupPlan {
  const plan = {
    days: days.map(({ hour }) => hour),
    hours: [] as Date[],
    spans: [] as TimeWindow[],
    events: 0,
  };
  const [from, to] = [window.from.getTime(), window.to.getTime()];
  let next = 0;
  for (const { hour, events, isMade } of hours) {
    const [begin, end] = [Math.max(hour.getTime(), from), Math.min(hour.getTime() + HOUR_MS, to)];
    while ((starts[next]?.getTime() ?? Infinity) <= begin) next += 1;
    const isWhole = end - begin === HOUR_MS && (starts[next]?.getTime() ?? Infinity) >= end;
    if (isMade && isWhole) {
      plan.hours.push(hour);
      continue;
    }
    plan.events += events;
    for (let at = begin, bucket = next; at < end; bucket += 1) {
      const until = Math.min(starts[bucket]?.getTime() ?? Infinity, end);
      plan.spans.push({ from: new Date(at), to: new Date(until) });
      at = until;
    }
  }
  return plan;
}
