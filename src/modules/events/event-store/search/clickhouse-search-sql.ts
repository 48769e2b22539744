import { type BindValue, foldedSql } from '../../../../platform/clickhouse/index.js';
import type { SearchWords } from '../../../tenancy/search-sources/index.js';

/** The columns of ClickHouse that are searched. */
export interface ClickHouseSearchColumns {
  /** The id as text. */
  readonly id?: string;
  /** SQL of texts that are never null. */
  readonly texts: readonly string[];
}

export interface ClickHouseSearchSql {
  /** A condition that is true for a matching row. */
  readonly fits: string;
  /** Ten times the score of a matching row. */
  readonly rank: string;
}

const PART_OF_UUID = /^[0-9a-f-]+$/;

/** Returns SQL of ClickHouse with the same result as `scoreOf`. */
export function clickHouseSearchSql(
  { id, texts }: ClickHouseSearchColumns,
  { words, whole }: SearchWords,
  bind: BindValue,
): ClickHouseSearchSql {
  // Each text is folded once for all words, because folding for one word does not affect the others.
  const folded = texts.map(foldedSql([...words, whole], bind));
  const inId = (text: string): string[] => (id !== undefined && PART_OF_UUID.test(text) ? [id] : []);
  const fits = words.map((word) => {
    const wanted = bind(word, 'String');
    return `(${[...folded, ...inId(word)].map((text) => `position(${text}, ${wanted}) > 0`).join(' OR ')})`;
  });
  const wanted = bind(whole, 'String');
  const begins = bind(`(^|[^\\pL\\pN])${whole.replace(/[!-/:-@[-^`{-~]/g, '\\$&')}`, 'String');
  const rankOf = (text: string, equal: number): string =>
    `multiIf(position(${text}, ${wanted}) = 0, 4, ${text} = ${wanted}, ${equal}, startsWith(${text}, ${wanted}), 8, match(${text}, ${begins}), 6, 4)`;
  const ranks = [...folded.map((text) => rankOf(text, 10)), ...inId(whole).map((text) => rankOf(text, 9))];
  return { fits: fits.join(' AND '), rank: `arrayMax([${ranks.join(', ')}])` };
}
