import type { Type } from '@nestjs/common';
import { type ExposeMetadata, type TransformFnParams, TransformationType, type TypeMetadata } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { Field } from './field.js';

type ClassMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;
export type ConstraintOfProperty = ClassMetadata[number];
/** Of `@ValidateIf()` and `@IsOptional()`: false passes over all that is asked of the property. */
export type Condition = (object: object, value: unknown) => boolean;

/** What the decorators of class-validator and class-transformer, ours among them, say of one property of a class. */
export interface PropertyMetadata {
  readonly key: string;
  /** The name in JSON, query and forms. */
  readonly wire: string;
  /** Set for a property with a decorator of ours: it is read by it, and by no conversion beside it. */
  readonly field: Field | undefined;
  readonly conditions: readonly Condition[];
  /** All that class-validator runs by itself; neither our own nor `@ValidateNested()`. */
  readonly constraints: readonly ConstraintOfProperty[];
  readonly isNested: boolean;
  readonly type: TypeMetadata | undefined;
  readonly transforms: readonly ((params: TransformFnParams) => unknown)[];
  /** Its conversions run also where it was left out. */
  readonly isExposed: boolean;
  readonly isExcluded: boolean;
}

/** The declared properties of a class: its parents' first, a redeclared one in its old place. */
export function propertiesOf(cls: Type<unknown>): PropertyMetadata[] {
  const lineage = lineageOf(cls);
  const inForce = metadataOf(cls);
  const keys = new Set(
    lineage.flatMap((ancestor) =>
      metadataOf(ancestor)
        .filter(({ target }) => target === ancestor)
        .map(({ propertyName }) => propertyName),
    ),
  );
  return [...keys].map((key) => {
    const metadata = inForce.filter(({ propertyName }) => propertyName === key);
    return propertyOf(cls, key, metadata, fieldInForce(metadata, lineage));
  });
}

/** The names under which a class takes its properties. */
export function fieldsOf(cls: Type<unknown>): { key: string; wire: string }[] {
  return propertiesOf(cls).map(({ key, wire }) => ({ key, wire }));
}

/** Our constraint among others: the declaration it carries. */
function fieldIn({ constraints }: Pick<ConstraintOfProperty, 'constraints'>): Field | undefined {
  const [first] = (constraints as unknown[] | undefined) ?? [];
  return first instanceof Field ? first : undefined;
}

function propertyOf(
  cls: Type<unknown>,
  key: string,
  metadata: readonly ConstraintOfProperty[],
  field: Field | undefined,
): PropertyMetadata {
  const storage = defaultMetadataStorage;
  const renamed = storage.findExposeMetadata(cls, key) as ExposeMetadata | undefined;
  const constraints = metadata.filter((one) => isConstraint(one.type) && fieldIn(one) === undefined);
  return {
    key,
    wire: field?.wire ?? renamed?.options.name ?? key,
    field,
    conditions: metadata
      .filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION)
      .map((one) => one.constraints[0] as Condition),
    constraints,
    isNested: metadata.some(({ type }) => type === ValidationTypes.NESTED_VALIDATION),
    type: storage.findTypeMetadata(cls, key),
    transforms: storage
      .findTransformMetadatas(cls, key, TransformationType.PLAIN_TO_CLASS)
      .filter(({ options }) => (options.groups ?? []).length === 0)
      .map(({ transformFn }) => transformFn),
    isExposed: storage.getExposedProperties(cls, TransformationType.PLAIN_TO_CLASS).includes(key),
    isExcluded: storage.getExcludedProperties(cls, TransformationType.PLAIN_TO_CLASS).includes(key),
  };
}

function isConstraint(type: string): boolean {
  return type === ValidationTypes.CUSTOM_VALIDATION || type === ValidationTypes.IS_DEFINED;
}

/** Of fields redeclared on the way down the last one: class-validator itself drops no more than one generation. */
function fieldInForce(metadata: readonly ConstraintOfProperty[], lineage: readonly unknown[]): Field | undefined {
  let nearest: { field: Field; generation: number } | undefined;
  for (const one of metadata) {
    const field = fieldIn(one);
    const generation = lineage.indexOf(one.target);
    if (field !== undefined && generation >= (nearest?.generation ?? 0)) nearest = { field, generation };
  }
  return nearest?.field;
}

function metadataOf(cls: Type<unknown>): ClassMetadata {
  return getMetadataStorage().getTargetValidationMetadatas(cls, '', false, false);
}

/** From the first ancestor down to the class itself. */
function lineageOf(cls: Type<unknown>): Type<unknown>[] {
  const lineage: Type<unknown>[] = [];
  for (let at: unknown = cls; typeof at === 'function' && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
    lineage.unshift(at as Type<unknown>);
  }
  return lineage;
}
