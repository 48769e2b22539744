import { MOST_NAME_CHARACTERS } from './rollup-limits.js';

/**
 * A name by which pairs are told apart: longer ones are cut and carry a hash of the whole behind the characters that are
 * shown, so that they are as many as before and none is long.
 */
export function nameSql(column: string): string {
  return `CASE WHEN length(${column}) <= ${MOST_NAME_CHARACTERS} THEN ${column}
            ELSE left(${column}, ${MOST_NAME_CHARACTERS}) || encode(sha256(convert_to(${column}, 'UTF8')), 'hex') END`;
}

/** The same in ClickHouse. */
export function copiedNameSql(column: string): string {
  return `if(lengthUTF8(${column}) <= ${MOST_NAME_CHARACTERS}, ${column},
            concat(leftUTF8(${column}, ${MOST_NAME_CHARACTERS}), lower(hex(SHA256(${column})))))`;
}
