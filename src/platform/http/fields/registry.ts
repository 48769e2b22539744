import type { Type } from '@nestjs/common';
import type { Kind } from './kind.js';

/** One declared field of a class. */
export interface FieldSpec {
  readonly key: string;
  /** The name in JSON, query and forms. */
  readonly wire: string;
  readonly kind: Kind<unknown>;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** Undefined: no default. */
  readonly default: unknown;
  /** Undefined: decided by the name. */
  readonly secret: boolean | undefined;
}

const OWN_FIELDS = new WeakMap<object, Map<string, FieldSpec>>();

export function registerField(prototype: object, spec: FieldSpec): void {
  const own = OWN_FIELDS.get(prototype) ?? new Map<string, FieldSpec>();
  OWN_FIELDS.set(prototype, own.set(spec.key, spec));
}

/** The fields of a class: its parents' first, a redeclared one in its old place. */
export function fieldsOf(cls: Type<unknown>): FieldSpec[] {
  const lineage: Map<string, FieldSpec>[] = [];
  for (let at: unknown = cls.prototype; at !== null && typeof at === 'object'; at = Object.getPrototypeOf(at)) {
    const own = OWN_FIELDS.get(at);
    if (own) lineage.unshift(own);
  }
  const fields = new Map<string, FieldSpec>();
  for (const own of lineage) for (const [key, spec] of own) fields.set(key, spec);
  return [...fields.values()];
}
