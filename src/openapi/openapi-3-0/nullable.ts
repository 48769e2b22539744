import { type Find, isSchema, type Schema } from './schema.js';
import { commonType } from './types.js';

const NULL = 'null';
const UNIONS = ['oneOf', 'anyOf'] as const;

/** Writes a list of types without null: one type as a word, several types as a union of schemas. */
export function oneType({ type, ...schema }: Schema): Schema {
  if (type === undefined) return schema;
  if (!Array.isArray(type))
    return type === NULL ? { ...schema, enum: [null], type: 'string', nullable: true } : { ...schema, type };
  const types = type.filter((each) => each !== NULL) as string[];
  const nullable = types.length < type.length && { nullable: true };
  const [first] = types;
  if (types.length <= 1) return { ...schema, ...(first !== undefined && { type: first }), ...nullable };
  return { ...schema, anyOf: types.map((each, index) => ({ type: each, ...(index === 0 && nullable) })) };
}

/**
 * Removes null from a union. A single remaining schema replaces the union. `nullable` needs a type next to it: a union
 * of several types has both in its first alternative.
 */
export function nullableUnion(schema: Schema, find: Find): Schema {
  for (const union of UNIONS) {
    const { [union]: alternatives, ...others } = schema;
    if (!Array.isArray(alternatives) || !alternatives.some(isNull)) continue;
    const rest = (alternatives as Schema[]).filter((each) => !isNull(each));
    const [only] = rest;
    if (only === undefined) return { ...others, ...oneType({ type: NULL }) };
    const inner = UNIONS.find((key) => Array.isArray(only[key]));
    if (rest.length === 1 && inner !== undefined)
      return nullableUnion({ ...only, ...others, [inner]: [...(only[inner] as Schema[]), { type: NULL }] }, find);
    const type = commonType(rest, find);
    if (rest.length > 1 && type === undefined)
      return { ...others, [union]: rest.map((each, index) => (index === 0 ? { ...each, nullable: true } : each)) };
    const typed = { ...(type !== undefined && { type }), nullable: true };
    if (rest.length > 1) return { ...others, ...typed, [union]: rest };
    const { $ref, ...inline } = only;
    return { ...inline, ...others, ...typed, ...($ref !== undefined && { allOf: [{ $ref }] }) };
  }
  return schema;
}

function isNull(schema: unknown): boolean {
  return isSchema(schema) && schema['type'] === NULL;
}
