import type { BindValue } from '../../../../platform/clickhouse/index.js';
import {
  CLICKHOUSE_FIELDS,
  clickHousePropertySql,
  EVENT_FIELDS,
  type EventField,
  pathOfProperty,
} from '../../conditions/index.js';
import { clickHouseNumberKey } from '../reading/number-key.js';
import { HASH_DIGITS, type Keyed, LONG_TEXT, LONGEST_KEY, SHOWN_CHARACTERS, TEXT } from './keys.js';

/**
 * Returns the same as `keyedSql`, for the rows `e` of ClickHouse. Equal values have equal keys in both stores, except
 * for numbers.
 * @param numberKey returns SQL for the key of a number from its digits: `clickHouseNumberKey` when ClickHouse compares
 * the keys, `plainDigits` when PostgreSQL converts them with `keptKeySql`
 */
export function clickHouseKeyed(
  field: string,
  bind: BindValue,
  numberKey: (digits: string) => string = clickHouseNumberKey,
): Keyed {
  const path = pathOfProperty(field);
  if (path !== null) {
    return { value: clickHousePropertySql(path, bind), key: (column) => propertyKey(column, numberKey) };
  }
  const isText = EVENT_FIELDS[field as EventField] === 'text';
  return {
    value: CLICKHOUSE_FIELDS[field as EventField],
    key: (column) => `ifNull(${isText ? textKey(column) : `toString(${column})`}, '')`,
  };
}

/** Returns SQL for the key of a column of JSON texts. */
function propertyKey(column: string, numberKey: (digits: string) => string): string {
  const isPlain = [
    `startsWith(${column}, '${TEXT}')`,
    `position(${column}, '\\\\') = 0`,
    `length(${column}) <= ${LONGEST_KEY + 2}`,
  ].reduce((all, test) => `bitAnd(${all}, ${test})`);
  // Most values are texts in quotes without escapes, whose JSON is already the key.
  return `multiIf(${isPlain}, substring(${column}, 1, length(${column}) - 1),
    startsWith(${column}, '"'), ${textKey(`JSONExtractString(${column})`)},
    ${column} IN ('true', 'false'), ${column},
    ${column} IN ('', 'null') OR startsWith(${column}, '{') OR startsWith(${column}, '['), '',
    ${numberKey(column)})`;
}

/** Converts a key of PostgreSQL to the form of ClickHouse. */
export function toldKey(key: string): string {
  return `if(${isNumberKey(key)}, ${clickHouseNumberKey(key)}, ${key})`;
}

/** Returns the digits unchanged. */
export function plainDigits(digits: string): string {
  return digits;
}

/** Converts a key with plain digits to the form of PostgreSQL. */
export function keptKeySql(key: string): string {
  return `CASE WHEN left(${key}, 1) IN ('', '${TEXT}', '${LONG_TEXT}', 't', 'f') THEN ${key}
    ELSE trim_scale(${key}::numeric)::text END COLLATE "C"`;
}

/**
 * Returns SQL for the digits of the number that a field holds, for the rows `e` of ClickHouse. Null when the value is
 * not a number.
 */
export function clickHouseDigits(field: string, bind: BindValue): Pick<Keyed, 'value'> & { readonly digits: string } {
  const path = pathOfProperty(field);
  if (path === null) {
    const value = CLICKHOUSE_FIELDS[field as EventField];
    return { value, digits: `toString(${value})` };
  }
  const value = clickHousePropertySql(path, bind);
  return { value, digits: `if(match(${value}, '^[-0-9]'), ${value}, NULL)` };
}

/** Returns a condition that is true for the key of a number. */
function isNumberKey(key: string): string {
  return `NOT (${key} IN ('', 'true', 'false') OR startsWith(${key}, '${TEXT}') OR startsWith(${key}, '${LONG_TEXT}'))`;
}

/** Orders keys as `KEY_ORDER` does. */
export const CLICKHOUSE_KEY_ORDER = `
  multiIf(startsWith(key, '${TEXT}') OR startsWith(key, '${LONG_TEXT}'), 0, key IN ('true', 'false'), 2, key = '', 3, 1),
  multiIf(startsWith(key, '${TEXT}'), substring(key, 2), startsWith(key, '${LONG_TEXT}'), substring(key, ${HASH_DIGITS + 2}), ''),
  if(${isNumberKey('key')}, toFloat64OrZero(key), 0), key`;

function textKey(text: string): string {
  return `if(length(${text}) <= ${LONGEST_KEY}, concat('${TEXT}', ${text}),
    concat('${LONG_TEXT}', lower(hex(SHA256(${text}))), leftUTF8(${text}, ${SHOWN_CHARACTERS})))`;
}
