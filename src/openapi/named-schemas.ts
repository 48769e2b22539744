import type { OpenAPIObject } from '@nestjs/swagger';
import { type JsonSchema, NAMED_SCHEMAS } from '../platform/http/validation/index.js';

/** Moves the schemas that fields carry with them to the components, and leaves references to them. */
export function hoistNamedSchemas(document: OpenAPIObject): void {
  const found = new Map<string, JsonSchema>();
  document.paths = hoisted(document.paths, found) as typeof document.paths;
  const schemas = hoisted(document.components?.schemas ?? {}, found) as Record<string, object>;
  (document.components ??= {}).schemas = { ...schemas, ...Object.fromEntries(found) };
}

function hoisted(part: unknown, found: Map<string, JsonSchema>): unknown {
  if (Array.isArray(part)) return part.map((each) => hoisted(each, found));
  if (part === null || typeof part !== 'object') return part;
  const { [NAMED_SCHEMAS]: schemas, ...rest } = part as Record<string, unknown>;
  for (const [name, schema] of Object.entries((schemas ?? {}) as Record<string, JsonSchema>)) {
    const known = found.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`There are two schemas of the name ${name}`);
    found.set(name, schema);
  }
  const copy = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, hoisted(value, found)]));
  const { oneOf, ...others } = copy;
  // A union of one alternative is replaced by that alternative.
  const isReference = Array.isArray(oneOf) && oneOf.length === 1;
  return isReference ? { ...(oneOf[0] as object), ...others } : copy;
}
