import { describe, expect, it } from '@jest/globals';
import { FixedClock, SystemClock } from './clock.js';

describe('FixedClock', () => {
  it('stands still until it is set or advanced', () => {
    const clock = new FixedClock('2026-03-01T00:00:00.000Z');
    expect(clock.now()).toEqual(clock.now());
    clock.advance(1_500);
    expect(clock.now().toISOString()).toBe('2026-03-01T00:00:01.500Z');
    clock.set(new Date('2027-01-01T00:00:00Z'));
    clock.advance(-1);
    expect(clock.now().toISOString()).toBe('2026-12-31T23:59:59.999Z');
  });

  it('hands out dates that callers may change without moving the clock', () => {
    const clock = new FixedClock(0);
    clock.now().setFullYear(2000);
    expect(clock.now().getTime()).toBe(0);
  });

  it('refuses what is not a point in time', () => {
    expect(() => new FixedClock('yesterday')).toThrow(RangeError);
    expect(() => new FixedClock().advance(Number.NaN)).toThrow(RangeError);
  });
});

describe('SystemClock', () => {
  it('reads the host clock', () => {
    const before = Date.now();
    const now = new SystemClock().now().getTime();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });
});
