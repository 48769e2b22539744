import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { emailKeyOf } from './email-key.js';
import { anyText, propertyRuns } from '../../../../test/support/property-runs.js';

describe('the key of an address', () => {
  it.each([
    ['Mike@Example.COM', 'mike@example.com'],
    ['mi\u212ae@example.com', 'mi\u212ae@example.com'],
    ['Rene\u0301@example.com', 'ren\u00e9@example.com'],
    ['REN\u00c9@example.com', 'ren\u00c9@example.com'],
    ['RENE\u0301@example.com', 'ren\u00c9@example.com'],
    ['\u0130ris@example.com', '\u0130ris@example.com'],
    ['J\u030ca@example.com', '\u01f0a@example.com'],
    ['u@b\u00fccher.example', 'u@xn--bcher-kva.example'],
    ['U@B\u00dcCHER.Example', 'u@xn--bcher-kva.example'],
    ['u@bu\u0308cher.example', 'u@xn--bcher-kva.example'],
    ['u@XN--BCHER-KVA.example', 'u@xn--bcher-kva.example'],
    ['u@\uff42\u00fccher.example', 'u@xn--bcher-kva.example'],
    [' \tu@example.com\u00a0\n', 'u@example.com'],
    ['\u00dc@\u00dc.example', '\u00dc@xn--tda.example'],
    ['u@example.com/x', 'u@example.com/x'],
    ['u@\u0345\u0300', 'u@\u0300\u0345'],
    ['u@xn--\u00fc.example', 'u@xn--\u00fc.example'],
    ['H\u0331T\u0308W\u030aY\u030a@example.com', '\u1e96\u1e97\u1e98\u1e99@example.com'],
  ])('is made from %j as %j', (email, key) => {
    expect(emailKeyOf(email)).toBe(key);
    expect(emailKeyOf(key)).toBe(key);
  });

  it('is its own key, and one for all spellings that Unicode holds to be equal', () => {
    const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcz@.;`\u037e\u1fef\u212a\u1100\u1161\u11a8');
    const mark = fc.integer({ min: 0x300, max: 0x36f }).map((code) => String.fromCodePoint(code));
    const address = fc.array(fc.oneof(letter, mark, anyText({ maxLength: 2 })), { maxLength: 12 });
    fc.assert(
      fc.property(address, (parts) => {
        const email = parts.join('');
        const key = emailKeyOf(email);
        expect(emailKeyOf(key)).toBe(key);
        if (/[\u037e\u1fef\u212a]/.test(email)) return;
        expect(emailKeyOf(email.normalize('NFD'))).toBe(key);
        expect(emailKeyOf(email.normalize('NFC'))).toBe(key);
      }),
      { numRuns: propertyRuns(2_000) },
    );
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
