import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_PATTERNS } from './filter.js';
import { storedFilter } from './filter-kind.js';
import { FilterRun, FilterTooCostly, SLICE_STEPS } from './filter-run.js';
import { compileFilter, type Meter } from './matcher.js';
import { MACHINES } from './patterns/machine-pool.js';
import { MAX_SEARCHED } from './patterns/pattern-syntax.js';
import { patternFault } from './patterns/text-pattern.js';

/** Operations of one character of one pattern, with the most positions that a pattern may have. */
const MOST_OF_A_CHARACTER = 8 * (8 * 8 + 2);

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
        const matches = compileFilter(storedFilter(written));
        let [slice, pauses] = [0, 0];
        const run = new FilterRun(() => {
          [slice, pauses] = [0, pauses + 1];
          return Promise.resolve();
        });
        const search = run.search.bind(run);
        // One search never takes more than a slice or so, so that nobody waits for longer.
        run.search = (part, steps, look) =>
          search(part, steps, () => {
            slice += steps;
            expect(slice).toBeLessThanOrEqual(SLICE_STEPS + MAX_SEARCHED * MOST_OF_A_CHARACTER);
            return look();
          });
        expect(await run.fits(matches, asked)).toBe(matches(asked));
        const length = JSON.stringify(asked).length;
        expect(run.steps).toBeLessThanOrEqual(
          patterns * MAX_SEARCHED * MOST_OF_A_CHARACTER + 100 * (2 * length + 1_000) * (pauses + 1),
        );
      }),
      { numRuns: 150 },
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
    const matches = compileFilter(storedFilter({ all: parts }));
    let pauses = 0;
    const run = new FilterRun(() => Promise.resolve((pauses += 1)));
    const asked = { fields: { event: 'a', message: 'a'.repeat(MAX_SEARCHED) }, properties: {} };
    expect(await run.fits(matches, asked)).toBe(true);
    expect(pauses).toBeGreaterThan(10);
  });

  it('gives up a filter that takes more than any that is accepted', () => {
    const greedy = (_: unknown, meter?: Meter): boolean => meter?.search({}, 1e9, () => true) ?? true;
    expect(() => new FilterRun().fits(greedy, { fields: {}, properties: {} })).toThrow(FilterTooCostly);
  });

  it('asks once for what it has found, however many slices a filter takes', async () => {
    const asked: number[] = [];
    const parts = Array.from({ length: 8 }, (_, index) => ({ index }));
    const wide = (_: unknown, meter?: Meter): boolean =>
      parts.every((part) => meter?.search(part, SLICE_STEPS, () => asked.push(part.index) > 0));
    expect(await new FilterRun().fits(wide, { fields: {}, properties: {} })).toBe(true);
    expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
