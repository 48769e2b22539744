import {
  BASELINE_BUCKETS,
  type Bucket,
  DAY_BUCKETS,
  HOUR_BUCKETS,
  hourOfWeek,
  HOURS_A_WEEK,
  WEEK_BUCKETS,
} from './buckets.js';
import { median, spreadAround, weightedMedian } from './robust.js';
import { type Track, valueOf } from './track.js';

/** A series learns until it has had events on this many days, and `LEARNING_EVENTS` events. */
const LEARNING_DAYS = 3;
export const LEARNING_BUCKETS = LEARNING_DAYS * DAY_BUCKETS;
const LEARNING_EVENTS = 100;
const DAYS_OF_ONE_HOUR = 7;
const WEEKS = 4;
/** From this many weeks on, the same hour of the week alone is enough for an expectation. */
const SEASONAL_WEEKS = 2;
/** The series has a new level when the last day as a whole differs by more than this factor. */
const SHIFTED = 1.5;
const GAP_BUCKETS = 14 * DAY_BUCKETS;
/** Fewer measured latencies in a bucket say nothing about its percentile. */
export const LEAST_MEASURED = 30;

/** A list with the value of one bucket for each known hour of the week, from {@link Profile.firstHour} on. */
type HourList = Float32Array | readonly number[];

/** The baseline of a series: what is usual in it, learned from up to 28 days before `until`. */
export interface Profile {
  readonly until: Bucket;
  /**
   * The first bucket with events, 28 days before `until` at the earliest. While fewer than three days have events,
   * these days count as if they were the last ones before `until`, because a single old event is no history.
   */
  readonly since: Bucket;
  readonly total: number;
  /** The hour of the week that the lists begin with. A whole profile has all 168 hours, a partial one has some. */
  readonly firstHour: number;
  /** The most and the fewest events that are expected. Both are equal unless the history contradicts itself. */
  readonly high: HourList;
  readonly low: HourList;
  /** The events of an hour, per bucket. Unlike the median bucket, the value includes events that come all at once. */
  readonly flow: HourList;
  /** How far buckets lie from the median one, as a standard deviation. */
  readonly spread: HourList;
  /**
   * The number of events that single buckets of the hour reached in at least two weeks (in the first weeks: on two
   * days).
   */
  readonly seen: HourList;
  /** The expected p95 latency in milliseconds; -1 when it is not known. */
  readonly latency: HourList;
  /** The variance of buckets divided by their mean, at least 1. */
  readonly dispersion: number;
  readonly errorRate: number;
  /** The longest run of buckets without events in 14 days that ended with events. */
  readonly longestGap: number;
}

export type HourFigure = 'high' | 'low' | 'flow' | 'spread' | 'seen' | 'latency';

/**
 * Returns a figure of the profile for the hour of the week that a bucket lies in.
 * @throws RangeError when the profile does not contain that hour
 */
export function usualAt(profile: Profile, figure: HourFigure, bucket: Bucket): number {
  const value = profile[figure][(hourOfWeek(bucket) - profile.firstHour + HOURS_A_WEEK) % HOURS_A_WEEK];
  if (value === undefined) throw new RangeError('this part of the profile does not know the hour');
  return value;
}

/** Returns how many whole weeks a profile covers. */
export function weeksOf({ since, until }: Profile): number {
  return Math.floor((until - since) / WEEK_BUCKETS);
}

export function isLearning({ since, total }: Pick<Profile, 'since' | 'total'>, bucket: Bucket): boolean {
  return total < LEARNING_EVENTS || bucket - since < LEARNING_BUCKETS;
}

/**
 * Returns how the expectation of a series was computed: from the same hour of earlier weeks or, while there are too few
 * weeks, of earlier days.
 */
export function methodOf(profile: Profile): 'hour_of_week' | 'recent' {
  return weeksOf(profile) >= SEASONAL_WEEKS ? 'hour_of_week' : 'recent';
}

/**
 * Learns a profile from the buckets before `until`, which begins an hour. The track may begin less than 28 days before.
 */
export function profileOf(track: Track, until: Bucket): Profile {
  const from = Math.max(track.first, until - BASELINE_BUCKETS);
  const since = sinceOf(track, from, until);
  const hours = Array.from({ length: HOURS_A_WEEK }, (_, hour) => hourProfile(track, since, until, hour));
  const list = (name: Exclude<keyof HourProfile, 'lately'>): Float32Array =>
    Float32Array.from(hours, (hour) => hour[name]);
  // These figures were usual a day ago, so that the last day can be compared with them.
  const earlier = Array.from({ length: HOURS_A_WEEK }, (_, hour) => usualOf(track, since, until - DAY_BUCKETS, hour));
  const level = levelOf(track, since, until, earlier);
  const dispersions = hours
    .filter(({ high, spread }) => high >= 1 && spread > 0)
    .map(({ high, spread }) => spread ** 2 / high);
  let total = 0;
  for (let bucket = since; bucket < until; bucket++) total += valueOf(track, 'events', bucket);
  return {
    until,
    since,
    total,
    firstHour: 0,
    // A new level counts only up to what the last day itself had at that hour, so that it is never exaggerated.
    high: list('high').map((value, hour) => (level > SHIFTED ? Math.max(value, hours[hour]?.lately ?? 0) : value)),
    low: list('low').map((value, hour) => (level < 1 / SHIFTED ? Math.min(value, hours[hour]?.lately ?? 0) : value)),
    flow: list('flow'),
    spread: list('spread'),
    seen: list('seen'),
    latency: list('latency'),
    dispersion: Math.max(1, dispersions.length === 0 ? 1 : median(dispersions)),
    errorRate: errorRateOf(track, since, until),
    longestGap: longestGapOf(track, Math.max(since, until - GAP_BUCKETS), until),
  };
}

function sinceOf(track: Track, from: Bucket, until: Bucket): Bucket {
  let first = from;
  while (first < until && valueOf(track, 'events', first) === 0) first++;
  const days = new Set<number>();
  for (let bucket = until - 1; bucket >= first && days.size < LEARNING_DAYS; bucket--) {
    if (valueOf(track, 'events', bucket) > 0) days.add(Math.floor((until - 1 - bucket) / DAY_BUCKETS));
  }
  return days.size < LEARNING_DAYS ? Math.max(first, until - days.size * DAY_BUCKETS) : first;
}

interface HourProfile {
  readonly high: number;
  readonly low: number;
  readonly flow: number;
  readonly lately: number;
  readonly spread: number;
  readonly seen: number;
  readonly latency: number;
}

/** The figures of an hour of the week that an expectation is made of. */
interface Usual {
  /** The first buckets of the hours that the figures come from. */
  readonly starts: readonly Bucket[];
  readonly weeks: readonly Bucket[];
  /** The median of the buckets of these hours. */
  readonly middle: number;
  readonly flow: number;
  /** The median of the buckets of the same hour of the last day. */
  readonly lately: number;
}

/**
 * Returns the figures of the same hour of earlier weeks or, while there are too few weeks, of earlier days.
 * @param hour the hour of the week
 */
function usualOf(track: Track, since: Bucket, until: Bucket, hour: number): Usual {
  const next = until + ((hour - hourOfWeek(until) + HOURS_A_WEEK) % HOURS_A_WEEK) * HOUR_BUCKETS;
  const before = (period: number, most: number): Bucket[] => {
    const starts: Bucket[] = [];
    for (let start = next; start >= since && starts.length < most; start -= period)
      if (start < until) starts.push(start);
    return starts;
  };
  const weeks = before(WEEK_BUCKETS, WEEKS);
  const days = before(DAY_BUCKETS, DAYS_OF_ONE_HOUR);
  const starts = weeks.length >= SEASONAL_WEEKS ? weeks : days;
  return {
    starts,
    weeks,
    middle: median(eventsOf(track, starts)) || 0,
    flow: median(starts.map((start) => sumOf(track, start, start + HOUR_BUCKETS))) / HOUR_BUCKETS || 0,
    lately: median(eventsOf(track, days.slice(0, 1))) || 0,
  };
}

/** @param hour the hour of the week */
function hourProfile(track: Track, since: Bucket, until: Bucket, hour: number): HourProfile {
  const { starts, weeks, middle, flow, lately } = usualOf(track, since, until, hour);
  // One week is not enough for an expectation, but is not ignored either.
  const lone = weeks.length === 1 ? median(eventsOf(track, weeks)) : middle;
  const latencies: number[] = [];
  for (const start of starts) {
    for (let bucket = start; bucket < start + HOUR_BUCKETS; bucket++) {
      if (valueOf(track, 'measured', bucket) >= LEAST_MEASURED) latencies.push(valueOf(track, 'p95', bucket));
    }
  }
  return {
    high: Math.max(middle, lone),
    low: Math.min(middle, lone),
    flow,
    lately,
    spread: spreadAround(middle, eventsOf(track, starts)) || 0,
    seen: secondOf(starts.map((start) => largestOf(track, start))),
    latency: latencies.length === 0 ? -1 : median(latencies),
  };
}

/**
 * Returns the factor by which the last day as a whole differs from before. It is the median over the hours of that day,
 * so a new level counts after half a day.
 */
function levelOf(track: Track, since: Bucket, until: Bucket, earlier: readonly Usual[]): number {
  const hours: { value: number; weight: number }[] = [];
  for (let start = Math.max(since, until - DAY_BUCKETS); start < until; start += HOUR_BUCKETS) {
    const usual = (earlier[hourOfWeek(start)]?.flow ?? 0) * HOUR_BUCKETS;
    if (usual >= 1) hours.push({ value: sumOf(track, start, start + HOUR_BUCKETS) / usual, weight: usual });
  }
  return hours.length < 12 ? 1 : weightedMedian(hours);
}

/** Returns the median error rate of the hours, weighted by their events. Bursts do not change the median. */
function errorRateOf(track: Track, since: Bucket, until: Bucket): number {
  const hours: { value: number; weight: number }[] = [];
  for (let start = since; start < until; start += HOUR_BUCKETS) {
    let [events, errors] = [0, 0];
    for (let bucket = start; bucket < Math.min(start + HOUR_BUCKETS, until); bucket++) {
      events += valueOf(track, 'events', bucket);
      errors += valueOf(track, 'errors', bucket);
    }
    if (events > 0) hours.push({ value: errors / events, weight: events });
  }
  return hours.length === 0 ? 0 : weightedMedian(hours);
}

function longestGapOf(track: Track, from: Bucket, until: Bucket): number {
  let [longest, gap] = [0, 0];
  for (let bucket = from; bucket < until; bucket++) {
    if (valueOf(track, 'events', bucket) === 0) gap++;
    else {
      longest = Math.max(longest, gap);
      gap = 0;
    }
  }
  return longest;
}

function eventsOf(track: Track, starts: readonly Bucket[]): Float64Array {
  const values = new Float64Array(starts.length * HOUR_BUCKETS);
  for (const [place, start] of starts.entries()) {
    for (let index = 0; index < HOUR_BUCKETS; index++) {
      values[place * HOUR_BUCKETS + index] = valueOf(track, 'events', start + index);
    }
  }
  return values;
}

function sumOf(track: Track, from: Bucket, to: Bucket): number {
  let sum = 0;
  for (let bucket = from; bucket < to; bucket++) sum += valueOf(track, 'events', bucket);
  return sum;
}

function largestOf(track: Track, start: Bucket): number {
  let largest = 0;
  for (let bucket = start; bucket < start + HOUR_BUCKETS; bucket++) {
    largest = Math.max(largest, valueOf(track, 'events', bucket));
  }
  return largest;
}

/** Returns the second largest value, which at least two have reached; 0 when there are fewer than two. */
function secondOf(values: readonly number[]): number {
  return values.toSorted((a, b) => b - a)[1] ?? 0;
}
