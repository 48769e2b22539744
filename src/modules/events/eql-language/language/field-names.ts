import { CONDITION_FIELDS, CONDITION_SQL, type ConditionFieldName } from '../../fields/index.js';
import { isName } from './lexer.js';
import { QUERY_LIMITS } from './limits.js';
import { RESERVED_WORDS } from './words.js';

export type OwnType = 'text' | 'number' | 'time';

interface OwnField {
  readonly type: OwnType;
  /** Reads it from a row of `events` called `e`. */
  readonly sql: string;
}

/** The fields of the service by their names in queries (DECISIONS 17, Names); every other name is a property. */
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

/** The field that a path names: one of the service's own, else a property. */
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

/** What a name may hold between backticks; a backtick itself is doubled. */
const QUOTABLE = /^[^\r\n]+$/;

/**
 * A property as a query has to write it: quoted where that is needed, and behind `properties.` where the service has the
 * name for itself. Null where no query can name it: it has a line end, or is longer than a field may be.
 * @param name its names joined by dots, as they stand within each other or as one name holds them
 */
export function writtenProperty(name: string): string | null {
  const parts = name.split('.');
  // Nothing can be written between two dots in a row, nor as many parts: then it is one name.
  const path = parts.includes('') || parts.length >= QUERY_LIMITS.path_names ? [name] : parts;
  const isClaimed = resolveName(path).own !== null || (path.length > 1 && path[0] === PROPERTIES);
  const whole = isClaimed ? [PROPERTIES, ...path] : path;
  const isTooLong = whole.length > QUERY_LIMITS.path_names || whole.join('.').length > QUERY_LIMITS.field_characters;
  if (isTooLong || !whole.every((part) => QUOTABLE.test(part))) return null;
  return whole.map((part, at) => (isPlainName(part, at) ? part : `\`${part.replaceAll('`', '``')}\``)).join('.');
}

/** Behind a dot a word of the language is a name, too. */
function isPlainName(part: string, at: number): boolean {
  return isName(part) && (at > 0 || !RESERVED_WORDS.has(part));
}
