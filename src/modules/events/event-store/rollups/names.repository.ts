import { MOST_NAME_CHARACTERS } from './rollup-limits.js';

/**
 * Returns SQL for a name that identifies pairs. A longer name is cut, and a hash of the whole name is appended. So
 * different names stay different, and none is long.
 */
export function nameSql(column: string): string {
  return `CASE WHEN length(${column}) <= ${MOST_NAME_CHARACTERS} THEN ${column}
            ELSE left(${column}, ${MOST_NAME_CHARACTERS}) || encode(sha256(convert_to(${column}, 'UTF8')), 'hex') END`;
}

/** Returns the same name in SQL of ClickHouse. */
export function clickHouseNameSql(column: string): string {
  return `if(lengthUTF8(${column}) <= ${MOST_NAME_CHARACTERS}, ${column},
            concat(leftUTF8(${column}, ${MOST_NAME_CHARACTERS}), lower(hex(SHA256(${column})))))`;
}
