import type { Schemas } from '@operational-events/client';
import type { ReadAt } from '../../api/read-at.js';
import type { EventsSearch } from '../events-link.js';
import { type Clock, isMidnight, momentOf, offsetAt, offsetName } from '../zone.js';
import type { SeriesColor } from './palette.js';

export interface Series {
  readonly label: string;
  readonly color: SeriesColor;
  readonly values: readonly (number | null)[];
  /** Draws the series as a line in a chart of bars. Such a series is not a part of the total. */
  readonly line?: 'solid' | 'dashed';
  /**
   * Returns the filters of the events behind a value, of its bucket unless they have a time of their own. Undefined:
   * there are no events behind the values.
   */
  readonly eventsOf?: (value: number, index: number) => EventsSearch | undefined;
}

/** A time range in Unix seconds, drawn behind the series. A single moment is only a mark on top. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
  /** Draws the time in which a condition held, but nothing was raised yet. */
  readonly isPending?: boolean;
}

/** An event of note, such as a deploy. */
export interface Mark {
  readonly id: string;
  /** Unix time in seconds. */
  readonly at: number;
  readonly name: string;
}

/** The time of one value, in Unix seconds. */
export interface Bucket {
  readonly start: number;
  readonly end: number;
  /** Says why not all of the bucket is counted. Undefined: all is. */
  readonly gap: string | undefined;
}

const DAY_S = 86_400;

type Interval = Schemas['TimeseriesResponse']['interval'];

const SECONDS: Readonly<Record<Interval, number>> = {
  minute: 60,
  hour: 3_600,
  day: DAY_S,
  week: 7 * DAY_S,
  month: 30 * DAY_S,
  year: 365 * DAY_S,
};

/** The times that an answer counts, and when it was read, in Unix seconds. */
export interface Extent {
  readonly from: number;
  readonly until: number;
  readonly readAt: number;
}

type Counted = Pick<ReadAt<Schemas['TimeseriesResponse']>, 'from_ts' | 'to_ts' | 'readAt'>;

export function extentOf({ from_ts, to_ts, readAt }: Counted): Extent {
  return { from: Date.parse(from_ts) / 1000, until: Date.parse(to_ts) / 1000, readAt: readAt / 1000 };
}

/** Returns the properties of a chart that follow from the time range and the interval of an answer. */
export function axisOf(answer: Counted & { readonly interval: Interval; readonly timezone: string }) {
  return { ...extentOf(answer), interval: SECONDS[answer.interval], zone: answer.timezone };
}

/** Returns the end of a bucket that no other follows. A day has 23 or 25 hours when the clocks change. */
function endOf(start: number, length: number, zone: string): number {
  if (length < DAY_S || !isMidnight(start * 1000, zone)) return start + length;
  const wall = start * 1000 + offsetAt(start * 1000, zone);
  const date = new Date(wall);
  const days = Math.round(length / DAY_S);
  if (days >= 365) return momentOf(date.setUTCFullYear(date.getUTCFullYear() + 1), zone) / 1000;
  if (days >= 28) return momentOf(date.setUTCMonth(date.getUTCMonth() + 1), zone) / 1000;
  return momentOf(wall + days * DAY_S * 1000, zone) / 1000;
}

/**
 * Returns the buckets that begin at some times.
 * @param length the usual length of a bucket in seconds. Undefined: the distance of the first two times
 * @param extent what is counted. Undefined members: all buckets are
 */
export function bucketsOf(
  times: readonly number[],
  length: number | undefined,
  zone: string,
  { from = -Infinity, until = Infinity, readAt = Infinity }: { readonly [Name in keyof Extent]: number | undefined },
): Bucket[] {
  const usual = length ?? ((times[1] ?? 0) - (times[0] ?? 0) || 60);
  return times.map((start, index) => {
    const end = times[index + 1] ?? endOf(start, usual, zone);
    const isCut = start < from || end > until;
    return { start, end, gap: end > readAt ? NOT_OVER : isCut ? CUT : undefined };
  });
}

const NOT_OVER = 'This bucket is not over yet';
const CUT = 'Only the part inside the time range is counted';

/** Formats the time of a bucket, such as "Thu, Nov 26, 10:30 – 11:00". Only whole days are named without times. */
export function bucketName({ start, end }: Bucket, clock: Clock): string {
  const [from, to] = [start * 1000, end * 1000];
  const length = end - start;
  const isDayOrMore = length >= 0.9 * DAY_S;
  if (isDayOrMore && isMidnight(from, clock.zone)) {
    if (length >= 364 * DAY_S) return clock.year(from);
    if (length >= 27 * DAY_S) return clock.month(from);
    return length > 1.5 * DAY_S ? `${clock.date(from)} – ${clock.date(to - 1)}` : clock.date(from);
  }
  const format = length < 60 ? clock.timeWithSeconds : clock.time;
  // The clocks show an hour twice when they are set back.
  const isChange = offsetAt(from, clock.zone) !== offsetAt(to, clock.zone);
  const time = (at: number): string => (isChange ? `${format(at)} ${offsetName(clock.zone, at)}` : format(at));
  return `${clock.date(from)}, ${time(from)} – ${isDayOrMore ? `${clock.date(to)}, ` : ''}${time(to)}`;
}

/** Adds the values of a bucket that are parts of a whole. */
export function totalAt(series: readonly Series[], index: number): number {
  return series.reduce((sum, { line, values }) => sum + (line === undefined ? (values[index] ?? 0) : 0), 0);
}

/** Returns the marks in a bucket. */
export function marksIn(marks: readonly Mark[], { start, end }: Bucket): Mark[] {
  return marks.filter(({ at }) => at >= start && at < end);
}
