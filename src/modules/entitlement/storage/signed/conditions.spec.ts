import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ConditionHeaders, httpDate, isRangeWanted, judge, matches } from './conditions.js';

const MODIFIED = new Date('2026-11-20T12:00:00.400Z');
const AT = 'Fri, 20 Nov 2026 12:00:00 GMT';
const BEFORE = 'Fri, 20 Nov 2026 11:59:59 GMT';
const AFTER = 'Fri, 20 Nov 2026 12:00:01 GMT';
const VALIDATORS = { etag: 'abc', modifiedAt: MODIFIED };

/** The steps of RFC 9110 13.2.2, one after another. */
const STEPS: readonly (readonly [ConditionHeaders, ReturnType<typeof judge>])[] = [
  [{}, 'go-on'],
  [{ 'if-match': '"abc"' }, 'go-on'],
  [{ 'if-match': '*' }, 'go-on'],
  [{ 'if-match': '"x", "abc"' }, 'go-on'],
  [{ 'if-match': '"x"' }, 'failed'],
  [{ 'if-match': 'W/"abc"' }, 'failed'],
  [{ 'if-match': 'abc' }, 'failed'],
  [{ 'if-match': '' }, 'failed'],
  [{ 'if-match': '"abc"', 'if-unmodified-since': BEFORE }, 'go-on'],
  [{ 'if-unmodified-since': BEFORE }, 'failed'],
  [{ 'if-unmodified-since': AT }, 'go-on'],
  [{ 'if-unmodified-since': AFTER }, 'go-on'],
  [{ 'if-unmodified-since': 'yesterday' }, 'go-on'],
  [{ 'if-none-match': '"abc"' }, 'not-modified'],
  [{ 'if-none-match': 'W/"abc"' }, 'not-modified'],
  [{ 'if-none-match': '"x",W/"abc"' }, 'not-modified'],
  [{ 'if-none-match': '*' }, 'not-modified'],
  [{ 'if-none-match': '"x"' }, 'go-on'],
  [{ 'if-none-match': '"x"', 'if-modified-since': AFTER }, 'go-on'],
  [{ 'if-modified-since': AT }, 'not-modified'],
  [{ 'if-modified-since': AFTER }, 'not-modified'],
  [{ 'if-modified-since': BEFORE }, 'go-on'],
  [{ 'if-modified-since': 'never' }, 'go-on'],
  [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 'failed'],
  [{ 'if-match': '"abc"', 'if-none-match': '"abc"' }, 'not-modified'],
  [{ 'if-unmodified-since': BEFORE, 'if-modified-since': AFTER }, 'failed'],
];

describe('the check of conditional headers', () => {
  it.each(STEPS)('decides for the headers %j: %s', (headers, verdict) => {
    expect(judge(headers, VALIDATORS)).toBe(verdict);
  });

  it.each([
    [undefined, true],
    ['"abc"', true],
    [' "abc" ', true],
    ['W/"abc"', false],
    ['"x"', false],
    ['abc', false],
    [AT, true],
    [BEFORE, false],
    [AFTER, false],
    ['soon', false],
  ])('accepts a range with If-Range %j: %s', (header, wanted) => {
    expect(isRangeWanted(header, VALIDATORS)).toBe(wanted);
  });

  it.each([
    [AT, '2026-11-20T12:00:00.000Z'],
    ['Friday, 20-Nov-26 12:00:00 GMT', '2026-11-20T12:00:00.000Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    ['Fri, 31 Feb 2026 12:00:00 GMT', undefined],
    ['Fri, 20 Nov 2026 24:00:00 GMT', undefined],
    ['Fri, 20 Nov 2026 12:00:00 CET', undefined],
    ['2026-11-20T12:00:00Z', undefined],
    ['', undefined],
  ])('reads the date %j as %s', (text, iso) => {
    expect(httpDate(text)?.toISOString()).toBe(iso);
  });

  it('reads any date in the form of HTTP', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }), (date) => {
        expect(httpDate(date.toUTCString())?.getTime()).toBe(Math.floor(date.getTime() / 1_000) * 1_000);
      }),
    );
  });

  it('reads a long list of tags only once', () => {
    const list = `${'"a", '.repeat(3_000)}"abc"`;
    expect([matches(list, 'abc'), matches('"'.repeat(15_000), 'abc')]).toEqual([true, false]);
  });
});
