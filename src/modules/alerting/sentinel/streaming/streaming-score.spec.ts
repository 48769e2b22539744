import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConformalNeighbours } from './conformal-neighbours.js';
import { StreamingScore, THRESHOLD } from './streaming-score.js';
import { evenEdges, WindowEntropy } from './window-entropy.js';

const WARM_UP = 120;

/** Returns a wave with noise, which has the same numbers in each run. */
function wave(length: number, seed = 1): number[] {
  let state = seed;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  return Array.from({ length }, (_, index) => 100 + 50 * Math.sin(index / 10) + 5 * next());
}

const scoresOf = (values: readonly number[], warmUp = WARM_UP): number[] => {
  const detector = new StreamingScore(warmUp);
  return values.map((value) => detector.push(value));
};

describe('the score of the streaming detectors', () => {
  it('reaches the threshold for a burst and for silence in a wave, and hardly ever in the wave itself', () => {
    const usual = wave(1_000);
    const quiet = scoresOf(usual).filter((score) => score >= THRESHOLD).length;
    expect(quiet).toBeLessThanOrEqual(usual.length / 50);
    for (const strange of [500, 0]) {
      const values = usual.with(800, strange);
      const scores = scoresOf(values);
      expect(Math.max(...scores.slice(800, 810))).toBeGreaterThanOrEqual(THRESHOLD);
    }
  });

  it.each([0, 7, 1e12])('stays below the threshold in a series that is always %d', (value) => {
    expect(Math.max(...scoresOf(Array<number>(600).fill(value)))).toBeLessThan(THRESHOLD);
  });

  it('stays between 0 and 1 for any input, is 0 in the warm-up, and is the same for the same input', () => {
    const value = fc.oneof(
      fc.integer({ min: 0, max: 20 }),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.constantFrom(0, 1e15, -1e15, Number.MAX_SAFE_INTEGER),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 300 }), fc.integer({ min: 20, max: 80 }), (values, warmUp) => {
        const scores = scoresOf(values, warmUp);
        for (const score of scores) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
        expect(Math.max(0, ...scores.slice(0, warmUp - 1))).toBe(0);
        expect(scoresOf(values, warmUp)).toEqual(scores);
      }),
      { numRuns: 60 },
    );
  });

  it('does not depend on the unit of a series', () => {
    const values = wave(500);
    const detectors = [1, 1_000].map((unit) => {
      const detector = new ConformalNeighbours(WARM_UP);
      return values.map((value) => detector.push(value * unit));
    });
    const differing = values.filter(
      (_, index) => Math.abs((detectors[0]?.[index] ?? 0) - (detectors[1]?.[index] ?? 1)) > 0.02,
    );
    expect(differing).toEqual([]);
  });

  it('rises for a window that is new, and not when the window comes again', () => {
    const entropy = new WindowEntropy(evenEdges(0, 10));
    const alarms = (value: number): number => {
      let sum = 0;
      for (let index = 0; index < 60; index++) sum += entropy.push(value);
      return sum;
    };
    expect(alarms(1)).toBe(0);
    expect(alarms(9)).toBeGreaterThan(0);
    expect([alarms(1), alarms(9), alarms(1)]).toEqual([0, 0, 0]);
  });
});
