import type { OpenAPIObject } from '@nestjs/swagger';

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

/** Returns the names of the schemas to which a part refers, directly or through another schema. */
export function usedSchemas(
  part: object,
  schemas: Readonly<Record<string, object>>,
  found = new Set<string>(),
): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
    if (found.has(name)) continue;
    found.add(name);
    usedSchemas(schemas[name] ?? {}, schemas, found);
  }
  return found;
}

/** Returns the document without the schemas to which nothing in it refers. @param document is not changed */
export function withoutUnusedSchemas(document: OpenAPIObject): OpenAPIObject {
  const { schemas = {}, ...components } = document.components ?? {};
  const used = usedSchemas({ ...document, components }, schemas);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...document, components: { ...components, schemas: Object.fromEntries(kept) } };
}
