import { type ExactNumber, parseExact } from '../../../../platform/json/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import { EVENT_FIELDS, type EventField, pathOfProperty, propertySql } from '../../conditions/index.js';
import { CONDITION_SQL } from '../../fields/index.js';

/** Characters of a text that are shown. */
export const SHOWN_CHARACTERS = 200;
/** Bytes of a text that stands for itself among keys; of a longer one its hash does. */
export const LONGEST_KEY = 4 * SHOWN_CHARACTERS;
export const HASH_DIGITS = 64;
export const TEXT = '"';
export const LONG_TEXT = '#';

export type Scalar = string | number | boolean | ExactNumber;

/** What a field holds, and the key that stands for it. */
export interface Keyed {
  /** Of an event `e`: equal for equal values. */
  readonly value: string;
  /** Of a column of such values, which are fewer once they are gathered. */
  readonly key: (column: string) => string;
}

/**
 * The scalar that a field holds as a text that is equal for equal scalars of equal types alone: `"` and the text itself,
 * or of a long one `#`, its hash and its beginning; a number; `true` or `false`. Empty where there is none, or an object
 * or list.
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

/** The key of a column of text that is never long. */
export function shortKeySql(column: string): string {
  return `coalesce('${TEXT}' || ${column}::text, '') COLLATE "C"`;
}

/** The number that a field of an event `e` holds, null where it holds none: numeric, which no sum goes beyond. */
export function numericSql(field: string, bind: Bind): string {
  const path = pathOfProperty(field);
  if (path === null) return `(${CONDITION_SQL[field as EventField]})::numeric`;
  const value = propertySql(path, bind);
  return `CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${value})::numeric END`;
}

/** Orders keys: texts, numbers, truth, none; each ascending. */
export const KEY_ORDER = `
  CASE left(key, 1) WHEN '${TEXT}' THEN 0 WHEN '${LONG_TEXT}' THEN 0 WHEN 'f' THEN 2 WHEN 't' THEN 2 WHEN '' THEN 3 ELSE 1 END,
  CASE left(key, 1) WHEN '${TEXT}' THEN substr(key, 2) WHEN '${LONG_TEXT}' THEN substr(key, ${HASH_DIGITS + 2}) END COLLATE "C",
  CASE WHEN left(key, 1) NOT IN ('${TEXT}', '${LONG_TEXT}', 'f', 't', '') THEN key::numeric END,
  key COLLATE "C"`;

/** What a key stands for, text cut to what is shown; null: none. */
export function scalarOf(key: string): Scalar | null {
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

/** Of a key that stands for something. */
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
