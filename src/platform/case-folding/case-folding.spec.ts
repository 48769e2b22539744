import { describe, expect, it } from '@jest/globals';
import { fold, variantsOf } from './case-folding.js';

describe('the folding of case', () => {
  it('is that of regular expressions with the flags iu, for every character', () => {
    for (let code = 1; code <= 0x1ffff; code += 1) {
      if (code === 0xd800) code = 0xe000;
      const character = String.fromCodePoint(code);
      const folded = fold(character);
      if (folded === character) continue;
      expect([character, new RegExp(`^\\u{${code.toString(16)}}$`, 'iu').test(folded)]).toEqual([character, true]);
      expect(fold(folded)).toBe(folded);
      if (code >= 0x80) expect(variantsOf(folded)).toContain(character);
    }
  });

  it.each([
    ['\u0130', '\u0130'],
    ['\u0131', '\u0131'],
    ['STRA\u1e9eE', 'straße'],
    ['ΣΑΣ ς', 'σασ σ'],
    ['\u212a\u017f', 'ks'],
    ['𐐀', '𐐨'],
  ])('turns %s into %s', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });
});
