import { fold } from '../../../platform/case-folding/index.js';

/** More are refused: each is looked for in everything. */
export const MOST_WORDS = 8;

/** What is looked for, folded. */
export interface SearchWords {
  /** Each once, in the order they are first written; none, where there is nothing but blanks in quotes. */
  readonly words: readonly string[];
  /** All that was written, one blank between words and without quotes: what scores compare with. */
  readonly whole: string;
}

const WORD = /"([^"]+)"|\S+/g;

/** Splits at blanks; `"…"` is one word. Quotes without a partner, or with nothing between them, stand for themselves; with blanks alone they say nothing. */
export function readWords(text: string): SearchWords {
  const written = [...text.matchAll(WORD)]
    .map(([plain, quoted]) => fold(quoted ?? plain))
    .filter((word) => word.trim() !== '');
  return { words: [...new Set(written)], whole: written.join(' ') };
}
