import { ExactNumber, stringifyExact } from '../../../../platform/json/index.js';
import { type AttributeList, type Attributes, type Origin, type OtlpValue, setMember } from '../records.js';
import type { EventDraft } from '../../core/index.js';

/** The member for attributes whose names an event needs for its own fields. */
const DISPLACED = 'attributes';
const DROPPED = 'dropped_attributes_count';

type Fields = Omit<EventDraft, 'properties' | 'uniqueKey'>;

/**
 * Returns a draft of the attributes and of the members that the mapping adds to them. An attribute with the name of a
 * field or of such a member is kept in the property `attributes`. Members that are undefined or empty are left out.
 * @param list its attributes become the properties
 */
export function draftOf(
  fields: Fields,
  list: AttributeList,
  added: Readonly<Record<string, OtlpValue | undefined>>,
): EventDraft {
  const properties = list.attributes;
  const displaced: Attributes = {};
  for (const name of Object.keys(fields)) {
    if (fields[name as keyof Fields] !== undefined && Object.hasOwn(properties, name)) {
      setMember(displaced, name, properties[name] ?? null);
    }
  }
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined || value === '') continue;
    const before = Object.hasOwn(properties, name) ? properties[name] : value;
    if (before !== value) setMember(displaced, name, before ?? null);
    properties[name] = value;
  }
  if (list.dropped > 0) properties[DROPPED] = list.dropped;
  if (Object.keys(displaced).length > 0) properties[DISPLACED] = displaced;
  return { ...fields, properties };
}

/** Returns the first of the attributes that is text and not empty, or a number. */
export function textAttribute(attributes: Attributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' || value instanceof ExactNumber) return String(value);
  }
  return undefined;
}

/** Returns the first of the attributes that is a whole number or the digits of one. */
export function wholeAttribute(attributes: Attributes, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
  }
  return undefined;
}

export function sourceOf({ resource }: Origin): string {
  return textAttribute(resource.attributes, ['service.name']) ?? 'otlp';
}

export function environmentOf({ resource }: Origin): string | undefined {
  return textAttribute(resource.attributes, ['deployment.environment.name', 'deployment.environment']);
}

/** Returns the properties `resource` and `scope`, which records of one origin share. */
export function originMembers({ resource, scope }: Origin): { resource?: Attributes; scope?: Attributes } {
  const scopeMembers: Attributes = {};
  if (scope.name !== '') scopeMembers['name'] = scope.name;
  if (scope.version !== '') scopeMembers['version'] = scope.version;
  if (scope.count > 0) scopeMembers['attributes'] = scope.attributes;
  if (scope.dropped > 0) scopeMembers[DROPPED] = scope.dropped;
  if (resource.dropped > 0) resource.attributes[DROPPED] = resource.dropped;
  return {
    ...(Object.keys(resource.attributes).length > 0 && { resource: resource.attributes }),
    ...(Object.keys(scopeMembers).length > 0 && { scope: scopeMembers }),
  };
}

/** Returns text as it is, and every other value as JSON. */
export function textOf(value: OtlpValue): string {
  return typeof value === 'string' ? value : stringifyExact(value);
}
