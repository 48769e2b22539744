import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TextSearch } from './text-search.js';
import { propertyRuns } from '../../../../../test/support/property-runs.js';

const letters = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '😀'), minLength, maxLength });

describe('a search in texts', () => {
  it('finds what the runtime finds, in short texts and in long ones', () => {
    fc.assert(
      fc.property(letters(1, 12), letters(0, 40), fc.boolean(), (part, text, isLong) => {
        // The prefix makes the text too long for `String.includes`. It contains no character of the part.
        const whole = isLong ? `${'-'.repeat(70_000)}${text}` : text;
        expect(new TextSearch(part).isIn(whole)).toBe(text.includes(part));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('costs no more than twice both, however much of the part is everywhere', () => {
    const [part, text] = [`b${'a'.repeat(999)}`, 'a'.repeat(1_000_000)];
    const search = new TextSearch(part);
    expect(search.stepsIn(text)).toBe(2 * 1_001_000);
    expect(search.isIn(text)).toBe(false);
    expect(search.isIn(`${text}${part}`)).toBe(true);
  });
});
