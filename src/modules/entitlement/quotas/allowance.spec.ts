import { describe, expect, it } from '@jest/globals';
import { isNearLimit, remainingOf } from './allowance.js';

describe('an allowance', () => {
  it.each([
    [7_999, 10_000, false],
    [8_000, 10_000, true],
    [9_999, 10_000, true],
    [10_000, 10_000, false],
    [10_001, 10_000, false],
    [0, 0, false],
    [5, 0, false],
    [0, 1, false],
    [4, 5, true],
    [3, 4, false],
    [1_000_000, null, false],
  ])('is near its limit with %d of %s used: %s', (used, limit, isNear) => {
    expect(isNearLimit({ used, limit })).toBe(isNear);
  });

  it.each([
    [3, 10, 7],
    [10, 10, 0],
    [12, 10, 0],
    [0, 0, 0],
    [3, null, null],
  ])('has, with %d of %s used, a remainder of %s', (used, limit, left) => {
    expect(remainingOf({ used, limit })).toBe(left);
  });
});
