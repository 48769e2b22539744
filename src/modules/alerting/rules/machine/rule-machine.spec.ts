import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Effect,
  INACTIVE,
  type Observation,
  type RuleState,
  type SeriesState,
  stateOfRule,
  step,
} from './rule-machine.js';
import { propertyRuns } from '../../../../../test/support/property-runs.js';

const at = (state: 'pending' | 'firing' | 'recovering', since: number, breachedAt = since): SeriesState => ({
  state,
  since: since * 1_000,
  breachedAt: breachedAt * 1_000,
});

describe('the machine of a rule', () => {
  // The columns are: state before, observation at 100 s, `forSeconds`, `keepFiringSeconds`, state after, effect.
  it.each<[SeriesState, Observation, number, number, SeriesState, Effect]>([
    [INACTIVE, 'breach', 0, 0, at('firing', 100), 'fire'],
    [INACTIVE, 'breach', 60, 0, at('pending', 100), null],
    [INACTIVE, 'clear', 0, 0, INACTIVE, null],
    [at('pending', 41), 'breach', 60, 0, at('pending', 41, 100), null],
    [at('pending', 40), 'breach', 60, 0, at('firing', 100), 'fire'],
    [at('pending', 40), 'clear', 60, 60, INACTIVE, null],
    [at('firing', 40), 'breach', 0, 0, at('firing', 40, 100), 'repeat'],
    [at('firing', 40), 'clear', 0, 0, INACTIVE, 'recover'],
    [at('firing', 10, 41), 'clear', 0, 60, at('recovering', 100, 41), null],
    [at('firing', 10, 40), 'clear', 0, 60, INACTIVE, 'recover'],
    [at('recovering', 50, 41), 'clear', 0, 60, at('recovering', 50, 41), null],
    [at('recovering', 50, 40), 'clear', 0, 60, INACTIVE, 'recover'],
    [at('recovering', 50, 41), 'breach', 60, 60, at('firing', 100), 'repeat'],
    [at('recovering', 50, 41), 'unknown', 0, 0, at('recovering', 50, 41), null],
    [at('pending', 200), 'breach', 60, 0, at('pending', 200), null],
  ])(
    'moves from %j on "%s" (for %d s, keep firing %d s) to %j with the effect %s',
    (before, observation, forSeconds, keepFiringSeconds, after, effect) => {
      expect(step(before, observation, 100_000, { forSeconds, keepFiringSeconds })).toEqual({ after, effect });
    },
  );

  it.each<[RuleState[], RuleState]>([
    [[], 'inactive'],
    [['pending', 'firing', 'recovering'], 'firing'],
    [['pending', 'recovering'], 'recovering'],
    [['pending'], 'pending'],
  ])('shows for series in %j: %s', (states, shown) => {
    expect(stateOfRule(states)).toBe(shown);
  });
});

const walks = fc.array(
  fc.tuple(fc.constantFrom<Observation>('breach', 'breach', 'clear', 'unknown'), fc.integer({ min: 0, max: 90 })),
  { maxLength: 60 },
);
const holds = fc.record({
  forSeconds: fc.constantFrom(0, 0, 30, 120),
  keepFiringSeconds: fc.constantFrom(0, 0, 30, 120),
});

describe('every walk of the machine', () => {
  it('has one fire and one recover for each episode, and keeps its times', () => {
    fc.assert(
      fc.property(walks, holds, (walk, { forSeconds, keepFiringSeconds }) => {
        let series: SeriesState = INACTIVE;
        let now = 1_000_000;
        let firing = false;
        let heldSince: number | null = null;
        let lastBreach = 0;
        for (const [observation, seconds] of walk) {
          now += seconds * 1_000;
          if (observation === 'breach') {
            heldSince ??= now;
            lastBreach = now;
          } else if (observation === 'clear') heldSince = null;
          const { after, effect } = step(series, observation, now, { forSeconds, keepFiringSeconds });
          if (effect === 'fire') {
            expect(firing).toBe(false);
            expect(heldSince).not.toBeNull();
            expect(now - (heldSince ?? now)).toBeGreaterThanOrEqual(forSeconds * 1_000);
            firing = true;
          }
          if (effect === 'repeat') expect([firing, observation]).toEqual([true, 'breach']);
          if (effect === 'recover') {
            expect([firing, observation]).toEqual([true, 'clear']);
            expect(now - lastBreach).toBeGreaterThanOrEqual(keepFiringSeconds * 1_000);
            firing = false;
          }
          expect(firing).toBe(after.state === 'firing' || after.state === 'recovering');
          if (observation === 'unknown') expect(after).toBe(series);
          if (observation === 'breach' && forSeconds === 0) expect(firing).toBe(true);
          if (observation === 'clear' && keepFiringSeconds === 0) expect(firing).toBe(false);
          series = after;
        }
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it('returns to inactive when its condition no longer holds', () => {
    fc.assert(
      fc.property(walks, holds, (walk, seconds) => {
        let series: SeriesState = INACTIVE;
        let now = 0;
        for (const [observation, wait] of walk)
          series = step(series, observation, (now += wait * 1_000), seconds).after;
        expect(step(series, 'clear', now + seconds.keepFiringSeconds * 1_000, seconds).after).toEqual(INACTIVE);
      }),
    );
  });

  it('accepts a clock that jumps back', () => {
    const waits = fc.array(
      fc.tuple(fc.constantFrom<Observation>('breach', 'clear'), fc.integer({ min: -300, max: 300 })),
    );
    fc.assert(
      fc.property(waits, holds, (walk, seconds) => {
        let series: SeriesState = INACTIVE;
        let now = 1_000_000;
        for (const [observation, wait] of walk) {
          const { after } = step(series, observation, (now += wait * 1_000), seconds);
          if (series.state !== 'inactive' && after.state !== 'inactive') {
            expect(after.breachedAt).toBeGreaterThanOrEqual(series.breachedAt);
          }
          series = after;
        }
      }),
    );
  });
});
