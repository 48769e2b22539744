import {
  arrayWithItems,
  enumOfConst,
  flaggedBounds,
  formatOfContent,
  objectOf,
  oneExample,
  onlyKeywords,
  referenceAlone,
  withoutEmptyRequired,
} from './keywords.js';
import { nullableUnion, oneType } from './nullable.js';
import { anyValue, openObject, typedComposition } from './types.js';
import { type Find, isSchema, type Rewrite, type Schema } from './schema.js';

/** The rewrites of a schema, in the order in which they need each other's results. */
const REWRITES: readonly Rewrite[] = [
  nullableUnion,
  oneType,
  enumOfConst,
  flaggedBounds,
  formatOfContent,
  oneExample,
  withoutEmptyRequired,
  arrayWithItems,
  openObject,
  referenceAlone,
  typedComposition,
  onlyKeywords,
  anyValue,
];

const ONE = ['items', 'not'] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const;

/** Returns a schema of OpenAPI 3.1, with all schemas inside of it, as OpenAPI 3.0 writes it. */
export function convertSchema(given: unknown, find: Find): Schema {
  const schema = REWRITES.reduce((each, rewrite) => rewrite(each, find), objectOf(given));
  const inner = (part: unknown): Schema => convertSchema(part, find);
  const { properties, additionalProperties } = schema;
  return {
    ...schema,
    ...Object.fromEntries(ONE.flatMap((key) => (key in schema ? [[key, inner(schema[key])]] : []))),
    ...Object.fromEntries(
      LISTS.flatMap((key) => (Array.isArray(schema[key]) ? [[key, (schema[key] as unknown[]).map(inner)]] : [])),
    ),
    ...(isSchema(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)])),
    }),
    ...(isSchema(additionalProperties) && { additionalProperties: inner(additionalProperties) }),
  };
}
