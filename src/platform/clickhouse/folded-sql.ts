import { variantsOf } from '../case-folding/index.js';
import type { BindValue } from './statement-values.js';

/** So many are quicker replaced one after the other than looked up at each letter of a text. */
const FEW_VARIANTS = 6;

/**
 * Folds the case of a text of ClickHouse as it is done in PostgreSQL: what may be a case of these folded texts, and ASCII.
 * @returns of an expression the one that is folded
 */
export function foldedSql(texts: readonly string[], bind: BindValue): (sql: string) => string {
  const pairs = [...new Set(texts.flatMap((text) => [...text]))].flatMap((character) =>
    variantsOf(character).map((variant) => [variant, character] as const),
  );
  if (pairs.length <= FEW_VARIANTS) {
    // No variant is a folded letter, so one replacement leaves nothing to the next.
    const bound = pairs.map(([variant, character]) => `${bind(variant, 'String')}, ${bind(character, 'String')}`);
    return (sql) => bound.reduce((replaced, pair) => `replaceAll(${replaced}, ${pair})`, `lower(${sql})`);
  }
  const variants = bind(pairs.map(([variant]) => variant).join(''), 'String');
  const folded = bind(pairs.map(([, character]) => character).join(''), 'String');
  return (sql) => `lower(translateUTF8(${sql}, ${variants}, ${folded}))`;
}
