import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitLines, TooManyEvents } from './event-lines.js';

const split = (text: string): [number, string][] =>
  splitLines(Buffer.from(text)).map(({ line, bytes }) => [line, bytes.toString()]);

describe('the line reader of a batch', () => {
  it.each<[string, [number, string][]]>([
    ['', []],
    ['\n\n \t\r\n', []],
    ['a', [[1, 'a']]],
    ['a\n', [[1, 'a']]],
    [
      'a\r\n\r\n  b \nc',
      [
        [1, 'a'],
        [3, 'b'],
        [4, 'c'],
      ],
    ],
    ['\u2028a\u2028b\u0085', [[1, '\u2028a\u2028b\u0085']]],
  ])('splits %j into %j', (text, lines) => {
    expect(split(text)).toEqual(lines);
  });

  it('reads at most 1,000 lines, not counting blank ones', () => {
    expect(split('x\n\n'.repeat(1_000))).toHaveLength(1_000);
    expect(() => split('x\n'.repeat(1_001))).toThrow(TooManyEvents);
  });

  it('trims and numbers the lines of any text, and leaves out blank ones', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary-ascii' })), (parts) => {
        const text = parts.join('\n');
        const expected = text
          .split('\n')
          .map((part, index): [number, string] => [index + 1, part.replace(/^[ \t\r]+|[ \t\r]+$/g, '')])
          .filter(([, part]) => part !== '');
        expect(split(text)).toEqual(expected);
      }),
    );
  });
});
