import type { Find, Schema } from './schema.js';

const COMPOSITIONS = ['oneOf', 'anyOf', 'allOf'] as const;

/**
 * Gives a composition the common type of its parts. Generators read the type before the parts, and `nullable` needs a
 * type next to it.
 */
export function typedComposition(schema: Schema, find: Find): Schema {
  if ('type' in schema || !COMPOSITIONS.some((key) => key in schema)) return schema;
  const type = typeOf(schema, find);
  return type === undefined ? schema : { ...schema, type };
}

/**
 * Reduces a schema without a type to one of any value. Generators accept `{}` for such a schema, but refuse a
 * description without a type.
 */
export function anyValue(schema: Schema): Schema {
  const hasType = ['$ref', 'type', 'enum', 'not', ...COMPOSITIONS].some((key) => key in schema);
  return hasType ? schema : {};
}

/**
 * Writes "members of any name and value" as a schema. A schema with named members does not need it: generators would
 * give the named members the type of the unnamed ones.
 */
export function openObject({ additionalProperties, ...schema }: Schema): Schema {
  if (additionalProperties !== true)
    return additionalProperties === undefined ? schema : { ...schema, additionalProperties };
  return 'properties' in schema ? schema : { ...schema, additionalProperties: {} };
}

/** Returns the type that all schemas have, by themselves or by what they refer to. */
export function commonType(schemas: readonly Schema[], find: Find): string | undefined {
  const [first, ...others] = new Set(schemas.map((schema) => typeOf(schema, find)));
  return others.length === 0 ? first : undefined;
}

function typeOf({ $ref, type, const: value, enum: values, ...schema }: Schema, find: Find): string | undefined {
  if (typeof $ref === 'string') return typeOf(find($ref), find);
  if (typeof type === 'string') return type;
  if (value !== undefined) return typeof value;
  if (Array.isArray(values)) return typeof values[0];
  for (const key of COMPOSITIONS) {
    const parts = schema[key];
    if (Array.isArray(parts)) return commonType(parts as Schema[], find);
  }
  return undefined;
}
