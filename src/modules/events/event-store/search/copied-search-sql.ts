import { type BindValue, foldedSql } from '../../../../platform/clickhouse/index.js';
import type { SearchWords } from '../../../tenancy/search-sources/index.js';

/** What is looked into of a row of ClickHouse. */
export interface CopiedSearchColumns {
  /** As text. */
  readonly id?: string;
  /** None is null. */
  readonly texts: readonly string[];
}

export interface CopiedSearchSql {
  /** Of a row: it fits. */
  readonly fits: string;
  /** Ten times the score of one that does. */
  readonly rank: string;
}

const PART_OF_UUID = /^[0-9a-f-]+$/;

/** Says of rows in ClickHouse what `judge` says of things. */
export function copiedSearchSql(
  { id, texts }: CopiedSearchColumns,
  { words, whole }: SearchWords,
  bind: BindValue,
): CopiedSearchSql {
  // Folded once for all words: it does not matter to one what becomes of the letters of another.
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
