import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DECLARED_BY, fieldsOf, schemaOf } from '../platform/http/validation/index.js';

type Members = Readonly<Record<string, unknown>>;

interface ClassSchema {
  readonly type?: string;
  readonly properties?: Members;
  readonly required?: readonly string[];
}

/** An ancestor class without its own schema gets one when at least this many schemas inherit from it. */
const SHARED_FROM = 2;

/**
 * Removes the classes that the generator has left in the schemas.
 * @returns the ancestors of each schema that has any, the nearest first
 */
export function takeLineages(document: OpenAPIObject): ReadonlyMap<string, readonly Type<unknown>[]> {
  const lineages = new Map<string, readonly Type<unknown>[]>();
  const schemas = (document.components ??= {}).schemas ?? {};
  for (const [name, schema] of Object.entries(schemas)) {
    const { [DECLARED_BY]: declaredBy, ...rest } = schema as { [DECLARED_BY]?: Type<unknown> };
    schemas[name] = rest;
    if (declaredBy === undefined) continue;
    const ancestors: Type<unknown>[] = [];
    for (let at: unknown = declaredBy; typeof at === 'function' && at.name !== ''; at = Object.getPrototypeOf(at))
      if (at.name !== name && fieldsOf(at as Type<unknown>).length > 0) ancestors.push(at as Type<unknown>);
    if (ancestors.length > 0) lineages.set(name, ancestors);
  }
  return lineages;
}

/**
 * Documents inherited members once. A schema refers to the schema of its nearest ancestor whose members it has
 * unchanged, and adds its own. A schema that redeclares an inherited member keeps all members itself, since a client's
 * type would otherwise be the intersection of both.
 */
export function shareInherited(document: OpenAPIObject, lineages: ReadonlyMap<string, readonly Type<unknown>[]>): void {
  const schemas = ((document.components ??= {}).schemas ??= {}) as Record<string, ClassSchema>;
  const heirs = heirsByAncestor(schemas, lineages);
  const whole = { ...schemas };
  for (const [ancestor, names] of heirs)
    if (schemas[ancestor.name] === undefined && names.length >= SHARED_FROM)
      whole[ancestor.name] = schemas[ancestor.name] = partOf(schemas[names[0] ?? ''] ?? {}, ancestor);
  for (const [name, ancestors] of lineages) {
    const schema = whole[name];
    const nearest = ancestors.find((ancestor) => schema !== undefined && holds(schema, whole[ancestor.name]));
    const base = nearest && whole[nearest.name];
    if (schema === undefined || nearest === undefined || base === undefined) continue;
    schemas[name] = { allOf: [schemaOf(nearest.name)], ...without(schema, base) } as ClassSchema;
  }
}

function heirsByAncestor(
  schemas: Readonly<Record<string, ClassSchema>>,
  lineages: ReadonlyMap<string, readonly Type<unknown>[]>,
): Map<Type<unknown>, string[]> {
  const heirs = new Map<Type<unknown>, string[]>();
  for (const [name, ancestors] of lineages) {
    if (schemas[name]?.properties === undefined) continue;
    for (const ancestor of ancestors) heirs.set(ancestor, [...(heirs.get(ancestor) ?? []), name]);
  }
  return heirs;
}

/** Returns the part of a schema that describes the fields of an ancestor. */
function partOf({ properties = {}, required = [] }: ClassSchema, ancestor: Type<unknown>): ClassSchema {
  const members = new Set(fieldsOf(ancestor).map(({ wire }) => wire));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([member]) => members.has(member))),
    required: required.filter((member) => members.has(member)),
  };
}

/** Returns whether a schema has every member of the base, with the same definition. */
function holds({ properties = {}, required = [] }: ClassSchema, base: ClassSchema | undefined): boolean {
  if (base?.properties === undefined) return false;
  return (
    Object.entries(base.properties).every(
      ([member, schema]) =>
        JSON.stringify(properties[member]) === JSON.stringify(schema) &&
        required.includes(member) === (base.required ?? []).includes(member),
    ) && Object.keys(base.properties).length > 0
  );
}

function without({ properties = {}, required = [], ...rest }: ClassSchema, base: ClassSchema): ClassSchema {
  const own = Object.entries(properties).filter(([member]) => base.properties?.[member] === undefined);
  const ownRequired = required.filter((member) => base.required?.includes(member) !== true);
  return {
    ...rest,
    ...(own.length > 0 && { properties: Object.fromEntries(own) }),
    ...(ownRequired.length > 0 && { required: ownRequired }),
  };
}
