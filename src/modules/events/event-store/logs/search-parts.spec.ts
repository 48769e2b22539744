import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { searchParts } from './search-parts.js';

const day = (number: number): Date => new Date(number * 86_400_000);
const window = (from: number, to: number) => ({ from: day(from), to: day(to) });

describe('the division of a log search', () => {
  it.each([
    ['without indexes', [], [[false, 10, 40]]],
    ['within an indexed month', [[0, 50]], [[true, 10, 40]]],
    [
      'with an indexed month in the middle',
      [[20, 30]],
      [
        [false, 30, 40],
        [true, 20, 30],
        [false, 10, 20],
      ],
    ],
    [
      'with indexed months at both ends',
      [
        [35, 60],
        [0, 15],
      ],
      [
        [true, 35, 40],
        [false, 15, 35],
        [true, 10, 15],
      ],
    ],
    [
      'with adjacent indexed months',
      [
        [20, 30],
        [12, 20],
      ],
      [
        [false, 30, 40],
        [true, 20, 30],
        [true, 12, 20],
        [false, 10, 12],
      ],
    ],
    [
      'with indexed months outside of the window',
      [
        [40, 60],
        [0, 10],
      ],
      [[false, 10, 40]],
    ],
  ])('separates indexed months from the rest: %s', (_, indexed, expected) => {
    const parts = searchParts(
      window(10, 40),
      indexed.map(([from = 0, to = 0]) => window(from, to)),
    );
    expect(parts).toEqual(
      expected.map(([isIndexed, from, to]) => ({ ...window(from as number, to as number), isIndexed })),
    );
  });

  it('covers the window from its end to its beginning without gaps', () => {
    const borders = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 0, maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 40 }), borders, (from, length, days) => {
        const sorted = [...days].sort((a, b) => b - a);
        const indexed = sorted.flatMap((to, index) =>
          index % 2 === 0 && sorted[index + 1] !== undefined ? [window(sorted[index + 1]!, to)] : [],
        );
        const parts = searchParts(window(from, from + length), indexed);
        expect(parts[0]?.to).toEqual(day(from + length));
        expect(parts.at(-1)?.from).toEqual(day(from));
        parts.slice(1).forEach((part, index) => expect(part.to).toEqual(parts[index]!.from));
        for (const part of parts) {
          expect(part.from < part.to).toBe(true);
          expect(indexed.some((month) => month.from <= part.from && part.to <= month.to)).toBe(part.isIndexed);
        }
      }),
    );
  });
});
