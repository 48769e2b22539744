import type { OpenAPIObject } from '@nestjs/swagger';
import { withoutUnusedSchemas } from '../schemas/used-schemas.js';
import { convertSchema } from './convert-schema.js';
import { binaryOf } from './keywords.js';
import { isSchema, type Schema } from './schema.js';

const VERSION = '3.0.3';
const BYTES = 'application/octet-stream';
const FORM = 'multipart/form-data';
/** The parts of a document whose values are data or name other parts. */
const AS_THEY_ARE = new Set(['example', 'examples', 'security', 'securitySchemes', 'tags', 'servers', 'info']);

/**
 * Returns a document of OpenAPI 3.1 as OpenAPI 3.0 writes it, for generators that do not read 3.1. Schemas that only
 * keywords of 3.1 refer to are left out.
 * @param document is not changed
 */
export function openApi30({ openapi: _, ...document }: OpenAPIObject): OpenAPIObject {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const find = (reference: string): Schema => {
    const found = schemas[reference.replace('#/components/schemas/', '')];
    if (found === undefined) throw new Error(`${reference} is not in the document`);
    return found;
  };
  const converted = (part: unknown, mediaType?: string): unknown => {
    if (Array.isArray(part)) return part.map((each) => converted(each));
    if (!isSchema(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, value]) => {
        if (AS_THEY_ARE.has(key)) return [key, value];
        if (key === 'schema') return [key, binaryOf(mediaType ?? '', convertSchema(value, find))];
        if (key === 'schemas') return [key, each(value, (schema) => convertSchema(schema, find))];
        if (key === 'content') return [key, each(bytesOrForm(value), (media, type) => converted(media, type))];
        return [key, converted(value)];
      }),
    );
  };
  return withoutUnusedSchemas({ openapi: VERSION, ...(converted(document) as Omit<OpenAPIObject, 'openapi'>) });
}

/** Leaves out the form of a body that may also be sent as bytes: generators mix up both, and bytes need no form. */
function bytesOrForm(content: unknown): unknown {
  if (!isSchema(content) || !(BYTES in content)) return content;
  const { [FORM]: _, ...others } = content;
  return others;
}

function each(parts: unknown, change: (part: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(parts as object).map(([name, part]) => [name, change(part, name)]));
}
