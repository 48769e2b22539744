import type { OpenAPIObject } from '@nestjs/swagger';
import { schemaOf, union, VARIES_BY, type Variants } from '../platform/http/validation/index.js';

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
}

/**
 * Turns each schema with a field whose class depends on another member into a union. Each variant has that member as a
 * constant, and the field. The field is required in every variant, whatever its class declares.
 */
export function splitVariants(document: OpenAPIObject): void {
  const schemas = (document.components ??= {}).schemas ?? {};
  for (const [name, schema] of Object.entries(schemas)) {
    const { properties = {} } = schema as ObjectSchema;
    const varying = Object.entries(properties).find(([, property]) => VARIES_BY in property);
    if (varying === undefined) continue;
    const [field, { [VARIES_BY]: variants, ...others }] = varying;
    const { member, of } = variants as Variants;
    for (const [text, variant] of Object.entries(of)) {
      schemas[variant.name] = {
        ...schema,
        properties: {
          ...properties,
          [member]: { ...properties[member], enum: undefined, const: text },
          [field]: { ...schemaOf(variant.schema), ...described(others) },
        },
        required: [...new Set([...((schema as ObjectSchema).required ?? []), field])],
      } as object;
    }
    const names = Object.fromEntries(Object.entries(of).map(([text, variant]) => [text, variant.name]));
    schemas[name] = { ...described(schema as Record<string, unknown>), ...union(member, names) };
  }
}

function described({ description }: Readonly<Record<string, unknown>>): object {
  return description === undefined ? {} : { description };
}
