import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_PATTERNS } from './filter.js';
import { storedFilter } from './filter-kind.js';
import { FilterRun, FilterTooCostly, SLICE_STEPS } from './filter-run.js';
import { compileFilter } from './matcher.js';
import type { Meter, Search } from './operators/search.js';
import { MACHINES } from './patterns/machine-pool.js';
import { MAX_SEARCHED } from './patterns/pattern-syntax.js';
import { patternFault } from './patterns/text-pattern.js';
import { propertyRuns } from '../../../../test/support/property-runs.js';

/** Operations for one character of a pattern with the maximum number of positions. */
const MOST_OF_A_CHARACTER = 8 * (8 * 8 + 2);
/** Maximum number of steps to build the machine of one pattern. */
const MOST_TO_MAKE = SLICE_STEPS / 2;

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^c]', '(a|b)', '(?:a?b?)', '(^|a)', '(b|$)', '\\w', '\\S');
const piece = fc
  .tuple(atom, fc.constantFrom('', '*', '+', '?', '{40}', '{0,60}', '{100}', '{20,}'))
  .map((parts) => parts.join(''));
const pattern = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(''))
  .filter((source) => patternFault(source) === null);
const field = fc.oneof(
  fc.constantFrom('message', 'event'),
  fc
    .array(fc.constantFrom('a', 'b', '0'), { minLength: 1, maxLength: 16 })
    .map((path) => `properties.${path.join('.')}`),
);
const comparison = fc.oneof(
  fc.record({ field, op: fc.constant('matches'), value: pattern }),
  fc.record({ field, op: fc.constant('contains'), value: fc.constantFrom('a'.repeat(200), `b${'a'.repeat(150)}`) }),
  fc.record({ field, op: fc.constantFrom('eq', 'starts_with'), value: fc.constantFrom('a', 'ab') }),
);
const { filter } = fc.letrec<{ filter: object }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    comparison,
    fc.record({ all: fc.array(tie('filter'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ any: fc.array(tie('filter'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ not: tie('filter') }),
  ),
}));
const text = fc
  .tuple(fc.constantFrom('a', 'ab', 'aab', 'abc', 'ä😀'), fc.constantFrom(1, 500, 5_000, 40_000))
  .map(([unit, times]) => unit.repeat(times));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('value'), { maxKeys: 3 }),
  ),
}));
const subject = fc
  .tuple(text, text, fc.dictionary(fc.constantFrom('a', 'b'), value, { maxKeys: 2 }))
  .map(([message, event, properties]) => ({ fields: { message, event }, properties }));

describe('a run of filters', () => {
  it('keeps to its steps, whatever the filter, the path and the document, and answers as without them', async () => {
    await fc.assert(
      fc.asyncProperty(filter, subject, async (written, asked) => {
        const patterns = JSON.stringify(written).split('"matches"').length - 1;
        fc.pre(patterns <= MAX_PATTERNS);
        const matches = compileFilter(storedFilter(written), 'project');
        let [slice, pauses] = [0, 0];
        const run = new FilterRun(() => {
          [slice, pauses] = [0, pauses + 1];
          return Promise.resolve();
        });
        const search = run.search.bind(run);
        // Between two pauses a run takes hardly more steps than a slice has, so that other requests do not wait longer.
        const counted = (steps: number): number => {
          slice += steps;
          expect(slice).toBeLessThanOrEqual(SLICE_STEPS + MAX_SEARCHED * MOST_OF_A_CHARACTER + MOST_TO_MAKE);
          return steps;
        };
        const known = new Map<object, object>();
        const watched = <T>(one: Search<T>): Search<T> => ({
          prepare: () => {
            const steps = one.prepare?.() ?? 0;
            expect(steps).toBeLessThanOrEqual(MOST_TO_MAKE);
            return counted(steps);
          },
          stepsIn: (value) => one.stepsIn(value),
          isIn: (value) => {
            counted(one.stepsIn(value));
            return one.isIn(value);
          },
        });
        run.search = <T>(one: Search<T>, value: T): boolean => {
          const same = (known.get(one) ?? watched(one)) as Search<T>;
          known.set(one, same);
          return search(same, value);
        };
        expect(await run.fits(matches, asked)).toBe(matches(asked));
        const length = JSON.stringify(asked).length;
        expect(run.steps).toBeLessThanOrEqual(
          patterns * (MAX_SEARCHED * MOST_OF_A_CHARACTER + MOST_TO_MAKE) + 100 * (2 * length + 1_000) * (pauses + 1),
        );
      }),
      { numRuns: propertyRuns(150) },
    );
    expect(MACHINES.bytes).toBeLessThanOrEqual(32 * 1_024 * 1_024);
  });

  it('gets on with searches that are more than a slice, after comparisons that cost next to nothing', async () => {
    const parts = [
      { field: 'event', op: 'eq', value: 'a' },
      ...Array.from({ length: 20 }, (_, index) => ({
        field: 'message',
        op: 'matches',
        value: `^(?:.{100}.{100}.{${30 + index}}c)*a`,
      })),
    ];
    const matches = compileFilter(storedFilter({ all: parts }), 'project');
    let pauses = 0;
    const run = new FilterRun(() => Promise.resolve((pauses += 1)));
    const asked = { fields: { event: 'a', message: 'a'.repeat(MAX_SEARCHED) }, properties: {} };
    expect(await run.fits(matches, asked)).toBe(true);
    expect(pauses).toBeGreaterThan(10);
  });

  it('gives up a filter that takes more than any that is accepted, or more than it is allowed', () => {
    const asked = { fields: {}, properties: {} };
    const taking =
      (steps: number) =>
      (_: unknown, meter?: Meter): boolean =>
        meter?.search({ stepsIn: () => steps, isIn: () => true }, '') ?? true;
    expect(() => new FilterRun().fits(taking(1e9), asked)).toThrow(FilterTooCostly);
    expect(() => new FilterRun().fits(taking(1_001), asked, 1_000)).toThrow(FilterTooCostly);
    expect(new FilterRun().fits(taking(1_000), asked, 1_000)).toBe(true);
  });

  it('counts what it takes to make the machines of patterns, once, and pauses for it', async () => {
    const parts = Array.from({ length: 20 }, (_, index) => ({
      field: 'message',
      op: 'matches',
      value: `(?:a?b?c?){80}${index}`,
    }));
    const matches = compileFilter(storedFilter({ any: parts }), 'cold');
    let pauses = 0;
    const run = new FilterRun(() => Promise.resolve((pauses += 1)));
    const asked = { fields: { message: 'x' }, properties: {} };
    expect(await run.fits(matches, asked)).toBe(false);
    const [cold, pausesCold] = [run.steps, pauses];
    expect(cold).toBeGreaterThan(20 * 50_000);
    expect(pausesCold).toBeGreaterThan(0);
    expect(await run.fits(matches, asked)).toBe(false);
    expect(run.steps).toBeLessThan(20 * (MOST_OF_A_CHARACTER + 100));
    // A run with too few steps for all machines gives up after some of them.
    const made = MACHINES.made;
    const other = compileFilter(storedFilter({ any: parts }), 'poor');
    await expect((async () => new FilterRun().fits(other, asked, cold / 4))()).rejects.toThrow(FilterTooCostly);
    expect(MACHINES.made - made).toBeLessThan(10);
  });

  it('asks once for what it has found, however many slices a filter takes', async () => {
    const asked: number[] = [];
    const parts = Array.from({ length: 8 }, (_, index) => ({
      stepsIn: () => SLICE_STEPS,
      isIn: () => asked.push(index) > 0,
    }));
    const wide = (_: unknown, meter?: Meter): boolean => parts.every((part) => meter?.search(part, ''));
    expect(await new FilterRun().fits(wide, { fields: {}, properties: {} })).toBe(true);
    expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
