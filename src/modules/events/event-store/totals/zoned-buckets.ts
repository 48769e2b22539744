import type { TimeZone } from '../../../../platform/clock/index.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { type RequestedInterval, BUCKET_INTERVALS, type BucketInterval } from './bucket-intervals.js';
import type { TimeWindow } from './coverage.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** 1970-01-01 was a Thursday, so the first Monday is day 4. */
const FIRST_MONDAY = 4;

const MOST_BUCKETS = 1_500;
/** There are fewer years from year 1 to today, so `auto` can divide every window of events. */
const MOST_YEARS = 2_200;
/** `auto` chooses an interval with at most this many buckets. */
const MOST_AUTOMATIC = 200;
/** `auto` does not divide longer windows into minutes. */
const AUTOMATIC_MINUTES_MS = 2 * HOUR_MS;

/** A window in buckets of one interval. */
export interface ZonedBuckets {
  readonly interval: BucketInterval;
  /**
   * The start of every bucket that overlaps the window, ascending. A bucket lasts until the next one begins. The first
   * may begin before the window, and the last ends with the window.
   */
  readonly starts: readonly Date[];
}

/**
 * Divides a window. Minutes and hours are UTC. Days begin at local midnight, weeks on local Monday, months and years on
 * their first local day. An empty window has no buckets. `auto` chooses the shortest interval with at most 200 buckets.
 * @throws ValidationError at `["query","interval"]` when the requested interval would give more than 1,500 buckets
 */
export function bucketsOf(window: TimeWindow, requested: RequestedInterval, zone: TimeZone): ZonedBuckets {
  const candidates = requested === 'auto' ? automaticOf(window) : [requested];
  for (const interval of candidates) {
    const most = interval === requested ? MOST_BUCKETS : interval === 'year' ? MOST_YEARS : MOST_AUTOMATIC;
    const starts = startsOf(window, interval, zone, most);
    if (starts !== null) return { interval, starts };
  }
  const { from, to } = window;
  throw brokenRule(['query', 'interval'], 'the window has too many of these intervals', requested, {
    from_ts: from.toISOString(),
    to_ts: to.toISOString(),
  });
}

/**
 * Divides a window with the interval of another window of the same length. Used for the previous window, which may have
 * a few buckets more.
 */
export function likeBucketsOf(window: TimeWindow, { interval }: ZonedBuckets, zone: TimeZone): ZonedBuckets {
  const starts = startsOf(window, interval, zone, 2 * (interval === 'year' ? MOST_YEARS : MOST_BUCKETS));
  if (starts === null) throw new RangeError('A window is divided like one that is as long');
  return { interval, starts };
}

function automaticOf({ from, to }: TimeWindow): readonly BucketInterval[] {
  const isShort = to.getTime() - from.getTime() <= AUTOMATIC_MINUTES_MS;
  return isShort ? BUCKET_INTERVALS : BUCKET_INTERVALS.filter((interval) => interval !== 'minute');
}

/** @returns null when there are more than `most` buckets */
function startsOf(window: TimeWindow, interval: BucketInterval, zone: TimeZone, most: number): Date[] | null {
  const [from, to] = [window.from.getTime(), window.to.getTime()];
  if (from >= to) return [];
  const next = beginnings(from, interval, zone);
  const starts: Date[] = [];
  for (let start = next(); start < to; start = next()) {
    // A zone may skip a local day, which then has no length.
    if (starts.at(-1)?.getTime() === start) continue;
    if (starts.length === most) return null;
    starts.push(new Date(start));
  }
  return starts;
}

/**
 * Returns a function that returns the next bucket start on each call, beginning with the bucket that contains `from`.
 */
function beginnings(from: number, interval: BucketInterval, zone: TimeZone): () => number {
  switch (interval) {
    case 'minute':
      return utc(from, MINUTE_MS);
    case 'hour':
      return utc(from, HOUR_MS);
    case 'day':
      return local(from, zone, { numberOf: (day) => day, firstDayOf: (number) => number });
    case 'week':
      return local(from, zone, {
        numberOf: (day) => Math.floor((day - FIRST_MONDAY) / 7),
        firstDayOf: (week) => week * 7 + FIRST_MONDAY,
      });
    case 'month':
      return local(from, zone, { numberOf: monthOf, firstDayOf: firstDayOfMonth });
    case 'year':
      return local(from, zone, {
        numberOf: (day) => Math.floor(monthOf(day) / 12),
        firstDayOf: (year) => firstDayOfMonth(year * 12),
      });
  }
}

function utc(from: number, length: number): () => number {
  let start = Math.floor(from / length) * length - length;
  return () => (start += length);
}

/** Consecutive spans of whole local dates. Days are counted from 1970-01-01. */
interface Spans {
  readonly numberOf: (day: number) => number;
  readonly firstDayOf: (number: number) => number;
}

function local(from: number, zone: TimeZone, { numberOf, firstDayOf }: Spans): () => number {
  let number = numberOf(zone.dayAt(from));
  // When a clock is set back over midnight, the first minutes of the new date belong to the old day.
  if (zone.startOfDay(firstDayOf(number)) > from) number -= 1;
  number -= 1;
  return () => zone.startOfDay(firstDayOf((number += 1)));
}

/** Months since the year 0. */
function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function firstDayOfMonth(month: number): number {
  return new Date(0).setUTCFullYear(Math.floor(month / 12), ((month % 12) + 12) % 12, 1) / DAY_MS;
}
