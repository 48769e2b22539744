import { variantsOf } from '../../../platform/case-folding/index.js';
import type { Bind } from '../../../platform/database/parameters.js';
import type { SearchWords } from './search-words.js';

/** The columns of a row that are searched. */
export interface SearchColumns {
  /** A UUID column, which is searched only for words made of hexadecimal digits and dashes. */
  readonly id?: string;
  readonly texts: readonly string[];
}

/** The parts of a statement that finds the best rows: it reads the matching rows once, and then sorts them. */
export interface SearchSql {
  /** An SQL condition that is true for matching rows. */
  readonly fits: string;
  /** Additional columns of the matching rows, from which `rank` is computed. */
  readonly folded: string;
  /** An expression for ten times the score, computed from the `folded` columns. */
  readonly rank: string;
}

/** Separates texts that are concatenated to be searched together. */
const BORDER = `E'\\x1f'`;
const ASCII = /^[\0-\x7f]*$/;
const PART_OF_UUID = /^[0-9a-f-]+$/;

/**
 * Does in SQL what `scoreOf` does in code. SQL only selects the best of many rows, and `scoreOf` scores the shown ones
 * again. The results can differ when a text contains the separator, or when the locale of the database classifies
 * characters differently.
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
 * Returns a function that wraps an SQL expression. The result folds only characters that can be a case variant of a
 * character in `text`. Two characters outside ASCII fold to ASCII letters. For ASCII text, the expression is the same
 * as in the index on object keys.
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
