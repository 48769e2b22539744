import type { TimeWindow } from '../totals/coverage.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An hour of the window with events. */
export interface PlannedHour {
  readonly hour: Date;
  readonly events: number;
  /** Whether its rollup is right, and says what is asked for. */
  readonly isMade: boolean;
}

/** What a window is read from: rollups, and the rows of what they do not say. Nothing of it overlaps. */
export interface ReadingPlan {
  readonly days: readonly Date[];
  readonly hours: readonly Date[];
  /** Each within one hour and one bucket. */
  readonly spans: readonly TimeWindow[];
  /** Rows in the hours of the spans. */
  readonly events: number;
}

/**
 * UTC days that do not lie in one bucket, because another one begins within them: no more than there are buckets, however
 * long the window is.
 * @param starts where buckets begin, ascending
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
 * Takes the rollup of each hour that is made and lies in the window and in one of its buckets, and the rows of all others.
 * @param days each by where it begins, as an hour that is made
 * @param hours ascending, without those of the days
 */
export function planOf(
  window: TimeWindow,
  starts: readonly Date[],
  days: readonly PlannedHour[],
  hours: readonly PlannedHour[],
): ReadingPlan {
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
