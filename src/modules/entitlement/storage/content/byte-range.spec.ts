import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rangeOf } from './byte-range.js';

/** The rules of RFC 9110 14.1.2, written out for content of ten bytes. */
const OF_TEN: readonly (readonly [string | undefined, ReturnType<typeof rangeOf>])[] = [
  [undefined, 'whole'],
  ['', 'whole'],
  ['bytes=0-0', { first: 0, last: 0 }],
  ['bytes=0-9', { first: 0, last: 9 }],
  ['bytes=3-', { first: 3, last: 9 }],
  ['bytes=3-99', { first: 3, last: 9 }],
  ['bytes=9-9', { first: 9, last: 9 }],
  ['bytes=-1', { first: 9, last: 9 }],
  ['bytes=-10', { first: 0, last: 9 }],
  ['bytes=-11', { first: 0, last: 9 }],
  ['BYTES=2-4', { first: 2, last: 4 }],
  ['bytes=  2-4  ', { first: 2, last: 4 }],
  ['bytes=007-008', { first: 7, last: 8 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=10-12', 'unsatisfiable'],
  ['bytes=99999999999999999999999-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=0-99999999999999999999999', { first: 0, last: 9 }],
  ['bytes=4-2', 'whole'],
  ['bytes=0-1,3-4', 'whole'],
  ['bytes=0-1, ', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes=1.5-3', 'whole'],
  ['bytes=-1-3', 'whole'],
  ['bytes 0-1', 'whole'],
  ['bytes=0-1;', 'whole'],
  ['lines=0-1', 'whole'],
  ['bytes=0x0-1', 'whole'],
  ['bytes=0–1', 'whole'],
];

describe('the range of a request', () => {
  it.each(OF_TEN)('is read from the header %s for ten bytes as %j', (header, range) => {
    expect(rangeOf(header, 10)).toEqual(range);
  });

  it.each([
    ['bytes=0-', 'unsatisfiable'],
    ['bytes=0-0', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=-5', 'whole'],
    ['bytes=1-0', 'whole'],
  ])('is read from the header %s for empty content as %j', (header, range) => {
    expect(rangeOf(header, 0)).toBe(range);
  });

  it('lies within the content, whatever is asked', () => {
    const number = fc.oneof(fc.bigInt({ min: 0n, max: 1n << 70n }), fc.bigInt({ min: 0n, max: 40n }));
    fc.assert(
      fc.property(fc.option(number), fc.option(number), fc.nat(40), (from, to, size) => {
        const range = rangeOf(`bytes=${from ?? ''}-${to ?? ''}`, size);
        if (typeof range === 'string') {
          const couldBe =
            from === null ? to !== null && to > 0n && size > 0 : from < size && (to === null || to >= from);
          expect(couldBe).toBe(false);
          return;
        }
        expect(range.first).toBeGreaterThanOrEqual(0);
        expect(range.last).toBeGreaterThanOrEqual(range.first);
        expect(range.last).toBeLessThan(size);
        if (from !== null) expect(range.first).toBe(Number(from));
      }),
    );
  });
});
