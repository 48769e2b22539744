import { getSchemaPath } from '@nestjs/swagger';
import type { Document } from './kind.js';

/** A JSON Schema in the form of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The extension of a field's document that holds the field's schemas until the API document is complete. */
export const NAMED_SCHEMAS = 'x-named-schemas';

/**
 * Returns the document of a field whose schema has its own name in generated clients.
 * @param schemas this schema and the schemas that it refers to, by name. They become schemas of the API document
 */
export function namedSchema(name: string, schemas: Readonly<Record<string, JsonSchema>>): Document {
  // Without `oneOf`, the generator would add its own type to the reference.
  return { oneOf: [{ $ref: getSchemaPath(name) }], [NAMED_SCHEMAS]: schemas };
}

/** The extension of a schema that holds the class of its fields until the API document is complete. */
export const DECLARED_BY = 'x-declared-by';

/** Returns a reference to a schema of the API document. */
export function schemaOf(name: string): JsonSchema {
  return { $ref: getSchemaPath(name) };
}

/** Returns a schema with several alternatives, which the text of a member distinguishes. */
export function union(member: string, namesByText: Readonly<Record<string, string>>): JsonSchema {
  const mapping = Object.fromEntries(Object.entries(namesByText).map(([text, name]) => [text, getSchemaPath(name)]));
  return {
    oneOf: [...new Set(Object.values(namesByText))].map(schemaOf),
    discriminator: { propertyName: member, mapping },
  };
}

/** The extension of a field's document for a field whose content depends on another member of the same object. */
export const VARIES_BY = 'x-varies-by';

/** The variants of a class, distinguished by the text of a member. */
export interface Variants {
  readonly member: string;
  /** The name of the variant and the schema of the field, by the text of the member. */
  readonly of: Readonly<Record<string, { readonly name: string; readonly schema: string }>>;
}

/** Returns the document of a field whose schema depends on the text of another member of the same object. */
export function variesBy(member: string, of: Variants['of']): Document {
  return { [VARIES_BY]: { member, of } satisfies Variants };
}
