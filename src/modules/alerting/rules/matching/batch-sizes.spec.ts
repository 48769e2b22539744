import { beforeEach, describe, expect, it } from '@jest/globals';
import { BatchSizes } from './batch-sizes.js';

describe('the size of batches', () => {
  let sizes: BatchSizes;
  beforeEach(() => {
    sizes = new BatchSizes(500);
  });

  it('falls to a tenth again and again when they take too long, and that of other projects does not', () => {
    const seen = [sizes.of('a')];
    for (let times = 0; times < 3; times += 1) {
      expect(sizes.tookTooLong('a', 0)).toBe(true);
      seen.push(sizes.of('a'));
    }
    expect(seen).toEqual([500, 50, 5, 1]);
    expect(sizes.of('b')).toBe(500);
  });

  it('falls after a slow success too, and doubles after a quick one', () => {
    sizes.went('a', 5_001);
    expect(sizes.of('a')).toBe(50);
    const seen: number[] = [];
    for (let times = 0; times < 5; times += 1) {
      sizes.went('a', 10);
      seen.push(sizes.of('a'));
    }
    expect(seen).toEqual([100, 200, 400, 500, 500]);
  });

  it('gives a project a rest when one row is too much, ever longer, until something gets through', () => {
    while (sizes.of('a') > 1) sizes.tookTooLong('a', 0);
    expect(sizes.rests('a', 0)).toBe(false);
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(sizes.tookTooLong('a', 0)).toBe(false);
      expect(sizes.rests('a', seconds * 1_000 - 1)).toBe(true);
      expect(sizes.rests('a', seconds * 1_000)).toBe(false);
    }
    sizes.went('a', 10);
    expect([sizes.rests('a', 0), sizes.of('a')]).toEqual([false, 2]);
  });

  it('has no hope left when the smallest has failed ten times, one after the other', () => {
    while (sizes.of('a') > 1) sizes.tookTooLong('a', 0);
    for (let failures = 1; failures <= 9; failures += 1) sizes.tookTooLong('a', 0);
    expect(sizes.isHopeless('a')).toBe(false);
    sizes.tookTooLong('a', 0);
    expect([sizes.isHopeless('a'), sizes.isHopeless('b')]).toEqual([true, false]);
    sizes.went('a', 10);
    expect(sizes.isHopeless('a')).toBe(false);
  });

  it('stays after a fault that less would not mend; the project rests, ever longer, without ever being given up', () => {
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]) {
      expect(sizes.failed('a', 0)).toBe(seconds * 1_000);
      expect([sizes.of('a'), sizes.isHopeless('a'), sizes.rests('b', 0)]).toEqual([500, false, false]);
      expect([sizes.rests('a', seconds * 1_000 - 1), sizes.rests('a', seconds * 1_000)]).toEqual([true, false]);
    }
    sizes.recovered('a');
    expect([sizes.rests('a', 0), sizes.of('a'), sizes.failed('a', 0)]).toEqual([false, 500, 1_000]);
  });
});
