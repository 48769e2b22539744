import type { Type } from '@nestjs/common';
import type { Condition, PropertyMetadata } from './class-metadata.js';
import type { SecretNames } from './excerpt.js';
import type { Read } from './fault.js';
import type { StockConstraints } from './stock-constraints.js';

/** A property as the compiled reader takes it. */
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
  /** Of a repeated text all count, not the last alone. */
  readonly repeats: boolean;
  /** Names inside the value that look like secrets and are none. */
  readonly open: readonly string[];
}

/** What a property asks for beyond a decorator of ours. */
export interface StockField {
  /** All must hold, or nothing is asked of the property. */
  readonly conditions: readonly Condition[];
  readonly transform: ((value: unknown, source: object) => unknown) | undefined;
  /** Converted also where it was left out. */
  readonly isExposed: boolean;
}

/** The part of a class that class-validator itself has to run. */
export interface StockPart {
  readonly constraints: StockConstraints;
  readonly byKey: ReadonlyMap<string, StockField>;
}

/** A compiled class; opaque to its users. */
export interface Schema {
  readonly cls: Type<unknown>;
  readonly fields: readonly CompiledField[];
  readonly instance: new () => Record<string, unknown>;
  /** Undefined for a class whose properties all have a decorator of ours and nothing else: read without the libraries. */
  readonly stock: StockPart | undefined;
  /** Schemas of the classes its fields hold. */
  readonly parts: ReadonlySet<Schema>;
  names?: SecretNames;
}

/** Whether a property needs nothing but the reader of its decorator of ours. */
export function isPlain({ field, conditions, constraints, isNested, isExcluded }: PropertyMetadata): boolean {
  return field !== undefined && conditions.length === 0 && constraints.length === 0 && !isNested && !isExcluded;
}

/** Needed for refusals only, so it is worked out at the first one. */
export function secretNames(schema: Schema): SecretNames {
  if (schema.names) return schema.names;
  const secret = new Set<string>();
  const open = new Set<string>();
  const visited = new Set<Schema>([schema]);
  // A set being walked also yields what is added meanwhile.
  for (const part of visited) {
    for (const field of part.fields) {
      (field.hidden ? secret : open).add(field.wire);
      for (const name of field.open) open.add(name);
    }
    for (const inner of part.parts) visited.add(inner);
  }
  return (schema.names = { secret, open });
}
