import { withDoubles } from '../../../platform/json/index.js';
import { CONDITION_FIELDS } from '../fields/index.js';
import type { FieldType } from './operators/operands.js';
import type { Comparison } from './operators/registry.js';

/** All given members must match. An empty group matches everything. */
export interface FilterGroup {
  readonly all?: readonly FilterNode[];
  readonly any?: readonly FilterNode[];
  readonly not?: FilterNode;
}

export type FilterNode = Comparison | FilterGroup;

export function isComparison(node: FilterNode): node is Comparison {
  return 'op' in node;
}

export const PROPERTY_PREFIX = 'properties.';

/** The fields that conditions may name, in addition to `properties.<path>`. */
export type Vocabulary = Readonly<Record<string, 'text' | 'number'>>;

/** The fields of an event. The fields under `log` are derived in the same way as the columns of log rows. */
export const EVENT_FIELDS = CONDITION_FIELDS satisfies Vocabulary;

export type EventField = keyof typeof EVENT_FIELDS;

/**
 * The input of a filter: fields by name, where null and undefined mean missing, and the properties. A property that was
 * read beforehand may be among the fields under its whole name.
 */
export interface FilterSubject {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
}

export const MAX_FILTER_DEPTH = 8;
export const MAX_FILTER_NODES = 100;
export const MAX_FIELD_LENGTH = 200;
export const MAX_PATH_NAMES = 16;
export const MAX_PATTERNS = 20;
/** The total characters of all fields and values of a filter. */
export const MAX_FILTER_TEXT = 16_384;

/** Returns the type of a field, or null when there is no such field. */
export function typeOfField(field: string, vocabulary: Vocabulary): FieldType | null {
  if (Object.hasOwn(vocabulary, field)) return vocabulary[field] ?? null;
  return pathOfProperty(field) === null ? null : 'any';
}

/** Returns the names in `properties.<path>`, outermost first, or null when the field is not a property. */
export function pathOfProperty(field: string): readonly string[] | null {
  if (!field.startsWith(PROPERTY_PREFIX) || field.length > MAX_FIELD_LENGTH) return null;
  const path = field.slice(PROPERTY_PREFIX.length).split('.');
  return path.length > MAX_PATH_NAMES || path.includes('') ? null : path;
}

/**
 * Returns the value of a property, where null means missing. A property whose name is the whole path wins. Otherwise
 * the path is followed, and a number is an index in a list, from 0.
 */
export function propertyAt(properties: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  return withDoubles(exactPropertyAt(properties, path));
}

/** Returns the same as {@link propertyAt}, but keeps all digits of a number. */
export function exactPropertyAt(properties: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  const named = own(properties, path.join('.'));
  if (named !== undefined && named !== null) return named;
  return path.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return /^(0|[1-9]\d{0,5})$/.test(name) ? value[Number(name)] : undefined;
    return typeof value === 'object' && value !== null ? own(value as Record<string, unknown>, name) : undefined;
  }, properties);
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
