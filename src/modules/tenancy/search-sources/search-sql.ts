import { variantsOf } from '../../../platform/case-folding/index.js';
import type { Bind } from '../../../platform/database/parameters.js';
import type { SearchWords } from './search-words.js';

/** The columns of a row that are searched. */
export interface SearchColumns {
  /** A UUID column, which is searched only for words made of hexadecimal digits and dashes. */
  readonly id?: string;
  readonly texts: readonly string[];
}

/** The parts of a statement that finds the best of many rows: rows that match are read once, then sorted. */
export interface SearchSql {
  /** A condition that is true for a row that matches. */
  readonly fits: string;
  /** Further columns of rows that match; `rank` is computed from them. */
  readonly folded: string;
  /** An expression for ten times the score, computed from the `folded` columns. */
  readonly rank: string;
}

/** Separates texts that are searched together. */
const BORDER = `E'\\x1f'`;
const ASCII = /^[\0-\x7f]*$/;
const PART_OF_UUID = /^[0-9a-f-]+$/;

/**
 * Does for rows what `scoreOf` does for hits. SQL only selects the best of many rows; `scoreOf` scores each shown one
 * again. The two differ where a text contains the separator, and where the locale of the database classifies other
 * characters as letters.
 */
export function searchSql({ id, texts }: SearchColumns, { words, whole }: SearchWords, bind: Bind): SearchSql {
  const [only = ''] = texts;
  const together = texts.length === 1 ? only : `concat_ws(${BORDER}, ${texts.join(', ')})`;
  const fits = words.map((word) => {
    const pattern = bind(`%${escaped(word)}%`);
    const stands = `${folding(word, bind)(together)} LIKE ${pattern}`;
    return id !== undefined && PART_OF_UUID.test(word) ? `(${stands} OR ${id} LIKE ${pattern})` : stands;
  });
  const ranked = [
    ...texts.map((text) => ({ text: folding(whole, bind)(text), equal: 10 })),
    ...(id === undefined || !PART_OF_UUID.test(whole) ? [] : [{ text: id, equal: 9 }]),
  ];
  const [wanted, within, ahead] = [bind(whole), bind(`%${escaped(whole)}%`), bind(`${escaped(whole)}%`)];
  const begins = bind(`(^|[^[:alnum:]])${whole.replace(/[!-/:-@[-`{-~]/g, '\\$&')}`);
  const ranks = ranked.map(
    ({ equal }, at) => `CASE WHEN folded_${at} LIKE ${within} THEN CASE WHEN folded_${at} = ${wanted} THEN ${equal}
      WHEN folded_${at} LIKE ${ahead} THEN 8 WHEN folded_${at} COLLATE "default" ~ ${begins} THEN 6 ELSE 4 END ELSE 4 END`,
  );
  return {
    fits: fits.join(' AND '),
    folded: ranked.map(({ text }, at) => `${text} AS folded_${at}`).join(', '),
    rank: `greatest(${ranks.join(', ')})`,
  };
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/**
 * Returns an expression that folds only characters that can be a case variant of `text`. Two letters outside ASCII are
 * variants of ASCII letters. For ASCII, the expression is that of the index on keys of objects.
 */
function folding(text: string, bind: Bind): (sql: string) => string {
  if (ASCII.test(text)) {
    return (sql) => `lower(replace(replace(${sql}, U&'\\017F', 's'), U&'\\212A', 'k') COLLATE "C")`;
  }
  const pairs = [...new Set(text)].flatMap((character) =>
    variantsOf(character).map((variant) => [variant, character] as const),
  );
  const variants = bind(pairs.map(([variant]) => variant).join(''));
  const folded = bind(pairs.map(([, character]) => character).join(''));
  return (sql) => `lower(translate(${sql}, ${variants}::text, ${folded}::text) COLLATE "C")`;
}
