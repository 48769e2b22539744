import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INTERVALS, STATS_RANGES, statsWindow, withZeroes } from './volume.js';

const NOW = new Date('2026-05-01T12:34:56.789Z');

describe('the window of stats', () => {
  it.each([
    ['24h', 'hour', '2026-04-30T12:00:00.000Z', '2026-05-01T13:00:00.000Z', 25],
    ['24h', 'day', '2026-04-30T00:00:00.000Z', '2026-05-02T00:00:00.000Z', 2],
    ['7d', 'hour', '2026-04-24T12:00:00.000Z', '2026-05-01T13:00:00.000Z', 169],
    ['7d', 'day', '2026-04-24T00:00:00.000Z', '2026-05-02T00:00:00.000Z', 8],
    ['30d', 'day', '2026-04-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z', 31],
  ] as const)('covers %s by %s from %s to %s', (range, interval, from, to, length) => {
    const bounds = statsWindow(range, interval, NOW);
    expect([bounds.from.toISOString(), bounds.to.toISOString()]).toEqual([from, to]);
    expect(withZeroes([], bounds, interval)).toHaveLength(length);
  });

  it('holds now and the whole range, at any time', () => {
    const times = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(times, fc.constantFrom(...STATS_RANGES), fc.constantFrom(...INTERVALS), (now, range, interval) => {
        const bounds = statsWindow(range, interval, now);
        const series = withZeroes([{ ts: bounds.from, events: 3, errors: 1 }], bounds, interval);
        expect(now < bounds.to && bounds.from < now).toBe(true);
        expect(series[0]).toEqual({ ts: bounds.from, events: 3, errors: 1 });
        expect(series.slice(1).every(({ events, errors }) => events === 0 && errors === 0)).toBe(true);
      }),
    );
  });
});
