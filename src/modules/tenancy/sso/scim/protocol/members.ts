import { isObject } from '../../../../../platform/http/validation/index.js';
import { invalidSyntax } from './scim-fault.js';

/** An object with more members is refused. No resource has as many attributes. */
const MAX_NAMES = 1_000;

/**
 * Returns the members of an object by their names in lower case, because SCIM compares names without regard to case.
 * @throws ScimFault
 */
export function byLowerName(value: object): Map<string, unknown> {
  return new Map(entriesOf(value).map(([name, member]) => [name.toLowerCase(), member]));
}

/** Returns the names and members of an object. @throws ScimFault */
export function entriesOf(value: object): [string, unknown][] {
  // Names are counted first, because creating the entries of a large object is slow.
  if (Object.keys(value).length > MAX_NAMES) throw invalidSyntax(`An object has at most ${MAX_NAMES} members`);
  return Object.entries(value);
}

/** Returns a list unchanged, an empty list for a missing value, and a list of one item for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * Reads a boolean. Some providers send texts such as `"False"`.
 * @returns undefined when the value is not a boolean
 */
export function truthOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.toLowerCase();
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

export { isObject };
