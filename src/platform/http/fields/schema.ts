import type { Type } from '@nestjs/common';
import type { SecretNames } from './excerpt.js';
import { failed, Faults, missing, type Failure, type FaultyMember, type Read } from './fault.js';
import type { Issue } from './issue.js';
import { fieldsOf, type FieldSpec } from './registry.js';
import { isSecretName } from './secret-names.js';
import { isObject, objectExpected } from './structure-kinds.js';
import { toIssues } from './to-issues.js';

interface CompiledField extends FieldSpec {
  readonly read: Read<unknown>;
  readonly header: string;
  readonly hidden: boolean;
  readonly required: boolean;
  /** The default is an object, so each use needs its own copy. */
  readonly copied: boolean;
}

/** A compiled class; opaque to its users. */
export interface Schema {
  readonly cls: Type<unknown>;
  readonly fields: readonly CompiledField[];
  /** True when a request without a body fits. */
  readonly acceptsNothing: boolean;
  readonly instance: new () => Record<string, unknown>;
  /** Schemas of the classes its fields hold. */
  readonly parts: ReadonlySet<Schema>;
  names?: SecretNames;
}

export type Validated = { value: object } | { issues: Issue[] };

export type StringSource = 'query' | 'path' | 'header' | 'form';

const SCHEMAS = new WeakMap<Type<unknown>, Schema>();

/** Compiles the field declarations of a class, once. Throws for a class without fields or with names that clash. */
export function compile(cls: Type<unknown>): Schema {
  const known = SCHEMAS.get(cls);
  if (known) return known;
  const specs = fieldsOf(cls);
  checkNames(cls, specs);
  const parts = new Set<Schema>();
  const fields: CompiledField[] = [];
  const schema: Schema = {
    cls,
    fields,
    parts,
    acceptsNothing: specs.every(isOptional),
    instance: instanceOf(cls),
  };
  // Registered before its fields, which may hold the class itself.
  SCHEMAS.set(cls, schema);
  try {
    const readerOf = (part: Type<unknown>): Read<object> => {
      const compiled = compile(part);
      parts.add(compiled);
      return (value, depth) => readMembers(compiled, value as Record<string, unknown>, depth);
    };
    fields.push(...specs.map((spec) => compileField(spec, spec.kind.build(readerOf))));
  } catch (error) {
    SCHEMAS.delete(cls);
    throw error;
  }
  return schema;
}

/** Checks a parsed JSON body. `undefined` means there was none, which fits when no field is required. */
export function validateJson(schema: Schema, value: unknown, loc: 'body'): Validated {
  if (value === undefined || value === null) {
    if (!schema.acceptsNothing) return { issues: toIssues(missing(null), [loc], secretNames(schema)) };
    return settle(schema, readMembers(schema, {}, 1), loc);
  }
  if (!isObject(value)) return { issues: toIssues(objectExpected(value), [loc], secretNames(schema)) };
  return settle(schema, readMembers(schema, value, 1), loc);
}

/**
 * Checks texts by name: query, path, headers (names in lower case) or form. Of a repeated name the last value counts
 * unless the field is a list; an empty form field counts as left out.
 */
export function validateStrings(
  schema: Schema,
  raw: Readonly<Record<string, string | string[] | undefined>>,
  loc: StringSource,
): Validated {
  const result = new schema.instance();
  const refused: FaultyMember[] = [];
  for (const field of schema.fields) {
    const key = loc === 'header' ? field.header : field.wire;
    const given = select(field, raw[key], loc);
    if (given === undefined) {
      if (field.required) refused.push({ key, secret: false, fault: missing(null) });
      else setDefault(result, field);
      continue;
    }
    const member = field.read(given, 2);
    if (failed(member)) refused.push({ key, secret: field.hidden, fault: member });
    else result[field.key] = member;
  }
  return settle(schema, refused.length > 0 ? new Faults(refused) : result, loc === 'form' ? 'body' : loc);
}

function select(field: CompiledField, given: string | string[] | undefined, loc: StringSource): unknown {
  if (field.kind.repeats) {
    const values = typeof given === 'string' ? [given] : given;
    return values?.length === 0 ? undefined : values;
  }
  const last = Array.isArray(given) ? given.at(-1) : given;
  return loc === 'form' && last === '' ? undefined : last;
}

function readMembers(schema: Schema, source: Record<string, unknown>, depth: number): object {
  const result = new schema.instance();
  let refused: FaultyMember[] | undefined;
  for (const field of schema.fields) {
    const given = source[field.wire];
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

function settle(schema: Schema, result: object | Failure, loc: string): Validated {
  return failed(result) ? { issues: toIssues(result, [loc], secretNames(schema)) } : { value: result };
}

function setDefault(result: Record<string, unknown>, field: CompiledField): void {
  if (field.default === undefined) return;
  result[field.key] = field.copied ? structuredClone(field.default) : field.default;
}

function isOptional(spec: FieldSpec): boolean {
  return spec.optional || spec.default !== undefined;
}

function compileField(spec: FieldSpec, read: Read<unknown>): CompiledField {
  return {
    ...spec,
    read,
    header: spec.wire.replaceAll('_', '-').toLowerCase(),
    hidden: spec.secret ?? (isSecretName(spec.wire) || isSecretName(spec.key)),
    required: !isOptional(spec),
    copied: typeof spec.default === 'object' && spec.default !== null,
  };
}

function checkNames(cls: Type<unknown>, specs: FieldSpec[]): void {
  if (specs.length === 0) throw new Error(`${cls.name} has no fields`);
  const seen = new Set<string>();
  for (const { wire, key } of specs) {
    // Inputs are read without an own-property check, so no field may have a name every object inherits.
    if (wire in Object.prototype || key in Object.prototype)
      throw new Error(`${cls.name}: a field cannot be called ${wire}`);
    if (seen.has(wire)) throw new Error(`${cls.name} has two fields called ${wire}`);
    seen.add(wire);
  }
}

// Makes instances of the class without running its constructor: property initialisers are not input.
function instanceOf(cls: Type<unknown>): new () => Record<string, unknown> {
  const Instance = function Instance(): void {} as unknown as new () => Record<string, unknown>;
  Object.defineProperty(Instance, 'prototype', { value: cls.prototype });
  return Instance;
}

// Needed for refusals only, so it is worked out at the first one.
function secretNames(schema: Schema): SecretNames {
  if (schema.names) return schema.names;
  const secret = new Set<string>();
  const open = new Set<string>();
  const visited = new Set<Schema>([schema]);
  // A set being walked also yields what is added meanwhile.
  for (const part of visited) {
    for (const field of part.fields) {
      (field.hidden ? secret : open).add(field.wire);
      for (const name of field.kind.open ?? []) open.add(name);
    }
    for (const inner of part.parts) visited.add(inner);
  }
  return (schema.names = { secret, open });
}
