import { variantsOf } from '../case-folding/index.js';
import type { BindValue } from './statement-values.js';

/** Up to this number of variants, successive replacements are faster than a look-up of each character of a text. */
const FEW_VARIANTS = 6;

/**
 * Folds case in ClickHouse as in PostgreSQL: ASCII letters, and the characters that fold to characters of the given
 * texts.
 * @param texts folded texts that are compared with the result
 * @returns a function that wraps an SQL expression so that its text is folded
 */
export function foldedSql(texts: readonly string[], bind: BindValue): (sql: string) => string {
  const pairs = [...new Set(texts.flatMap((text) => [...text]))].flatMap((character) =>
    variantsOf(character).map((variant) => [variant, character] as const),
  );
  if (pairs.length <= FEW_VARIANTS) {
    // No variant is itself a folded letter, so the replacements do not affect each other.
    const bound = pairs.map(([variant, character]) => `${bind(variant, 'String')}, ${bind(character, 'String')}`);
    return (sql) => bound.reduce((replaced, pair) => `replaceAll(${replaced}, ${pair})`, `lower(${sql})`);
  }
  const variants = bind(pairs.map(([variant]) => variant).join(''), 'String');
  const folded = bind(pairs.map(([, character]) => character).join(''), 'String');
  return (sql) => `lower(translateUTF8(${sql}, ${variants}, ${folded}))`;
}
