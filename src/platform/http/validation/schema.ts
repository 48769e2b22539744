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
  /** Whether all values of a repeated query parameter are used, and not only the last one. */
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

/** A compiled class. Code outside of this folder must not use its members. */
export interface Schema {
  readonly cls: Type<unknown>;
  readonly fields: readonly CompiledField[];
  readonly instance: new () => Record<string, unknown>;
  /** Undefined for a class whose properties have only field decorators. Such a class is read without the libraries. */
  readonly stock: StockPart | undefined;
  /** The schemas of the classes of nested objects. */
  readonly parts: ReadonlySet<Schema>;
  names?: SecretNames;
}

/** Returns whether the field decorator is the only declaration of the property, so that its reader is enough. */
export function isPlain({ field, conditions, constraints, isNested, isExcluded }: PropertyMetadata): boolean {
  return field !== undefined && conditions.length === 0 && constraints.length === 0 && !isNested && !isExcluded;
}

/**
 * Returns the secret names and the names that only look secret, of a class and its nested classes. They are computed at
 * the first refusal, because only refusals need them.
 */
export function secretNames(schema: Schema): SecretNames {
  if (schema.names) return schema.names;
  const secret = new Set<string>();
  const open = new Set<string>();
  const visited = new Set<Schema>([schema]);
  // Iterating over a set also visits the entries that are added during the iteration.
  for (const part of visited) {
    for (const field of part.fields) {
      (field.hidden ? secret : open).add(field.wire);
      for (const name of field.open) open.add(name);
    }
    for (const inner of part.parts) visited.add(inner);
  }
  return (schema.names = { secret, open });
}
