import { ExactNumber, stringifyExact } from '../../../../platform/json/index.js';
import type { Attributes, Origin, OtlpValue } from '../records.js';
import { DROPPED } from './event-properties.js';

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
