import { variantsOf } from '../case-folding/index.js';
import type { Bind } from './parameters.js';

/** Of as many characters as this each is replaced by itself: five times as fast as all at once. */
const MAX_REPLACED = 8;

/**
 * Folds what may be a case of these folded texts, and ASCII, whatever the locale of the database.
 * @returns of an expression the one that is folded
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
  // What is folded is no variant of another, so that one after the other is the same as all at once.
  const pairs = from.map((variant, at) => `${bind(variant)}::text, ${bind(to[at])}::text`);
  return (sql) => `lower(${pairs.reduce((text, pair) => `replace(${text}, ${pair})`, `${sql} COLLATE "C"`)})`;
}
