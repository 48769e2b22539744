import { describe, expect, it } from '@jest/globals';
import { type Bucket, bucketOf, DAY_BUCKETS, hourOfWeek, WEEK_BUCKETS } from '../baseline/buckets.js';
import { profileOf } from '../baseline/profile.js';
import type { Track } from '../baseline/track.js';
import { assessSpike } from './rates.js';

/** The days begin and end at midnight in Berlin. */
const DAY_OF_23_HOURS = { from: '2026-03-28T23:00:00Z', to: '2026-03-29T22:00:00Z' };
const DAY_OF_25_HOURS = { from: '2026-10-24T22:00:00Z', to: '2026-10-25T23:00:00Z' };

describe('the hour of the week when clocks change', () => {
  it.each([
    [23, DAY_OF_23_HOURS],
    [25, DAY_OF_25_HOURS],
  ])("is UTC's: a local day of %i hours has none twice and leaves none out", (hours, { from, to }) => {
    const first = bucketOf(Date.parse(from));
    const buckets = Array.from({ length: bucketOf(Date.parse(to)) - first }, (_, index) => first + index);
    expect(new Set(buckets.map(hourOfWeek)).size).toBe(hours);
    expect(buckets.every((bucket) => hourOfWeek(bucket) === hourOfWeek(bucket - WEEK_BUCKETS))).toBe(true);
  });

  it.each([
    ['forward', DAY_OF_23_HOURS.to, 7],
    ['back', DAY_OF_25_HOURS.to, 9],
  ])(
    'clocks go %s: what runs by local time comes at another hour, and is usual there when it was seen in two weeks',
    (_, day, hour) => {
      const midnight = bucketOf(Date.parse(day));
      const usual = midnight + 9 * 12;
      const after = midnight + hour * 12;
      // Every day has one run of 60 events: for four weeks at one hour, then at the other one.
      const runs: Bucket[] = Array.from({ length: 28 }, (_, index) => usual - (index + 1) * DAY_BUCKETS);
      const levelAt = (bucket: Bucket, later: readonly Bucket[]): string => {
        const first = bucket - 29 * DAY_BUCKETS;
        const track = emptyTrack(first, 29 * DAY_BUCKETS + 1);
        for (const one of [...runs, ...later, bucket]) if (one >= first) track.events[one - first] = 60;
        return assessSpike(track, profileOf(track, Math.floor(bucket / 12) * 12), bucket, 1).level;
      };
      expect(levelAt(usual, [])).toBe('normal');
      const shifted = after === usual ? after + 12 : after;
      expect(levelAt(shifted, [])).toBe('told');
      const weeks = [shifted, shifted + WEEK_BUCKETS];
      expect(levelAt(shifted + 2 * WEEK_BUCKETS, weeks)).toBe('normal');
    },
  );
});

function emptyTrack(first: Bucket, buckets: number): Track {
  const list = (): Int32Array => new Int32Array(buckets);
  return { first, events: list(), errors: list(), measured: list(), p95: list().fill(-1) };
}
