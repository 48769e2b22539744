import { isSchema, type Schema } from './schema.js';

/** The keywords of a Schema Object in OpenAPI 3.0.3. */
const KEYWORDS = new Set(
  [
    '$ref title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems',
    'uniqueItems maxProperties minProperties required enum type allOf oneOf anyOf not items properties',
    'additionalProperties description format default nullable discriminator readOnly writeOnly xml externalDocs example',
    'deprecated',
  ].flatMap((line) => line.split(' ')),
);
const BINARY = /^(application\/octet-stream|\*\/\*|(image|audio|video)\/.*)$/;

/** Replaces `const` by a list of one value. OpenAPI 3.0 gives such a list a type. */
export function enumOfConst({ const: value, ...schema }: Schema): Schema {
  if (value === undefined) return schema;
  return { type: typeof value, ...schema, enum: [value] };
}

/** Writes an exclusive bound as the bound and a flag. Of two bounds on one side only the narrower one can be written. */
export function flaggedBounds(schema: Schema): Schema {
  const { exclusiveMinimum: above, exclusiveMaximum: below, minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(isNumber(minimum) && { minimum }),
    ...(isNumber(maximum) && { maximum }),
    ...(isNumber(above) && (!isNumber(minimum) || above >= minimum) && { minimum: above, exclusiveMinimum: true }),
    ...(isNumber(below) && (!isNumber(maximum) || below <= maximum) && { maximum: below, exclusiveMaximum: true }),
  };
}

/** Keeps the first of several examples. */
export function oneExample({ examples, ...schema }: Schema): Schema {
  if (!Array.isArray(examples) || examples.length === 0 || 'example' in schema) return schema;
  return { ...schema, example: examples[0] as unknown };
}

/** Writes the encoding of a text as its format: `byte` is base64, `binary` is bytes as they are. */
export function formatOfContent({ contentEncoding, contentMediaType, ...schema }: Schema): Schema {
  const type = typeof contentMediaType === 'string' ? contentMediaType : '';
  const format = contentEncoding === 'base64' ? 'byte' : BINARY.test(type) ? 'binary' : undefined;
  return format === undefined ? schema : { type: 'string', ...schema, format };
}

/** Removes a list of required members that is empty, which OpenAPI 3.0 does not permit. */
export function withoutEmptyRequired({ required, ...schema }: Schema): Schema {
  return Array.isArray(required) && required.length > 0 ? { ...schema, required: required as unknown[] } : schema;
}

/** Adds a schema for the items of an array without one, because OpenAPI 3.0 requires it. */
export function arrayWithItems(schema: Schema): Schema {
  return schema['type'] === 'array' && !('items' in schema) ? { ...schema, items: {} } : schema;
}

/** Moves a reference that has siblings into `allOf`, because OpenAPI 3.0 ignores the siblings of a reference. */
export function referenceAlone({ $ref, ...siblings }: Schema): Schema {
  if ($ref === undefined) return siblings;
  return Object.keys(siblings).length === 0 ? { $ref } : { ...siblings, allOf: [{ $ref }] };
}

/**
 * Leaves out the keywords that OpenAPI 3.0 does not have, such as `if`, `then` and `propertyNames`. The schema then
 * accepts more than the service does.
 */
export function onlyKeywords(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => KEYWORDS.has(key) || key.startsWith('x-')));
}

/** Turns the schemas `true` and `false` into objects. */
export function objectOf(schema: unknown): Schema {
  if (isSchema(schema)) return schema;
  return schema === false ? { not: {} } : {};
}

/** Makes text of a media type that is not text `binary`. */
export function binaryOf(mediaType: string, schema: Schema): Schema {
  const isPlainText = schema['type'] === 'string' && schema['format'] === undefined;
  return isPlainText && BINARY.test(mediaType) ? { ...schema, format: 'binary' } : schema;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
