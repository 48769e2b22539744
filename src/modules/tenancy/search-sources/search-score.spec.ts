import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fold } from '../../../platform/case-folding/index.js';
import { scoreOf, MOST_EXCERPT, type SearchField } from './search-score.js';
import { readWords } from './search-words.js';
import { propertyRuns } from '../../../../test/support/property-runs.js';

const ID = '0199f3a1-0000-7000-8000-00000000abcd';
const of = (name: string, description: string | null = null): SearchField[] => [
  { name: 'name', text: name },
  { name: 'description', text: description },
  { name: 'id', text: ID, isId: true },
];

describe('the score of a match', () => {
  it.each<[string, string, string | null, number, string]>([
    ['payment', 'Payment', null, 1, 'name'],
    ['payment', 'payments', null, 0.8, 'name'],
    ['payment', 'failed payments', null, 0.6, 'name'],
    ['payment', 'http.payment', null, 0.6, 'name'],
    ['payment', 'http_payment', null, 0.6, 'name'],
    ['payment', 'prepayment', null, 0.4, 'name'],
    ['payment', '1payment', null, 0.4, 'name'],
    ['payment', 'prepayment payment', null, 0.6, 'name'],
    ['payment', 'äpayment', null, 0.4, 'name'],
    ['payment', '😀payment', null, 0.6, 'name'],
    ['payment', '𝒜payment', null, 0.4, 'name'],
    ['/cart', 'GET /cart', null, 0.6, 'name'],
    ['/cart', 'api/cart', null, 0.4, 'name'],
    ['payment', 'prepayment', 'payment', 1, 'description'],
    ['payment', 'payment', 'payment', 1, 'name'],
    ['payment shop', 'payment', 'the shop', 0.4, 'name'],
    ['payment shop', 'shop', 'my payment shop', 0.6, 'description'],
    ['payment shop', 'Payment Shop', null, 1, 'name'],
    ['"payment shop"', 'Payment Shops', null, 0.8, 'name'],
    [ID.toUpperCase(), 'x', null, 0.9, 'id'],
    [ID, ID, null, 1, 'name'],
    ['0199f3a1', 'x', null, 0.8, 'id'],
    ['8000', 'x', null, 0.6, 'id'],
    ['199f', 'x', null, 0.4, 'id'],
    ['\u212a', 'K', null, 1, 'name'],
    ['100%', '100%', null, 1, 'name'],
  ])('rates %s in the name %s with the description %s at %d by its %s', (q, name, description, score, field) => {
    expect(scoreOf(of(name, description), readWords(q))).toMatchObject({ score, field });
  });

  it.each([
    ['payment', 'paymen', null],
    ['payment shop', 'payment', null],
    ['"payment shop"', 'payment  shop', 'shop payment'],
    ['%', 'x', null],
    ['a_c', 'abc', null],
  ])('is null for %s in the name %s with the description %s', (q, name, description) => {
    expect(scoreOf(of(name, description), readWords(q))).toBeNull();
  });

  it('comes with the text around the first match', () => {
    const text = `${'😀'.repeat(500)}needle${'b'.repeat(500)}`;
    const shown = scoreOf(of(text), readWords('NEEDLE'))?.text ?? '';
    expect([...shown]).toHaveLength(MOST_EXCERPT);
    expect(shown).toContain('😀needleb');
    expect(scoreOf(of(`needle${'b'.repeat(500)}`), readWords('needle'))?.text).toBe(`needle${'b'.repeat(154)}`);
    expect(scoreOf(of(`${'b'.repeat(500)}needle`), readWords('needle'))?.text).toBe(`${'b'.repeat(154)}needle`);
  });

  const letters = fc.constantFrom(
    'a',
    'A',
    'b',
    ' ',
    '.',
    '"',
    '%',
    '_',
    '\\',
    'ä',
    'Ä',
    'k',
    '\u212a',
    '\u017f',
    '1',
    '😀',
    'İ',
    'ß',
  );
  const text = fc.string({ unit: letters, maxLength: 12 });

  it('equals that of the rules, word by word', () => {
    const q = text.filter((one) => readWords(one.trim()).words.length > 0);
    fc.assert(
      fc.property(q, fc.array(fc.option(text), { minLength: 1, maxLength: 3 }), (asked, texts) => {
        const words = readWords(asked.trim());
        const fields = texts.map((one, at) => ({
          name: String(at),
          text: one,
          ...(at === 2 && { isId: true as const }),
        }));
        const stands = (word: string, one: string | null): boolean => one !== null && fold(one).includes(word);
        const fits = words.words.every((word) => texts.some((one) => stands(word, one)));
        const scored = scoreOf(fields, words);
        expect(scored !== null).toBe(fits);
        if (scored === null) return;
        const scores = texts.map((one, at) => {
          if (one === null || !words.words.some((word) => stands(word, one))) return 0;
          const folded = fold(one);
          if (folded === words.whole) return at === 2 ? 0.9 : 1;
          if (folded.startsWith(words.whole)) return 0.8;
          const begins = placesOf(words.whole, folded).some(
            (place) => !/[\p{L}\p{N}]/u.test(lastOf(folded.slice(0, place))),
          );
          return begins ? 0.6 : 0.4;
        });
        expect(scored.score).toBe(Math.max(...scores));
        expect(scores[Number(scored.field)]).toBe(scored.score);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

function placesOf(part: string, text: string): number[] {
  return [...text].flatMap((_, at) => {
    const place = [...text].slice(0, at).join('').length;
    return text.startsWith(part, place) ? [place] : [];
  });
}

function lastOf(text: string): string {
  return [...text].at(-1) ?? '';
}
