import { isObject } from '../../../../../platform/http/validation/index.js';
import { invalidSyntax } from './scim-fault.js';

/** An object with more members is refused. No resource has as many attributes. */
const MAX_NAMES = 1_000;

/**
 * Returns the members of an object by their names in lower case, since names in SCIM compare without case.
 * @throws ScimFault
 */
export function byLowerName(value: object): Map<string, unknown> {
  return new Map(entriesOf(value).map(([name, member]) => [name.toLowerCase(), member]));
}

/** Returns the names and members of an object. @throws ScimFault */
export function entriesOf(value: object): [string, unknown][] {
  // Names are counted first, because entries of large objects are slow to make.
  if (Object.keys(value).length > MAX_NAMES) throw invalidSyntax(`An object has at most ${MAX_NAMES} members`);
  return Object.entries(value);
}

/** Returns a list as it is, nothing as an empty list, and any other value as a list of one. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * Reads a truth value. Some providers send texts such as `"False"`.
 * @returns undefined when the value is none
 */
export function truthOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.toLowerCase();
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

export { isObject };
