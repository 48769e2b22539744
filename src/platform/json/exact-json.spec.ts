import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalDigits, ExactNumber, parseExact, stringifyExact } from './exact-json.js';

describe('exact numbers', () => {
  it.each([
    ['608548899684111178'],
    ['-608548899684111178'],
    ['0.1234567890123456789'],
    ['12345678901234567890123456789012345678901234567890'],
    ['[1,608548899684111178,{"a":608548899684111179}]'],
    ['{"a":"608548899684111178","b":"\\"608548899684111178","c":608548899684111178}'],
  ])('writes %s as it was read', (text) => {
    expect(stringifyExact(parseExact(text))).toBe(text);
  });

  it.each([
    ['6.08548899684111178e17', '608548899684111178'],
    ['608548899684111178E-20', '0.00608548899684111178'],
    ['-1.2345678901234567890e-3', '-0.0012345678901234567890'],
    ['12345678901234567e3', '12345678901234567000'],
  ])('writes %s without an exponent', (text, written) => {
    expect(stringifyExact(parseExact(text))).toBe(written);
  });

  it.each([
    ['1e21'],
    ['9007199254740992'],
    ['0.30000000000000004'],
    ['1000000000000000000000'],
    ['0.00000000000000001'],
    ['1.2345678901234567e-400'],
    ['1.2345678901234567e-999999999'],
  ])('reads %s as a double', (text) => {
    expect(parseExact(text)).toBe(Number(text));
  });

  it('reads everything else as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(stringifyExact(parseExact(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 100 },
    );
  });

  it('keeps a member called __proto__', () => {
    const text = '{"__proto__":{"a":608548899684111178}}';
    expect(stringifyExact(parseExact(text))).toBe(text);
  });

  it('is a double for whoever does not ask for its digits', () => {
    expect(JSON.stringify(parseExact('{"a":608548899684111178}'))).toBe('{"a":608548899684111200}');
  });

  it('reads a million digits in a moment', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(parseExact(`1.${zeros}1`)).toBeInstanceOf(ExactNumber);
    expect(parseExact(`[1.${zeros},1.${zeros}1]`)).toEqual([1, expect.any(ExactNumber)]);
    expect(canonicalDigits(new ExactNumber(`10.${zeros}`))).toBe('10');
  }, 5_000);

  it('has the same canonical digits for the same number', () => {
    expect(canonicalDigits(new ExactNumber('608548899684111178.50'))).toBe('608548899684111178.5');
    expect(canonicalDigits(new ExactNumber('608548899684111178.00'))).toBe('608548899684111178');
    expect(canonicalDigits(1e21)).toBe('1000000000000000000000');
    expect(canonicalDigits(-0)).toBe('0');
  });
});
