import { readFileSync } from 'node:fs';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  minLength?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: {
    name: string;
    in: 'path' | 'query' | 'header';
    required?: boolean;
    description?: string;
    schema?: Schema;
  }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: Schema }> }>;
  'x-access': string;
}

export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string };
  servers?: unknown;
  security?: unknown;
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
}

export interface ListedOperation {
  method: string;
  path: string;
  operation: Operation;
}

export const document = JSON.parse(
  readFileSync(new URL('../../docs/api/openapi.json', import.meta.url), 'utf8'),
) as ApiDocument;

/** The paths that only the document for clients describes, such as `/intake`. */
export const others = JSON.parse(
  readFileSync(new URL('../../docs/api/other-paths.json', import.meta.url), 'utf8'),
) as Pick<ApiDocument, 'tags' | 'paths'> & { readonly components: Record<string, Record<string, Schema>> };

/** The public document together with the other paths. It shares their parts. */
export const completeDocument: ApiDocument = {
  ...document,
  tags: [...document.tags, ...others.tags],
  paths: { ...document.paths, ...others.paths },
  components: {
    ...document.components,
    ...Object.fromEntries(
      Object.entries(others.components).map(([kind, parts]) => [kind, { ...componentsOf(kind), ...parts }]),
    ),
  },
};

function componentsOf(kind: string): Record<string, unknown> | undefined {
  return (document.components as Record<string, Record<string, unknown>>)[kind];
}

/** The sentences with which each operation can refuse a request with 429, by their codes. */
export const limits = JSON.parse(
  readFileSync(new URL('../../docs/api/limits.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The sentences with which an operation can refuse a request with 429, sorted. */
export function limitsOf(operationId: string): string[] {
  return Object.values(limits[operationId] ?? {}).toSorted();
}

/** The operations of the public document. */
export const operations = operationsOf(document);
/** The operations of the public document and of the other paths. */
export const allOperations = operationsOf(completeDocument);

/** Returns the operations of a document, with its shared parts in place of references. */
function operationsOf({ paths }: ApiDocument): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters, responses, ...operation }]) => ({
      method: method.toUpperCase(),
      path,
      operation: {
        ...operation,
        ...(parameters !== undefined && { parameters: parameters.map(part) }),
        responses: Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, part(response)])),
      },
    })),
  );
}

function part<T extends object>(written: T | { $ref: string }): T {
  if (!('$ref' in written)) return written;
  const [kind = '', name = ''] = written.$ref.replace('#/components/', '').split('/');
  const found = (completeDocument.components as unknown as Record<string, Record<string, T>>)[kind]?.[name];
  if (found === undefined) throw new Error(`${written.$ref} is not in the document`);
  return found;
}

export function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = document.components.schemas[name];
  if (found === undefined) throw new Error(`${schema.$ref} is not in the document`);
  return found;
}

/** Returns the schema of an object with the members of the schemas that it extends. */
export function whole(schema: Schema): Schema {
  const resolved = resolve(schema);
  const bases = (resolved.allOf ?? []).map(whole);
  return bases.reduce<Schema>(
    (heir, base) => ({
      ...base,
      ...heir,
      properties: { ...base.properties, ...heir.properties },
      required: [...(base.required ?? []), ...(heir.required ?? [])],
    }),
    resolved,
  );
}

/** Returns a valid value of a schema. `known` has identifiers by field name. */
export function exampleOf(schema: Schema, known: Readonly<Record<string, unknown>>, name = ''): unknown {
  const known_ = known[name];
  if (known_ !== undefined) return known_;
  const resolved = whole(schema);
  const { type, format, enum: values, const: constant, properties, required = [], items, minLength = 1 } = resolved;
  if (constant !== undefined) return constant;
  if (values !== undefined) return values[0];
  const [choice] = resolved.oneOf ?? resolved.anyOf ?? [];
  if (choice !== undefined) return exampleOf(choice, known, name);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return Object.fromEntries(required.map((key) => [key, exampleOf(properties?.[key] ?? {}, known, key)]));
    case 'array':
      return items === undefined ? [] : [exampleOf(items, known)];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      if (format === 'uuid') return '0199f3a1-0000-7000-8000-000000000000';
      if (format === 'email') return 'somebody@example.com';
      if (format === 'date-time') return '2026-01-01T00:00:00Z';
      if (format === 'uri') return 'https://example.com/';
      return 'x'.repeat(Math.max(minLength, 1));
  }
}
