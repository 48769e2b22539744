/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 has it, or one of OpenAPI 3.0. */
export type Schema = Readonly<Record<string, unknown>>;

/** Returns the schema that a reference names. */
export type Find = (reference: string) => Schema;

/** A rewrite of one schema. It leaves the schemas inside of it alone. */
export type Rewrite = (schema: Schema, find: Find) => Schema;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
