import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INTERVALS } from './count.js';
import { withoutGaps } from './time-buckets.js';

const LENGTH_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

describe('a series of time buckets', () => {
  it('fills the window to its last instant, and nothing beyond', () => {
    const at = (text: string): Date => new Date(`2026-03-10T${text}Z`);
    const known = [{ at: at('11:00:00.000'), events: 3, errors: 1 }];
    const hours = withoutGaps(known, 'hour', { from: at('10:59:59.999'), to: at('13:00:00.000') });
    expect(hours).toEqual([
      { at: at('10:00:00.000'), events: 0, errors: 0 },
      { at: at('11:00:00.000'), events: 3, errors: 1 },
      { at: at('12:00:00.000'), events: 0, errors: 0 },
    ]);
    expect(withoutGaps([], 'hour', { from: at('13:20:00.000'), to: at('13:20:00.000') })).toEqual([]);
  });

  it('begins with the bucket that holds the start of the window, and has no gaps', () => {
    const instant = fc.integer({ min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(
        instant,
        fc.integer({ min: 1, max: 4e7 }),
        fc.constantFrom(...INTERVALS),
        (from, length, interval) => {
          const buckets = withoutGaps([], interval, { from: new Date(from), to: new Date(from + length) });
          const times = buckets.map(({ at }) => at.getTime());
          const step = LENGTH_MS[interval];
          expect(times[0]! <= from && from < times[0]! + step).toBe(true);
          expect(times.at(-1)! < from + length && from + length <= times.at(-1)! + step).toBe(true);
          times.slice(1).forEach((time, index) => expect(time - times[index]!).toBe(step));
        },
      ),
    );
  });
});
