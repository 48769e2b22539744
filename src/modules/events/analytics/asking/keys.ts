import type { Bind } from '../../../../platform/database/parameters.js';
import { EVENT_FIELDS, type EventField, pathOfProperty, propertySql } from '../../conditions/index.js';
import { CONDITION_SQL } from '../../fields/index.js';

/** Characters of a text that are shown. */
const SHOWN = 200;
/** Bytes of a text that stands for itself among keys; of a longer one its hash does. */
const LONGEST_KEY = 4 * SHOWN;
const HASH_DIGITS = 64;
const TEXT = '"';
const LONG_TEXT = '#';

export type Scalar = string | number | boolean;

/** What is computed of each event `e`: joined to it once, and read from there. */
export interface Computed {
  readonly join: string;
  readonly sql: string;
}

/**
 * The scalar that a field holds as a text that is equal for equal scalars of equal types alone: `"` and the text itself,
 * or of a long one `#`, its hash and its beginning; a number; `true` or `false`. Empty where there is none, or an object
 * or list.
 */
export function keySql(field: string, alias: string, bind: Bind): Computed {
  const path = pathOfProperty(field);
  if (path === null) {
    const sql = CONDITION_SQL[field as EventField];
    const key = EVENT_FIELDS[field as EventField] === 'text' ? textKey(`(${sql})::text`) : `(${sql})::text`;
    return { join: '', sql: `coalesce(${key}, '') COLLATE "C"` };
  }
  return {
    join: joined(propertySql(path, bind), alias),
    sql: `CASE jsonb_typeof(${alias}.value) WHEN 'string' THEN ${textKey(`(${alias}.value #>> '{}')`)}
            WHEN 'number' THEN trim_scale((${alias}.value)::numeric)::text
            WHEN 'boolean' THEN (${alias}.value)::text ELSE '' END COLLATE "C"`,
  };
}

/** The key of a column of text that is never long. */
export function shortKeySql(column: string): string {
  return `coalesce('${TEXT}' || ${column}::text, '') COLLATE "C"`;
}

/** The number that a field holds, null where it holds none: numeric, which no sum of events goes beyond. */
export function numberOf(field: string, alias: string, bind: Bind): Computed {
  const path = pathOfProperty(field);
  if (path === null) return { join: '', sql: `(${CONDITION_SQL[field as EventField]})::numeric` };
  return {
    join: joined(propertySql(path, bind), alias),
    sql: `CASE WHEN jsonb_typeof(${alias}.value) = 'number' THEN (${alias}.value)::numeric END`,
  };
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
      return Number(key);
  }
}

function textKey(text: string): string {
  return `CASE WHEN octet_length(${text}) <= ${LONGEST_KEY} THEN '${TEXT}' || ${text}
    ELSE '${LONG_TEXT}' || encode(sha256(convert_to(${text}, 'UTF8')), 'hex') || left(${text}, ${SHOWN}) END`;
}

/** Computed once for each event, however often it is looked at. */
function joined(value: string, alias: string): string {
  return `CROSS JOIN LATERAL (SELECT ${value} AS value OFFSET 0) ${alias}`;
}

function cut(text: string): string {
  return text.length <= SHOWN ? text : [...text].slice(0, SHOWN).join('');
}
