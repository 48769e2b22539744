import { describe, expect, it } from '@jest/globals';
import { emailKeyOf } from './email-key.js';

describe('the key of an address', () => {
  it.each([
    ['Mike@Example.COM', 'mike@example.com'],
    ['mi\u212ae@example.com', 'mi\u212ae@example.com'],
    ['Rene\u0301@example.com', 'ren\u00e9@example.com'],
    ['REN\u00c9@example.com', 'ren\u00c9@example.com'],
    ['RENE\u0301@example.com', 'ren\u00c9@example.com'],
    ['\u0130ris@example.com', '\u0130ris@example.com'],
  ])('of %j is %j', (email, key) => {
    expect(emailKeyOf(email)).toBe(key);
    expect(emailKeyOf(key)).toBe(key);
  });

  it('is ASCII for ASCII alone, whatever character somebody finds that looks or folds like one', () => {
    const asAscii: string[] = [];
    for (let code = 0x80; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (/^\p{ASCII}/u.test(emailKeyOf(character))) {
        asAscii.push(code.toString(16));
      }
    }
    expect(asAscii).toEqual([]);
  });
});
