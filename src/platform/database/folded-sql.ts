import { variantsOf } from '../case-folding/index.js';
import type { Bind } from './parameters.js';

/** Up to this number of characters, one `replace` for each is five times as fast as `translate` for all. */
const MAX_REPLACED = 8;

/**
 * Folds ASCII, and the characters that fold to those of the given texts, whatever the locale of the database.
 * @returns a function that returns an SQL expression folded
 */
export function foldedSql(texts: readonly string[], bind: Bind): (sql: string) => string {
  const [from, to]: [string[], string[]] = [[], []];
  for (const character of new Set(texts.flatMap((text) => [...text]))) {
    for (const variant of variantsOf(character)) {
      from.push(variant);
      to.push(character);
    }
  }
  if (from.length > MAX_REPLACED) {
    const [variants, folded] = [bind(from.join('')), bind(to.join(''))];
    return (sql) => `lower(translate(${sql}, ${variants}::text, ${folded}::text) COLLATE "C")`;
  }
  // A folded character is never a variant of another, so replacing one after the other has the same result as all at
  // once.
  const pairs = from.map((variant, at) => `${bind(variant)}::text, ${bind(to[at])}::text`);
  return (sql) => `lower(${pairs.reduce((text, pair) => `replace(${text}, ${pair})`, `${sql} COLLATE "C"`)})`;
}
