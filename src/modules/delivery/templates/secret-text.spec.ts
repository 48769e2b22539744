import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SecretText } from './secret-text.js';

const VALUES: Readonly<Record<string, string>> = { A: 'one', B_2: 'two', NESTED: '{{secret:A}}', EMPTY: '' };
const filled = (value: string, most = 100): string | null => SecretText.of(value).filled((name) => VALUES[name], most);

describe('the value of a protected header', () => {
  it.each([
    ['plain', [], 'plain'],
    ['{{secret:A}}', ['A'], 'one'],
    ['Bearer {{secret:A}}', ['A'], 'Bearer one'],
    ['{{secret:A}}{{secret:B_2}}:{{secret:A}}', ['A', 'B_2'], 'onetwo:one'],
    ['{{{{secret:A}}}}', ['A'], '{{one}}'],
    // References inside the value of a secret are not expanded.
    ['{{secret:NESTED}}', ['NESTED'], '{{secret:A}}'],
    // Other braces are text.
    ['{{', [], '{{'],
    ['{{user}} {{secret}} {secret:A} {{secrets:A}} {{my secret:A}} { {secret:A}}', [], undefined],
    ['{{secret:A', [], '{{secret:A'],
    ['{{secret:A}', [], '{{secret:A}'],
    ['}}{{secret:A}}{{', ['A'], '}}one{{'],
    // Everything between the braces is the name.
    ['{{secret:}}', [''], null],
    ['{{secret:A B_2}}', ['A B_2'], null],
    ['{{ Secret : A }}', ['Secret : A'], null],
    // Blanks around the word and the name are ignored.
    ['Bearer {{ secret:A }}', ['A'], 'Bearer one'],
    ['{{secret: A}}{{\tsecret :\tB_2\t}}{{secret:A}}', ['A', 'B_2'], 'onetwoone'],
    ['{{ secret: }}', [''], null],
    ['{{secret:a}}', ['a'], null],
    ['{{secret:MISSING}}', ['MISSING'], null],
    ['{{secret:A{{secret:A}}', ['A{{secret:A'], null],
    ['{{Secret:A}} {{secret:A}}', ['Secret:A', 'A'], null],
    ['{{secret:EMPTY}}', ['EMPTY'], ''],
  ])('is written as %j, names %j and becomes %j', (value, names, expected) => {
    expect(SecretText.of(value).names).toEqual(names);
    expect(filled(value)).toBe(expected === undefined ? value : expected);
  });

  it('is no longer than is allowed, however often it names a secret', () => {
    expect(filled('{{secret:A}}{{secret:A}}', 6)).toBe('oneone');
    expect(filled('{{secret:A}}{{secret:A}}', 5)).toBeNull();
    let asked = 0;
    const endless = SecretText.of('{{secret:A}}'.repeat(170)).filled(() => (asked += 1).toString().padEnd(50), 100);
    expect([endless, asked]).toEqual([null, 3]);
  });

  it('is put together from its texts and the values of its names, whatever both hold', () => {
    const word = fc.stringMatching(/^[ -z|~]{0,12}$/);
    const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/);
    const parts = fc.array(fc.tuple(word, name, fc.string({ maxLength: 20 })), { maxLength: 8 });
    fc.assert(
      fc.property(parts, word, (tuples, last) => {
        const values = new Map(tuples.map(([, each, value]) => [each, value]));
        const template = `${tuples.map(([text, each]) => `${text}{{secret:${each}}}`).join('')}${last}`;
        const expected = `${tuples.map(([text, each]) => `${text}${values.get(each)}`).join('')}${last}`;
        const read = SecretText.of(template);
        expect(read.names).toEqual([...new Set(tuples.map(([, each]) => each))]);
        expect(read.filled((each) => values.get(each), 1_000)).toBe(expected);
      }),
    );
  });
});
