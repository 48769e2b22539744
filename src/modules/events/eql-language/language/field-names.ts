import { CONDITION_FIELDS, CONDITION_SQL, type ConditionFieldName } from '../../fields/index.js';
import { isName } from './lexer.js';
import { QUERY_LIMITS } from './limits.js';
import { RESERVED_WORDS } from './words.js';

export type OwnType = 'text' | 'number' | 'time';

interface OwnField {
  readonly type: OwnType;
  /** SQL for the field in the row `e` of `events`. */
  readonly sql: string;
}

/** The fields of the service by their names in queries. Every other name is a property. */
export const OWN_FIELDS: Readonly<Record<string, OwnField>> = {
  ...Object.fromEntries(
    (Object.keys(CONDITION_FIELDS) as ConditionFieldName[]).map((name) => [
      name,
      { type: CONDITION_FIELDS[name], sql: CONDITION_SQL[name] },
    ]),
  ),
  timestamp: { type: 'time', sql: 'e."timestamp"' },
  _id: { type: 'text', sql: 'e.id::text' },
};

const OTHER_NAMES: Readonly<Record<string, string>> = { '@timestamp': 'timestamp' };
const PROPERTIES = 'properties';

/** Returns the field that a path names: a field of the service, or else a property. */
export function resolveName(path: readonly string[]): {
  readonly own: string | null;
  readonly path: readonly string[];
} {
  const written = path.join('.');
  const name = Object.hasOwn(OTHER_NAMES, written) ? (OTHER_NAMES[written] ?? written) : written;
  if (Object.hasOwn(OWN_FIELDS, name)) return { own: name, path };
  return { own: null, path: path.length > 1 && path[0] === PROPERTIES ? path.slice(1) : path };
}

export function ownField(name: string): OwnField {
  const field = OWN_FIELDS[name];
  if (field === undefined) throw new Error(`There is no field ${name}`);
  return field;
}

/** Matches names that can be written between backticks. A backtick in the name is doubled. */
const QUOTABLE = /^[^\r\n]+$/;

/**
 * Returns a property as a query must write it: quoted if necessary, and with the prefix `properties.` if the service
 * has a field of that name. Returns null when no query can name the property, because its name has a line end or is too
 * long.
 * @param name the names of nested members joined by dots, or one name with dots
 */
export function writtenProperty(name: string): string | null {
  const parts = name.split('.');
  // No path has an empty part or this many parts, so such a text is one name with dots.
  const path = parts.includes('') || parts.length >= QUERY_LIMITS.path_names ? [name] : parts;
  const isClaimed = resolveName(path).own !== null || (path.length > 1 && path[0] === PROPERTIES);
  const whole = isClaimed ? [PROPERTIES, ...path] : path;
  const isTooLong = whole.length > QUERY_LIMITS.path_names || whole.join('.').length > QUERY_LIMITS.field_characters;
  if (isTooLong || !whole.every((part) => QUOTABLE.test(part))) return null;
  return whole.map((part, at) => (isPlainName(part, at) ? part : `\`${part.replaceAll('`', '``')}\``)).join('.');
}

/** Returns whether a part needs no quotes. After a dot, a word of the language is a name, too. */
function isPlainName(part: string, at: number): boolean {
  return isName(part) && (at > 0 || !RESERVED_WORDS.has(part));
}
