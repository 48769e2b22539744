import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DebouncedWatermark } from './debounced-watermark.js';

const FOR_MS = 100;

/** A clock that is set by hand. */
function opened(forMs = FOR_MS) {
  let now = 5;
  const steady = new DebouncedWatermark(forMs, () => now);
  return {
    /** Reports an instant at a time of the clock. Returns the result in epoch milliseconds. */
    at: (time: number, instant: number) => {
      now = 5 + time;
      return steady.of(new Date(instant))?.getTime() ?? null;
    },
  };
}

describe('an instant of another clock', () => {
  it('is taken once it was said for long enough', () => {
    const { at } = opened();
    expect([at(0, 7), at(50, 7), at(99, 7), at(100, 7), at(500, 7)]).toEqual([null, null, null, 7, 7]);
  });

  it('is the earliest of all that time', () => {
    const { at } = opened();
    expect([at(0, 7), at(50, 9), at(100, 9)]).toEqual([null, null, 7]);
    // After a change, the next instant has to wait for the whole delay again.
    expect([at(150, 9), at(200, 9)]).toEqual([null, 9]);
  });

  it('is not that of a clock that has jumped and comes back', () => {
    const { at } = opened();
    expect([at(0, 7), at(100, 7), at(110, 1_000), at(190, 1_000), at(200, 8), at(290, 8), at(300, 8)]).toEqual([
      null,
      7,
      7,
      null,
      null,
      null,
      8,
    ]);
  });

  it('is taken at once where nothing is to be waited for', () => {
    const { at } = opened(0);
    expect([at(0, 7), at(0, 9), at(0, 9), at(1, 8)]).toEqual([7, 7, 9, 8]);
  });

  it('is never later than anything that was said within that time', () => {
    const step = fc.record({ wait: fc.integer({ min: 0, max: 60 }), instant: fc.integer({ min: 0, max: 9 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
        const { at } = opened();
        const said: { time: number; instant: number }[] = [];
        let time = 0;
        for (const { wait, instant } of steps) {
          time += wait;
          said.push({ time, instant });
          const taken = at(time, instant);
          if (taken === null) continue;
          // The instant that was reported when the delay began counts, too.
          const began = said.findLast((one) => one.time <= time - FOR_MS);
          expect(began).toBeDefined();
          for (const one of said) if (one.time >= (began?.time ?? 0)) expect(taken).toBeLessThanOrEqual(one.instant);
        }
      }),
    );
  });
});
