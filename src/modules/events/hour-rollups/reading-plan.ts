import type { TimeWindow } from '../totals/index.js';

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
 * The whole UTC days of a window that lie in one of its buckets.
 * @param starts where buckets begin, ascending
 */
export function wholeDaysOf({ from, to }: TimeWindow, starts: readonly Date[]): Date[] {
  const days: Date[] = [];
  let next = 0;
  for (let day = Math.ceil(from.getTime() / DAY_MS) * DAY_MS; day + DAY_MS <= to.getTime(); day += DAY_MS) {
    while ((starts[next]?.getTime() ?? Infinity) <= day) next += 1;
    if ((starts[next]?.getTime() ?? Infinity) >= day + DAY_MS) days.push(new Date(day));
  }
  return days;
}

/**
 * Takes the rollup of each hour that is made and lies in the window and in one of its buckets, and the rows of all others.
 * @param hours ascending, without those of the days
 */
export function planOf(
  window: TimeWindow,
  starts: readonly Date[],
  days: readonly Date[],
  hours: readonly PlannedHour[],
): ReadingPlan {
  const plan = { days, hours: [] as Date[], spans: [] as TimeWindow[], events: 0 };
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
