import { getSchemaPath } from '@nestjs/swagger';
import type { Document } from './kind.js';

/** A JSON Schema as OpenAPI 3.1 has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where a field's document keeps the schemas that belong to it, until the API document is whole. */
export const NAMED_SCHEMAS = 'x-named-schemas';

/**
 * The document of a field whose schema clients know by a name.
 * @param schemas the schema of that name and those that it refers to, which become schemas of the API document
 */
export function namedSchema(name: string, schemas: Readonly<Record<string, JsonSchema>>): Document {
  // Beside alternatives alone the generator takes no type of its own in.
  return { oneOf: [{ $ref: getSchemaPath(name) }], [NAMED_SCHEMAS]: schemas };
}

/** Where the schema of a class with fields keeps that class, until the API document is whole. */
export const DECLARED_BY = 'x-declared-by';

/** A reference to a schema of the API document. */
export function schemaOf(name: string): JsonSchema {
  return { $ref: getSchemaPath(name) };
}

/** One of several schemas, told apart by the text of a member. */
export function union(member: string, namesByText: Readonly<Record<string, string>>): JsonSchema {
  const mapping = Object.fromEntries(Object.entries(namesByText).map(([text, name]) => [text, getSchemaPath(name)]));
  return {
    oneOf: [...new Set(Object.values(namesByText))].map(schemaOf),
    discriminator: { propertyName: member, mapping },
  };
}

/** Where a field's document says that a member beside it decides what it holds. */
export const VARIES_BY = 'x-varies-by';

/** A schema of a class that is a union of variants, told apart by the text of a member. */
export interface Variants {
  readonly member: string;
  /** By the text: what the variant is called, and the class of the field. */
  readonly of: Readonly<Record<string, { readonly name: string; readonly schema: string }>>;
}

/** The document of a field that holds another class with each text of the member `by` beside it. */
export function variesBy(member: string, of: Variants['of']): Document {
  return { [VARIES_BY]: { member, of } satisfies Variants };
}
