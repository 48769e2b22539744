import { variantsOf } from '../case-folding/index.js';
import type { Bind } from './parameters.js';

/** Up to this number of characters, one `replace` for each is five times as fast as one `translate` for all. */
const MAX_REPLACED = 8;

/**
 * Folds ASCII letters, and the characters that fold to characters of the given texts, independently of the database's
 * locale.
 * @param texts folded texts that are compared with the result
 * @returns a function that wraps an SQL expression so that its text is folded
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
  // No folded character is a variant of another, so successive replacements have the same result as simultaneous ones.
  const pairs = from.map((variant, at) => `${bind(variant)}::text, ${bind(to[at])}::text`);
  return (sql) => `lower(${pairs.reduce((text, pair) => `replace(${text}, ${pair})`, `${sql} COLLATE "C"`)})`;
}
