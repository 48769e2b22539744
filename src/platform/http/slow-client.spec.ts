import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SlowClientTimer } from './slow-client.js';

const KIB = 1024;
const LIMITS = { stalledMs: 30_000, bytesPerSecond: 16 * KIB, longestMs: 300_000 };

describe('the time of a client', () => {
  let now: number;
  let time: SlowClientTimer;

  beforeEach(() => {
    now = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    time = new SlowClientTimer(LIMITS);
  });
  afterEach(() => void jest.restoreAllMocks());

  const after = (seconds: number): number => {
    now += seconds * 1_000;
    return time.leftMs;
  };

  it('is that of one who stands still, and ends where a little now and then takes too long', () => {
    time.give(160 * KIB);
    expect([after(0), after(9), after(2), after(28), after(1), after(1)]).toEqual([
      30_000, 30_000, 29_000, 1_000, 0, 0,
    ]);
  });

  it('grows with what it is given meanwhile, up to a bound', () => {
    time.give(160 * KIB);
    expect(after(39)).toBe(1_000);
    time.give(160 * KIB);
    expect([after(0), after(10), after(1)]).toEqual([11_000, 1_000, 0]);
    time.give(1_024 * 1_024 * KIB);
    expect([after(0), after(300), after(30)]).toEqual([30_000, 30_000, 0]);
  });

  it('begins anew with what comes after it has taken all, whatever it has saved', () => {
    time.give(1_600 * KIB);
    time.taken();
    expect(after(1_000)).toBe(30_000);
    time.give(16 * KIB);
    expect([after(0), after(30), after(1)]).toEqual([30_000, 1_000, 0]);
  });
});
