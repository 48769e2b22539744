import type { Type } from '@nestjs/common';
import type { Condition, PropertyMetadata } from './class-metadata.js';
import type { SecretNames } from './excerpt.js';
import type { Read } from './fault.js';
import type { StockConstraints } from './stock-constraints.js';

/** A property in the form that the compiled reader uses. */
export interface CompiledField {
  readonly key: string;
  readonly wire: string;
  readonly read: Read<unknown>;
  readonly header: string;
  readonly hidden: boolean;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly default: unknown;
  /** The default is an object, so each use needs its own copy. */
  readonly copied: boolean;
  /** Whether all values of a repeated query parameter count, not just the last one. */
  readonly repeats: boolean;
  /** Names inside the value that look like secrets but are not. */
  readonly open: readonly string[];
}

/** The requirements of a property in addition to its field decorator. */
export interface StockField {
  /** The property is validated only when all conditions hold. */
  readonly conditions: readonly Condition[];
  readonly transform: ((value: unknown, source: object) => unknown) | undefined;
  /** Whether the conversion runs even when the property was left out. */
  readonly isExposed: boolean;
}

/** The part of a class that class-validator itself must run. */
export interface StockPart {
  readonly constraints: StockConstraints;
  readonly byKey: ReadonlyMap<string, StockField>;
}

/** A compiled class. Callers must not depend on its members. */
export interface Schema {
  readonly cls: Type<unknown>;
  readonly fields: readonly CompiledField[];
  readonly instance: new () => Record<string, unknown>;
  /** Undefined for a class whose properties have only field decorators. Such a class is read without the libraries. */
  readonly stock: StockPart | undefined;
  /** The schemas of the classes that its fields contain. */
  readonly parts: ReadonlySet<Schema>;
  names?: SecretNames;
}

/** Whether the reader of its field decorator is all that a property needs. */
export function isPlain({ field, conditions, constraints, isNested, isExcluded }: PropertyMetadata): boolean {
  return field !== undefined && conditions.length === 0 && constraints.length === 0 && !isNested && !isExcluded;
}

/** Returns the secret and the open names of a class. Only refusals need them, so they are computed at the first one. */
export function secretNames(schema: Schema): SecretNames {
  if (schema.names) return schema.names;
  const secret = new Set<string>();
  const open = new Set<string>();
  const visited = new Set<Schema>([schema]);
  // Iterating a set also returns the members that are added meanwhile.
  for (const part of visited) {
    for (const field of part.fields) {
      (field.hidden ? secret : open).add(field.wire);
      for (const name of field.open) open.add(name);
    }
    for (const inner of part.parts) visited.add(inner);
  }
  return (schema.names = { secret, open });
}
