import { describe, expect, it } from '@jest/globals';
import { typedCode } from './typed-code.js';

describe('typedCode', () => {
  it.each([
    ['123456', '123456'],
    [' 123 456\t', '123456'],
    ['123\u00a0456', '123456'],
    ['123\u2009456\u3000', '123456'],
    ['１２３４５６', '123456'],
    ['𝟏𝟐𝟑𝟒𝟓𝟔', '123456'],
    ['\u202a123-456\u202c\u200b', '123456'],
    ...'-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad\ufe58\ufe63\uff0d'
      .split('')
      .map((dash): [string, string] => [`ab${dash}cd`, 'abcd']),
    ['ＡＢ－ｃｄ', 'ABcd'],
    ['\u0661\u0662\u0663', '\u0661\u0662\u0663'],
    ['12.34', '12.34'],
    ['', ''],
  ])('reads %p as %p', (text, code) => {
    expect(typedCode(text)).toBe(code);
  });
});
