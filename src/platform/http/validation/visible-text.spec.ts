import { describe, expect, it } from '@jest/globals';
import { isSteering, isVisible } from './visible-text.js';

const BLANKS: readonly [string, string][] = [
  ['a blank', ' '],
  ['a tab and a line end', '\t\n'],
  ['a no-break space', '\u00a0'],
  ['an ideographic space', '\u3000'],
  ['a line separator', '\u2028'],
  ['a soft hyphen', '\u00ad'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a right-to-left override', '\u202e'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['a combining acute', '\u0301'],
  ['a variation selector', '\ufe0f'],
  ['a combining grapheme joiner', '\u034f'],
  ['a Hangul filler', '\u3164'],
  ['a half-width Hangul filler', '\uffa0'],
  ['a Hangul leading filler', '\u115f'],
  ['a braille blank', '\u2800'],
  ['a private character', '\ue000'],
  ['a tag', '\u{e0041}'],
  ['a null notehead', '\u{1d159}'],
  ['a control', '\u0007'],
];

describe('visible text', () => {
  it.each(BLANKS)('is not found in %s', (_, text) => {
    expect(isVisible(text)).toBe(false);
    expect(isVisible(text.repeat(3))).toBe(false);
    expect(isVisible(`${text}a`)).toBe(true);
  });

  it('is not found in all of them together', () => {
    expect(isVisible(BLANKS.map(([, text]) => text).join(''))).toBe(false);
  });

  it.each(['a', '0', '.', '\u00e9', 'e\u0301', '\u6f22', '\ud83d\ude00', '\u2801', '\u05d0', '\u00a9', '-'])(
    'is found in %j',
    (text) => {
      expect(isVisible(text)).toBe(true);
    },
  );
});

describe('steering text', () => {
  it.each([
    ['a tab', '\t'],
    ['a line feed', '\n'],
    ['a carriage return', '\r'],
    ['an escape', '\u001b'],
    ['a delete', '\u007f'],
    ['a next line', '\u0085'],
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
    ['an Arabic letter mark', '\u061c'],
    ['a left-to-right mark', '\u200e'],
    ['a right-to-left mark', '\u200f'],
    ['a left-to-right embedding', '\u202a'],
    ['a right-to-left override', '\u202e'],
    ['a left-to-right isolate', '\u2066'],
    ['a pop of an isolate', '\u2069'],
  ])('is one with %s', (_, text) => {
    expect(isSteering(`a${text}b`)).toBe(true);
  });

  it.each(['Ada Lovelace', 'עדה', 'آدا', '👩‍👩‍👧', 'a\u00a0b', 'e\u0301', '日本\u3000'])('is none as %j', (text) => {
    expect(isSteering(text)).toBe(false);
  });
});
