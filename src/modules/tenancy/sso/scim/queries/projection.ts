import { invalidValue } from '../protocol/scim-fault.js';

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 200;
/** Every resource in an answer has these attributes, even when they were not requested. */
const ALWAYS: ReadonlySet<string> = new Set(['id', 'schemas']);
const URN = /^urn:.*:/;

/** The attributes of an answer. Names are in lower case and may include a sub-attribute. */
export interface Projection {
  /** Null: all attributes. */
  readonly attributes: ReadonlySet<string> | null;
  readonly excluded: ReadonlySet<string>;
}

/** Reads attribute names, as a text with commas or as a list. @throws ScimFault */
export function readProjection(attributes: unknown, excluded: unknown): Projection {
  const wanted = namesIn(attributes);
  return { attributes: wanted.length === 0 ? null : new Set(wanted), excluded: new Set(namesIn(excluded)) };
}

/** Returns whether an answer contains an attribute or one of its sub-attributes. */
export function shows({ attributes, excluded }: Projection, name: string): boolean {
  const lower = name.toLowerCase();
  if (ALWAYS.has(lower)) return true;
  if (attributes === null) return !excluded.has(lower);
  return [...attributes].some((wanted) => wanted === lower || wanted.startsWith(`${lower}.`));
}

/** Returns a resource with the attributes of a projection. */
export function projected(resource: object, projection: Projection): object {
  return Object.fromEntries(
    Object.entries(resource)
      .filter(([name]) => shows(projection, name))
      .map(([name, value]) => [name, part(name.toLowerCase(), value, projection)]),
  );
}

function part(name: string, value: unknown, projection: Projection): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => part(name, item, projection));
  if (typeof value !== 'object' || value === null) return value;
  const { attributes, excluded } = projection;
  const isWhole = attributes === null || attributes.has(name);
  return Object.fromEntries(
    Object.entries(value).filter(([sub]) => {
      const path = `${name}.${sub.toLowerCase()}`;
      return isWhole ? !(attributes === null && excluded.has(path)) : attributes.has(path);
    }),
  );
}

function namesIn(given: unknown): string[] {
  if (given === undefined || given === null) return [];
  const names: unknown[] = typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : [given];
  if (names.length > MAX_NAMES) throw invalidValue(`At most ${MAX_NAMES} attributes can be named`);
  return names.flatMap((name) => {
    if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH) throw invalidValue('An attribute must be a name');
    const lower = name.trim().toLowerCase();
    // Attributes of extensions are not stored, so their names match nothing.
    const isCore = lower.startsWith('urn:ietf:params:scim:schemas:core:2.0:');
    return lower === '' ? [] : [isCore ? lower.replace(URN, '') : lower];
  });
}
