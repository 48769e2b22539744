import { variantsOf } from '../../../platform/case-folding/index.js';
import type { Bind } from '../../../platform/database/parameters.js';
import type { SearchWords } from './search-words.js';

/** What is looked into of a row. */
export interface SearchColumns {
  /** Of a UUID, which a word without other letters than its own can stand in. */
  readonly id?: string;
  readonly texts: readonly string[];
}

/** Between texts that are looked through together. */
const BORDER = `E'\\x1f'`;
const ASCII = /^[\0-\x7f]*$/;
const PART_OF_UUID = /^[0-9a-f-]+$/;

/**
 * Says of rows what {@link judge} says of things: `fits` is true of those that fit, `rank` their score. They are there to take
 * the best of many; a thing that is shown is judged again. The two differ where a text has the border in it, and where the
 * locale of the database knows other letters.
 */
export function searchSql(
  { id, texts }: SearchColumns,
  { words, whole }: SearchWords,
  bind: Bind,
): { readonly fits: string; readonly rank: string } {
  const fits = words.map((word) => {
    const columns = id !== undefined && PART_OF_UUID.test(word) ? [...texts, id] : texts;
    const [only = ''] = columns;
    const together = columns.length === 1 ? only : `concat_ws(${BORDER}, ${columns.join(', ')})`;
    return `${folding(word, bind)(together)} LIKE ${bind(`%${word.replace(/[\\%_]/g, '\\$&')}%`)}`;
  });
  const folded = folding(whole, bind);
  const wanted = bind(whole);
  const begins = bind(`(^|[^[:alnum:]])${whole.replace(/[!-/:-@[-`{-~]/g, '\\$&')}`);
  const rank = (equal: number, columns: readonly string[]): string =>
    `(SELECT max(CASE WHEN strpos(t, ${wanted}::text) = 0 THEN 0.4 WHEN t = ${wanted} THEN ${equal}
       WHEN starts_with(t, ${wanted}) THEN 0.8 WHEN t COLLATE "default" ~ ${begins} THEN 0.6 ELSE 0.4 END)
     FROM (VALUES ${columns.map((column) => `(${folded(column)})`).join(', ')}) AS texts (t))`;
  const ranks = [rank(1, texts), ...(id === undefined || !PART_OF_UUID.test(whole) ? [] : [rank(0.9, [id])])];
  return { fits: fits.join(' AND '), rank: `greatest(${ranks.join(', ')})` };
}

/** Folds what may be a case of a folded text, and lets the rest be. Of ASCII it is the expression of the index on keys. */
function folding(text: string, bind: Bind): (sql: string) => string {
  if (ASCII.test(text)) return (sql) => `lower(translate(${sql}, U&'\\017F\\212A', 'sk') COLLATE "C")`;
  const pairs = [...new Set(text)].flatMap((character) =>
    variantsOf(character).map((variant) => [variant, character] as const),
  );
  const variants = bind(pairs.map(([variant]) => variant).join(''));
  const folded = bind(pairs.map(([, character]) => character).join(''));
  return (sql) => `lower(translate(${sql}, ${variants}::text, ${folded}::text) COLLATE "C")`;
}
