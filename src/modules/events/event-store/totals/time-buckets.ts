import type { Interval } from './count.js';
import type { TimeWindow } from './coverage.js';
import type { Bucket } from './totals.reader.js';

const LENGTH_MS: Readonly<Record<Interval, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Returns every bucket that overlaps the window, in the order of time. Buckets that `known` lacks have zeroes. */
export function withoutGaps(known: readonly Bucket[], interval: Interval, { from, to }: TimeWindow): Bucket[] {
  if (from >= to) return [];
  const length = LENGTH_MS[interval];
  const byTime = new Map(known.map((bucket) => [bucket.at.getTime(), bucket]));
  const buckets: Bucket[] = [];
  for (let at = Math.floor(from.getTime() / length) * length; at < to.getTime(); at += length) {
    buckets.push(byTime.get(at) ?? { at: new Date(at), events: 0, errors: 0 });
  }
  return buckets;
}
