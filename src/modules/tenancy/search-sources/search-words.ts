import { fold } from '../../../platform/case-folding/index.js';

/** Searches with more words are refused, because every word is searched in everything. */
export const MOST_WORDS = 8;

/** The words of a search, folded. */
export interface SearchWords {
  /** Each word once, in the order of the first occurrence. Empty when the text is only blanks in quotes. */
  readonly words: readonly string[];
  /** The whole search text, with one blank between words and without quotes. Scores compare with it. */
  readonly whole: string;
}

const WORD = /"([^"]+)"|\S+/g;

/**
 * Splits at blanks; `"…"` is one word. Quotes without a partner or with nothing in between are ordinary characters;
 * quotes around blanks alone are ignored.
 */
export function readWords(text: string): SearchWords {
  const written = [...text.matchAll(WORD)]
    .map(([plain, quoted]) => fold(quoted ?? plain))
    .filter((word) => word.trim() !== '');
  return { words: [...new Set(written)], whole: written.join(' ') };
}
