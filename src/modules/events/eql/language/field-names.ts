import { CONDITION_FIELDS, CONDITION_SQL, type ConditionFieldName } from '../../fields/index.js';

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
