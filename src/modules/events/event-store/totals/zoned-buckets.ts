import type { TimeZone } from '../../../../platform/clock/index.js';
import { brokenRule } from '../../../../platform/http/fields/index.js';
import { type AskedInterval, BUCKET_INTERVALS, type BucketInterval } from './bucket-intervals.js';
import type { TimeWindow } from './coverage.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LENGTH_MS: Readonly<Record<BucketInterval, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};
const DAYS: Readonly<Record<'day' | 'week', number>> = { day: 1, week: 7 };
/** 1970-01-01 was a Thursday. */
const FIRST_MONDAY = 4;

const MOST_BUCKETS = 1_500;
/** What `auto` takes. */
const MOST_AUTOMATIC = 200;
/** Longer windows are not automatically divided into minutes. */
const AUTOMATIC_MINUTES_MS = 2 * HOUR_MS;

/** A window in buckets of one interval. */
export interface ZonedBuckets {
  readonly interval: BucketInterval;
  /**
   * The beginning of every bucket that has a part in the window, ascending. Each lasts until the next one begins; the
   * first may begin before the window, and the last ends with it.
   */
  readonly starts: readonly Date[];
}

/**
 * Divides a window: minutes and hours are those of UTC, days begin at local midnight and weeks on local Monday (DECISIONS
 * 14). An empty window has no buckets.
 * @throws ValidationError at `["query","interval"]` when there would be more than 1,500
 */
export function bucketsOf(window: TimeWindow, asked: AskedInterval, zone: TimeZone): ZonedBuckets {
  const candidates = asked === 'auto' ? automaticOf(window) : [asked];
  for (const interval of candidates) {
    const most = interval === asked || interval === 'week' ? MOST_BUCKETS : MOST_AUTOMATIC;
    const starts = startsOf(window, interval, zone, most);
    if (starts !== null) return { interval, starts };
  }
  throw brokenRule(['query', 'interval'], 'the window has too many of these intervals', asked);
}

/** Divides a window like another one: for the window before, which is as long, and may have some buckets more. */
export function likeBucketsOf(window: TimeWindow, { interval }: ZonedBuckets, zone: TimeZone): ZonedBuckets {
  const starts = startsOf(window, interval, zone, 2 * MOST_BUCKETS);
  if (starts === null) throw new RangeError('A window is divided like one that is as long');
  return { interval, starts };
}

function automaticOf({ from, to }: TimeWindow): readonly BucketInterval[] {
  const isShort = to.getTime() - from.getTime() <= AUTOMATIC_MINUTES_MS;
  return isShort ? BUCKET_INTERVALS : BUCKET_INTERVALS.filter((interval) => interval !== 'minute');
}

/** Null: more than `most`. */
function startsOf(window: TimeWindow, interval: BucketInterval, zone: TimeZone, most: number): Date[] | null {
  const [from, to] = [window.from.getTime(), window.to.getTime()];
  if (from >= to) return [];
  const next =
    interval === 'day' || interval === 'week' ? days(from, DAYS[interval], zone) : utc(from, LENGTH_MS[interval]);
  const starts: Date[] = [];
  for (let start = next(); start < to; start = next()) {
    // A day that a zone left out has no length.
    if (starts.at(-1)?.getTime() === start) continue;
    if (starts.length === most) return null;
    starts.push(new Date(start));
  }
  return starts;
}

/** The beginnings from the one on that holds `from`. */
function utc(from: number, length: number): () => number {
  let start = Math.floor(from / length) * length - length;
  return () => (start += length);
}

function days(from: number, length: number, zone: TimeZone): () => number {
  const phase = length === DAYS.week ? FIRST_MONDAY : 0;
  let day = Math.floor((zone.dayAt(from) - phase) / length) * length + phase;
  // Where a clock is set back over midnight, the new date's first minutes belong to the old day.
  if (zone.startOfDay(day) > from) day -= length;
  day -= length;
  return () => zone.startOfDay((day += length));
}
