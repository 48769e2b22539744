import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sanitizeText } from './sanitize-text.js';
import { cutAtEnd, occurrences } from './search.js';
import { propertyRuns } from '../../../test/support/property-runs.js';

const hex = (code: number, width = 2): string => code.toString(16).padStart(width, '0');

/** Functions that write one visible ASCII character in different notations, by the name of the notation. */
const CHARACTER: Readonly<Record<string, (character: string, code: number) => string>> = {
  plain: (character) => character,
  json: (character) => JSON.stringify(character).slice(1, -1),
  'json, four digits': (_, code) => `\\u${hex(code, 4)}`,
  'json, four digits, upper case': (_, code) => `\\u${hex(code, 4).toUpperCase()}`,
  'json in json': (_, code) => `\\\\u${hex(code, 4)}`,
  javascript: (_, code) => `\\u{${hex(code)}}`,
  python: (_, code) => `\\U${hex(code, 8)}`,
  'two hex digits': (_, code) => `\\x${hex(code)}`,
  perl: (_, code) => `\\x{${hex(code)}}`,
  octal: (_, code) => `\\${code.toString(8).padStart(3, '0')}`,
  'a needless backslash': (character) => (/[\w]/.test(character) ? character : `\\${character}`),
  percent: (_, code) => `%${hex(code)}`,
  'percent, upper case': (_, code) => `%${hex(code).toUpperCase()}`,
  'percent, twice': (_, code) => `%25${hex(code)}`,
  'percent, three times': (_, code) => `%2525${hex(code)}`,
  'percent, of units': (_, code) => `%u${hex(code, 4)}`,
  decimal: (_, code) => `&#${code};`,
  'decimal, with zeroes': (_, code) => `&#000${code};`,
  'decimal, open': (_, code) => `&#${code}`,
  hexadecimal: (_, code) => `&#x${hex(code)};`,
  'hexadecimal, upper case, with zeroes': (_, code) => `&#X00${hex(code).toUpperCase()};`,
  'hexadecimal, open': (_, code) => `&#x${hex(code)}`,
  named: (character) => NAMED[character] ?? character,
  'named, open': (character) => (NAMED[character] ?? character).replace(';', ''),
  'named, twice': (character) => (NAMED[character] ?? character).replace('&', '&amp;'),
  'named in json': (character) => (NAMED[character] ?? character).replace('&', '\\u0026'),
  'quoted-printable': (_, code) => `=${hex(code).toUpperCase()}`,
};
const NAMED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '/': '&sol;',
  '=': '&equals;',
  '+': '&plus;',
  _: '&lowbar;',
  '%': '&percnt;',
  '\\': '&bsol;',
  '{': '&lcub;',
  '|': '&vert;',
};
const BREAKS = [
  '',
  '',
  '',
  '',
  '\n',
  '\r\n',
  '\r\n ',
  ' ',
  '\t',
  '=\r\n',
  '=\n',
  '\\n',
  '\\r\\n',
  '\\\n',
  '%0A',
  '<br>',
  '&#10;',
  '\u200b',
];

// Excludes characters that begin an escape, because the meaning of an escape may depend on the characters after it.
const secret = fc.string({
  unit: fc.constantFrom(...'abcdefgXYZ0123456789-_.~!@#$^*(){}[]|:,?&<>"\'/'),
  minLength: 10,
  maxLength: 40,
});
const mixed = (value: string, styles: fc.Arbitrary<string>, breaks: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(...[...value].map(() => fc.tuple(styles, breaks))).map((ways) =>
    [...value]
      .map((character, at) => {
        const [style = 'plain', gap = ''] = ways[at] ?? [];
        return (at === 0 ? '' : gap) + (CHARACTER[style]?.(character, character.charCodeAt(0)) ?? character);
      })
      .join(''),
  );

describe('a known value', () => {
  const frames = fc.constantFrom('got <> there', '"<>"', '{"x":"<>","y":1}', 'value: <>', '(<>)', '<>', "said '<>'.");
  const shown = (frame: string, text: string): string => frame.replace('<>', () => text);

  it.each(Object.keys(CHARACTER))('is not readable with every character written as %s', (style) => {
    fc.assert(
      fc.property(secret, frames, (value, frame) => {
        const text = [...value].map((character) => CHARACTER[style]?.(character, character.charCodeAt(0))).join('');
        expect(sanitizeText(shown(frame, text), [value])).not.toContain(text.slice(1, -1));
        expect(sanitizeText(`plain words before: ${text} and after`, [value])).toBe(
          'plain words before: [redacted] and after',
        );
      }),
      { numRuns: 30 },
    );
  });

  it('is not readable in any mix of encodings, broken anywhere', () => {
    const styles = fc.constantFrom(...Object.keys(CHARACTER));
    const cases = secret.chain((value) =>
      fc.tuple(fc.constant(value), mixed(value, styles, fc.constantFrom(...BREAKS)), frames),
    );
    fc.assert(
      fc.property(cases, ([value, text, frame]) => {
        const clean = sanitizeText(shown(frame, text), [value]);
        const [before = '', after = ''] = frame.split('<>');
        const rest = clean.replaceAll('[redacted]', '');
        // Only characters of the frame may remain.
        expect(rest.length).toBeLessThanOrEqual(before.length + after.length);
        expect(clean).toContain('[redacted]');
      }),
      { numRuns: propertyRuns(600) },
    );
  });

  it('is not readable where line ends alone break it, however short it is', () => {
    const short = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_&<'), minLength: 4, maxLength: 7 });
    const styles = fc.constantFrom('plain', 'json, four digits', 'percent', 'decimal', 'hexadecimal');
    const cases = short.chain((value) =>
      fc.tuple(fc.constant(value), mixed(value, styles, fc.constantFrom('', '\n', '\r\n  ', '\\n'))),
    );
    fc.assert(
      fc.property(cases, ([value, text]) =>
        expect(sanitizeText(`got ${text} there`, [value])).toBe('got [redacted] there'),
      ),
    );
  });

  it('is not readable in base64 or hex that is broken into lines', () => {
    fc.assert(
      fc.property(
        secret,
        fc.integer({ min: 3, max: 20 }),
        fc.constantFrom('\n', '\r\n', ' ', '=\r\n', '\\n'),
        (value, width, gap) => {
          for (const form of ['base64', 'base64url', 'hex'] as const) {
            const lines =
              Buffer.from(value)
                .toString(form)
                .match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
            const clean = sanitizeText(`got ${lines.join(gap)} there`, [value]);
            expect(clean).toMatch(/^got \[redacted\][+=\s\\n]* there$/);
          }
        },
      ),
    );
  });

  it('is found in characters beyond ASCII too', () => {
    const value = 'pässwörd-日本-😀';
    const bytes = [...Buffer.from(value)];
    const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at));
    for (const text of [
      bytes.map((byte) => `\\x${hex(byte)}`).join(''),
      bytes.map((byte) => `=${hex(byte).toUpperCase()}`).join('=\n'),
      bytes.map((byte) => `%25${hex(byte)}`).join(''),
      units.map((unit) => `\\u${hex(unit, 4)}`).join(''),
      units.map((unit) => `%u${hex(unit, 4)}`).join(''),
      [...value].map((character) => `&#${character.codePointAt(0)};`).join(''),
      'p&auml;ssw&ouml;rd-日本-😀',
      'p\\xe4ssw\\xf6rd-日本-😀',
    ]) {
      expect(sanitizeText(`got ${text} there`, [value])).toBe('got [redacted] there');
    }
  });

  it('may itself look like something escaped', () => {
    for (const value of [
      'a%20b%41cdef',
      'C:\\new\\table',
      '\\u0041-literal',
      '&amp;&lt;&#65;x1',
      'x=41=42=43yz',
      'tail-of-it\\',
      'a+b c=d;e+f',
    ]) {
      for (const text of [
        value,
        JSON.stringify(value).slice(1, -1),
        JSON.stringify(JSON.stringify(value)).slice(3, -3),
        encodeURIComponent(value),
        encodeURIComponent(encodeURIComponent(value)),
        value.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
        [...value].map((character) => `\\u${hex(character.charCodeAt(0), 4)}`).join(''),
      ]) {
        expect([value, text, sanitizeText(`got "${text}" there`, [value])]).toEqual([
          value,
          text,
          expect.stringMatching(/^got "?\[redacted\]\\*"? there$/),
        ]);
      }
    }
  });

  it('is not readable where somebody before us cut it', () => {
    const value = 'pr0tected-value&0123456789';
    const text = [...value].map((character) => `\\u${hex(character.charCodeAt(0), 4)}`).join('');
    for (let length = 60; length < text.length; length += 6) {
      expect(sanitizeText(`got ${text.slice(0, length)}`, [value])).toBe('got [redacted]');
    }
    expect(sanitizeText(`got ${value.slice(0, 12)}`, [value])).toBe('got [redacted]');
  });

  it('takes nothing with it of a text without it', () => {
    const words = fc.array(
      fc.constantFrom(
        'the',
        'receiver',
        'answered',
        '503',
        'at',
        '10:45',
        'a=1;',
        '100%',
        '&c.',
        'C:\\temp',
        'Grüße',
        '(retry)',
        '<p>',
        'x&y',
        '\\',
      ),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(words, secret, (parts, value) => {
        const text = parts.join(' ');
        fc.pre(!text.includes(value.slice(0, 4)));
        expect(sanitizeText(text, [value])).toBe(sanitizeText(text));
      }),
    );
  });
});

describe('the search for long patterns', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 200 });

  it('finds what a slow one finds', () => {
    fc.assert(
      fc.property(
        texts,
        fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 24 }),
        (text, pattern) => {
          const places = Array.from({ length: text.length }, (_, at) => at).filter((at) =>
            text.startsWith(pattern, at),
          );
          expect([...occurrences(text, pattern)]).toEqual(places);
          const cut = Array.from({ length: pattern.length }, (_, length) => length).findLast((length) =>
            text.endsWith(pattern.slice(0, length)),
          );
          expect(cutAtEnd(text, pattern)).toBe(cut);
        },
      ),
    );
  });
});
