import { type ExactNumber, parseExact } from '../../../../platform/json/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import { EVENT_FIELDS, type EventField, pathOfProperty, propertySql } from '../../conditions/index.js';
import { CONDITION_SQL } from '../../fields/index.js';

/** Texts are shortened to this many characters for display. */
export const SHOWN_CHARACTERS = 200;
/** The maximum length of a text in a key, in bytes. In place of a longer text, a key has its hash and its beginning. */
export const LONGEST_KEY = 4 * SHOWN_CHARACTERS;
export const HASH_DIGITS = 64;
export const TEXT = '"';
export const LONG_TEXT = '#';

export type ScalarValue = string | number | boolean | ExactNumber;

/** SQL for the value of a field, and for the key that identifies the value. */
export interface Keyed {
  /** SQL for the value in an event `e`. GROUP BY puts equal values into one group. */
  readonly value: string;
  /** SQL for the key of a column of such values. It is applied after GROUP BY, when there are fewer rows. */
  readonly key: (column: string) => string;
}

/**
 * Returns SQL for the value of a field, and for its key. Two keys are equal only when type and value are equal. The key
 * of a text is `"` and the text. The key of a long text is `#`, its hash and its beginning. The key of a number or
 * boolean is its text, without a prefix. The key is empty when the value is missing, an object or a list.
 */
export function keyedSql(field: string, bind: Bind): Keyed {
  const path = pathOfProperty(field);
  if (path === null) {
    const isText = EVENT_FIELDS[field as EventField] === 'text';
    return {
      value: CONDITION_SQL[field as EventField],
      key: (column) => `coalesce(${isText ? textKey(column) : `${column}::text`}, '') COLLATE "C"`,
    };
  }
  return {
    value: propertySql(path, bind),
    key: (column) =>
      `CASE jsonb_typeof(${column}) WHEN 'string' THEN ${textKey(`(${column} #>> '{}')`)}
         WHEN 'number' THEN trim_scale((${column})::numeric)::text
         WHEN 'boolean' THEN (${column})::text ELSE '' END COLLATE "C"`,
  };
}

/** Returns SQL for the key of a text column whose values are never longer than {@link LONGEST_KEY}. */
export function shortKeySql(column: string): string {
  return `coalesce('${TEXT}' || ${column}::text, '') COLLATE "C"`;
}

/**
 * Returns SQL for the number that a field of an event `e` holds, or null. The type is numeric, so that a sum cannot
 * overflow.
 */
export function numericSql(field: string, bind: Bind): string {
  const path = pathOfProperty(field);
  if (path === null) return `(${CONDITION_SQL[field as EventField]})::numeric`;
  const value = propertySql(path, bind);
  return `CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${value})::numeric END`;
}

/** Orders keys: texts, numbers, booleans, missing values; each ascending. */
export const KEY_ORDER = `
  CASE left(key, 1) WHEN '${TEXT}' THEN 0 WHEN '${LONG_TEXT}' THEN 0 WHEN 'f' THEN 2 WHEN 't' THEN 2 WHEN '' THEN 3 ELSE 1 END,
  CASE left(key, 1) WHEN '${TEXT}' THEN substr(key, 2) WHEN '${LONG_TEXT}' THEN substr(key, ${HASH_DIGITS + 2}) END COLLATE "C",
  CASE WHEN left(key, 1) NOT IN ('${TEXT}', '${LONG_TEXT}', 'f', 't', '') THEN key::numeric END,
  key COLLATE "C"`;

/** Returns the value of a key, with a text shortened for display. Null when the value is missing. */
export function scalarOf(key: string): ScalarValue | null {
  switch (key[0]) {
    case undefined:
      return null;
    case TEXT:
      return cut(key.slice(1));
    case LONG_TEXT:
      return key.slice(1 + HASH_DIGITS);
    case 't':
      return true;
    case 'f':
      return false;
    default:
      return parseExact(key) as number | ExactNumber;
  }
}

/** @param key not empty, because an empty key would be taken for a number */
export function isKeyOfNumber(key: string): boolean {
  return ![TEXT, LONG_TEXT, 't', 'f'].includes(key[0] ?? '');
}

function textKey(text: string): string {
  return `CASE WHEN octet_length(${text}) <= ${LONGEST_KEY} THEN '${TEXT}' || ${text}
    ELSE '${LONG_TEXT}' || encode(sha256(convert_to(${text}, 'UTF8')), 'hex') || left(${text}, ${SHOWN_CHARACTERS}) END`;
}

function cut(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : [...text].slice(0, SHOWN_CHARACTERS).join('');
}
