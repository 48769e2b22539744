import { fold } from '../../../platform/case-folding/index.js';

/** Maximum number of words. Searches with more words are refused, because every word is searched in all texts. */
export const MOST_WORDS = 8;

/** The words of a search, folded. */
export interface SearchWords {
  /** Each word once, in the order of its first occurrence. Empty when the text contains only quoted blanks. */
  readonly words: readonly string[];
  /**
   * The whole search text, with one blank between words and without quotes. It is compared with the fields to score
   * them.
   */
  readonly whole: string;
}

const WORD = /"([^"]+)"|\S+/g;

/**
 * Splits the text at blanks. `"…"` is one word. Unpaired quotes, and quotes with nothing between them, are ordinary
 * characters. Quotes that contain only blanks are ignored.
 */
export function readWords(text: string): SearchWords {
  const written = [...text.matchAll(WORD)]
    .map(([plain, quoted]) => fold(quoted ?? plain))
    .filter((word) => word.trim() !== '');
  return { words: [...new Set(written)], whole: written.join(' ') };
}
