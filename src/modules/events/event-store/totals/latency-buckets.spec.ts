import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bucketOf, isOneValue, middleOf, quantilesOf } from './latency-buckets.js';

describe('a latency histogram', () => {
  it('has buckets whose middle is exact below 50 ms, and within one percent or a millisecond above', () => {
    for (let ms = 2; ms < 50; ms += 1) expect(middleOf(bucketOf(ms))).toBe(ms);
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 2_147_483_647 }), (ms) => {
        expect(Math.abs(middleOf(bucketOf(ms)) - ms)).toBeLessThanOrEqual(Math.max(1, ms * 0.0101));
      }),
    );
    expect(middleOf(0)).toBe(0);
  });

  it('has several values in the bucket of 0 and 1 ms, and one in each from 2 to 49 ms', () => {
    expect([0, 1].map(bucketOf)).toEqual([0, 0]);
    expect(isOneValue(0)).toBe(false);
    for (let ms = 2; ms < 50; ms += 1) expect(isOneValue(bucketOf(ms))).toBe(true);
  });

  it('gives percentiles by the nearest rank, and null without events', () => {
    const histogram = [3, 5, 40].map((ms) => ({ bucket: bucketOf(ms), events: 2 }));
    expect(quantilesOf(histogram, [0, 0.33, 0.34, 0.5, 0.66, 0.67, 1])).toEqual([3, 3, 5, 5, 5, 40, 40]);
    expect(quantilesOf([], [0.5, 0.95])).toEqual([null, null]);
  });
});
