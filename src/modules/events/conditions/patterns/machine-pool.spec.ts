import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SLICE_STEPS } from '../filter-run.js';
import { MachinePool } from './machine-pool.js';
import { PatternMachine } from './pattern-machine.js';
import { parsePattern } from './pattern-syntax.js';
import { patternFault } from './text-pattern.js';
import { propertyRuns } from '../../../../../test/support/property-runs.js';

const machineOf = (source: string): PatternMachine => new PatternMachine(parsePattern(source));
/** Returns characters whose code points are never consecutive. */
const characters = (count: number): string =>
  Array.from({ length: count }, (_, index) => String.fromCodePoint(0x4000 + 2 * index)).join('');

const atom = fc.oneof(
  fc.constantFrom(
    'a',
    'é',
    '.',
    '\\W',
    '\\S',
    '[^\\d-]',
    '(?:a?b?)',
    '(?:a|b|)',
    '(^|a|$)',
    '()',
    '(?:^|a*)*',
    '(?:(?:a*b?)*c?)*',
  ),
  fc.integer({ min: 1, max: 150 }).map((count) => `[${characters(count)}]`),
  fc.integer({ min: 1, max: 60 }).map((count) => `[^${characters(count)}]`),
);
const hostile = fc
  .array(
    fc
      .tuple(atom, fc.constantFrom('', '?', '*', '+', '{0,100}', '{100}', '{50,}'))
      .map(([one, times]) => (one.endsWith('$') || one.endsWith('^') ? one : `${one}${times}`)),
    { minLength: 1, maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))
  .filter((source) => patternFault(source) === null);

describe('the machine of a pattern', () => {
  it.each([
    ['200 literals', 'abcdefghij'.repeat(20)],
    ['a class of 90 separate characters', `[${characters(90)}]{100}x`],
    ['many classes', '[^a][^b][^c][^d][^e][^f][^g][^h][^i][^j][^k][^l][^m][^n][^o][^p][^q][^r][^s][^t]'],
    ['everything left out', '(?:a?){100}(?:b?){100}(?:c?){56}'],
    ['loops in loops', `${'(?:'.repeat(20)}a?b?c?${')*'.repeat(20)}`],
    ['parts without characters', '(?:(?:^|$){60}a?){20}'],
    ['all of it', `(?:(?:a?){100}(?:b?){100}(?:${'(?:'.repeat(18)}c?${')*'.repeat(18)}){50})*`],
  ])('is made within half a slice: %s', (_, source) => {
    expect(patternFault(source)).toBeNull();
    expect(machineOf(source).stepsToMake).toBeLessThan(SLICE_STEPS / 2);
  });

  it('is made within half a slice, whatever the pattern, and in less time the shorter it is', () => {
    fc.assert(
      fc.property(hostile, (source) => {
        const { stepsToMake, bytes } = machineOf(source);
        expect(stepsToMake).toBeLessThan(SLICE_STEPS / 2);
        expect(bytes).toBeLessThan(64 * 1_024);
      }),
      { numRuns: propertyRuns(500) },
    );
    const long = machineOf(`[${characters(180)}]`).stepsToMake;
    const short = machineOf(`[${characters(90)}]`).stepsToMake;
    const fixed = machineOf('a').stepsToMake;
    expect(long - fixed).toBeLessThan(2.1 * (short - fixed));
  });
});

describe('the machine pool of a process', () => {
  const wide = (index: number): string => `(a|b)*a(a|b){100}[^c]{100}c${index}`;
  const small = (index: number): string => `timed? out ${index}`;

  it('stays within its bytes for any sequence of requests', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat({ max: 40 }), fc.boolean()), { maxLength: 300 }),
        (asked) => {
          const pool = new MachinePool(200_000);
          for (const [project, index, isWide] of asked) {
            const source = isWide ? wide(index) : small(index);
            expect(pool.of(project, source).matches(`time out ${index}`)).toBe(!isWide);
            expect(pool.prepare(project, source)).toBe(0);
            expect(pool.bytes).toBeLessThanOrEqual(200_000);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('keeps the machines of one project when another project requests thousands', () => {
    const pool = new MachinePool(1_000_000);
    const mine = Array.from({ length: 50 }, (_, index) => small(index));
    for (const source of mine) pool.of('mine', source);
    for (let index = 0; index < 2_000; index += 1) pool.of('greedy', index % 2 === 0 ? wide(index) : small(index));
    expect(mine.filter((source) => pool.prepare('mine', source) > 0)).toEqual([]);
  });

  it('keeps machines in use, and drops those that were unused for the longest time', () => {
    const pool = new MachinePool(1_000_000);
    const inUse = Array.from({ length: 10 }, (_, index) => small(index));
    for (let index = 0; index < 500; index += 1) {
      for (const source of inUse) pool.of('mine', source);
      pool.of('mine', wide(index));
    }
    // Every machine in use was built only once.
    expect(pool.made).toBe(510);
    expect(pool.prepare('mine', wide(499))).toBe(0);
    expect(pool.prepare('mine', wide(0))).toBeGreaterThan(0);
  });

  it('leaves room for each of many projects', () => {
    const pool = new MachinePool(1_000_000);
    for (let round = 0; round < 3; round += 1) {
      for (let project = 0; project < 10; project += 1) {
        for (let index = 0; index < 15; index += 1) pool.of(`project ${project}`, small(index));
        for (let index = 0; index < 60; index += 1) pool.of('greedy', wide(60 * project + index));
      }
    }
    expect(pool.made).toBe(10 * 15 + 3 * 600);
  });
});
