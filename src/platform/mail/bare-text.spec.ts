import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bareName, oneLine } from './bare-text.js';
import { propertyRuns } from '../../../test/support/property-runs.js';

const PARTS = [
  'https://evil.example/x',
  'http:evil.example',
  'www.evil.example',
  'evil.example',
  'EVIL。EXAMPLE',
  'evil．example',
  'evil｡example',
  'evil\u2024example',
  'me@evil.example',
  'me＠evil.example',
  'mailto:me@evil.example',
  'tel:+1',
  '\\\\evil\\share',
  '//evil',
  '[a](b)',
  '<a href="x">',
  '\r\n\r\nBcc: a@b.c',
  '\u2028',
  '\u0085',
  '\u202e',
  '\u2066',
  '\u200b',
  '\ufeff',
  '\u0000',
  '.',
  '..',
  ' . ',
  'a',
  'é',
  '公司',
  'שלום',
  '💥',
  '"',
  "'",
  '\u0301'.repeat(30),
  '\ud800',
];

describe('a name in a mail to somebody else', () => {
  it.each([
    ['Acme', 'Acme'],
    ['Müller & Söhne, Inc.', 'Müller & Söhne, Inc.'],
    ["O'Neill (Dublin) +1!", "O'Neill (Dublin) +1!"],
    ['株式会社ヤマダ', '株式会社ヤマダ'],
    ['Acme.com', 'Acme com'],
    ['Restore it at https://evil.example/login', 'Restore it at https evil example login'],
    ['ａｃｍｅ．ｃｏｍ', 'acme com'],
    ['pay me@evil.example', 'pay me evil example'],
    ['two\r\nlines', 'two lines'],
    ['\u202egnp\u200b', 'gnp'],
    ['\u3164 \u200b', ''],
    ['💥', ''],
  ])('is changed from %j to %j', (name, text) => {
    expect(bareName(name)).toBe(text);
  });

  const names = fc.array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: 'grapheme', maxLength: 5 })), {
    maxLength: 40,
  });

  it('never has anything a mail program makes a link of, nor a line end, nor a direction, nor much length', () => {
    fc.assert(
      fc.property(names, (parts) => {
        const text = bareName(parts.join(''));
        expect(text).not.toMatch(/[:/\\@<>"[\]\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(text).not.toMatch(/\.\S/u);
        expect(text).not.toMatch(/[。．｡․]/u);
        expect(text).not.toMatch(/\p{M}{4}/u);
        expect([...text].length).toBeLessThanOrEqual(60);
        expect(text).toBe(text.trim());
        expect(bareName(text)).toBe(text);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('stays on one line in a subject, and is not cut within a character', () => {
    fc.assert(
      fc.property(names, (parts) => {
        const line = oneLine(parts.join(''), 20);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect([...line].length).toBeLessThanOrEqual(20);
      }),
    );
  });
});
