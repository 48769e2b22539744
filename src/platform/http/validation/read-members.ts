import { failed, Faults, missing, type Failure, type FaultyMember } from './fault.js';
import { refusalsOf } from './refusals.js';
import { inspectJson } from './safe-text.js';
import type { CompiledField, Schema, StockPart } from './schema.js';

/**
 * Whether `null` for an optional member that is not nullable is read as a missing member. One variable is enough,
 * because reading a body is synchronous.
 */
let isNullLeftOut = false;

/**
 * Runs `read`. Meanwhile, `null` for an optional member that is not nullable is read as a missing member if `asLeftOut`
 * is true, and is refused otherwise.
 */
export function readingNulls<T>(asLeftOut: boolean, read: () => T): T {
  const before = isNullLeftOut;
  isNullLeftOut = asLeftOut;
  try {
    return read();
  } finally {
    isNullLeftOut = before;
  }
}

function memberOf(source: Record<string, unknown>, { wire, required, nullable }: CompiledField): unknown {
  const given = source[wire];
  return given === null && isNullLeftOut && !required && !nullable ? undefined : given;
}

/** Reads an object into an instance of the class. `depth` counts the containers around the object. */
export function readMembers(schema: Schema, source: Record<string, unknown>, depth: number): object {
  const { stock } = schema;
  if (stock !== undefined) {
    const given = (field: CompiledField): unknown => memberOf(source, field);
    return readWithStock(schema, stock, { given, nameOf: ({ wire }) => wire, lacking: source, source }, depth);
  }
  const result = new schema.instance();
  let refused: FaultyMember[] | undefined;
  for (const field of schema.fields) {
    const given = memberOf(source, field);
    if (given === undefined) {
      if (field.required) (refused ??= []).push({ key: field.wire, secret: false, fault: missing(source) });
      else setDefault(result, field);
      continue;
    }
    if (given === null && field.nullable) {
      result[field.key] = null;
      continue;
    }
    const member = field.read(given, depth + 1);
    if (failed(member)) (refused ??= []).push({ key: field.wire, secret: field.hidden, fault: member });
    else result[field.key] = member;
  }
  return refused ? new Faults(refused) : result;
}

/** Access to the members of an object that is read. */
export interface Members {
  readonly given: (field: CompiledField) => unknown;
  readonly nameOf: (field: CompiledField) => string;
  /** The `input` of an issue for a missing member. */
  readonly lacking: unknown;
  /** The object that is passed to conversions, as class-transformer does. */
  readonly source: object;
}

/**
 * Reads an object of a class for which class-validator must check some properties. Field decorators and nested objects
 * are read by the compiled reader. Refused values stay in the instance as they were sent, so that conditions and
 * constraints can read every property.
 */
export function readWithStock(schema: Schema, stock: StockPart, members: Members, depth: number): object {
  const result = new schema.instance();
  const faults = new Map<string, Failure>();
  for (const field of schema.fields) {
    const given = members.given(field);
    const read = readOne(result, field, given, stock, members, depth);
    if (failed(read)) {
      faults.set(field.key, read);
      if (given !== undefined) result[field.key] = given;
    }
  }
  const refusals = stock.constraints.refusals(result);
  const refused = schema.fields.flatMap((field): FaultyMember[] => {
    const { key, hidden } = field;
    const name = members.nameOf(field);
    const given = members.given(field);
    const applies = stock.byKey.get(key)?.conditions.every((holds) => holds(result, result[key])) ?? true;
    // When its conditions do not hold, a value is not validated but passed on and possibly stored, so this check still
    // applies.
    const fault = applies ? faults.get(key) : inspectJson(given);
    if (fault !== undefined) return [{ key: name, secret: hidden && given !== undefined, fault }];
    const error = applies ? refusals.get(key) : undefined;
    return error === undefined ? [] : refusalsOf(error, { name, hidden, given, lacking: members.lacking });
  });
  return refused.length > 0 ? new Faults(refused) : result;
}

function readOne(
  result: Record<string, unknown>,
  field: CompiledField,
  given: unknown,
  stock: StockPart,
  { lacking, source }: Members,
  depth: number,
): Failure | undefined {
  const own = stock.byKey.get(field.key);
  if (given === undefined && own?.isExposed !== true) {
    if (field.required) return missing(lacking);
    setDefault(result, field);
    return undefined;
  }
  if (given === null && field.nullable) {
    result[field.key] = null;
    return undefined;
  }
  const read = given === undefined ? undefined : field.read(given, depth + 1);
  if (failed(read)) return read;
  result[field.key] = own?.transform === undefined ? read : own.transform(read, source);
  return undefined;
}

export function setDefault(result: Record<string, unknown>, field: CompiledField): void {
  if (field.default === undefined) return;
  result[field.key] = field.copied ? structuredClone(field.default) : field.default;
}
