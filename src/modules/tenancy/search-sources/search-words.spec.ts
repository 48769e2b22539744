import { describe, expect, it } from '@jest/globals';
import { readWords } from './search-words.js';

describe('the reader of search words', () => {
  it.each([
    ['payment', ['payment'], 'payment'],
    ['Payment  FAILED\tnow', ['payment', 'failed', 'now'], 'payment failed now'],
    ['"payment failed" x', ['payment failed', 'x'], 'payment failed x'],
    ['"a"b', ['a', 'b'], 'a b'],
    ['a"b c"', ['a"b', 'c"'], 'a"b c"'],
    ['"open end', ['"open', 'end'], '"open end'],
    ['""', ['""'], '""'],
    ['"  "', [], ''],
    ['a "	 " b', ['a', 'b'], 'a b'],
    ['" a "', [' a '], ' a '],
    ['a A a', ['a'], 'a a a'],
    ['100%_\\', ['100%_\\'], '100%_\\'],
    ['ÄÖ Straße K', ['äö', 'straße', 'k'], 'äö straße k'],
  ])('splits %j into the words %j and the phrase %j', (text, words, whole) => {
    expect(readWords(text)).toEqual({ words, whole });
  });
});
