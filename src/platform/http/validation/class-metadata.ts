import type { Type } from '@nestjs/common';
import { type ExposeMetadata, type TransformFnParams, TransformationType, type TypeMetadata } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { Field } from './field.js';

type ClassMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;
export type ConstraintOfProperty = ClassMetadata[number];
/** The condition of `@ValidateIf()` or `@IsOptional()`. When it returns false, the property is not validated. */
export type Condition = (object: object, value: unknown) => boolean;

/**
 * The declarations of one property of a class by the decorators of this folder, class-validator and class-transformer.
 */
export interface PropertyMetadata {
  readonly key: string;
  /** The name in JSON, query and forms. */
  readonly wire: string;
  /**
   * Set for a property with a field decorator of this folder. The decorator's reader then reads the property, and no
   * other conversion applies.
   */
  readonly field: Field | undefined;
  readonly conditions: readonly Condition[];
  /** The constraints that class-validator runs itself, without field decorators and `@ValidateNested()`. */
  readonly constraints: readonly ConstraintOfProperty[];
  readonly isNested: boolean;
  readonly type: TypeMetadata | undefined;
  readonly transforms: readonly ((params: TransformFnParams) => unknown)[];
  /** Whether the conversions run even when the property is missing in the input. */
  readonly isExposed: boolean;
  readonly isExcluded: boolean;
}

/**
 * Returns the declared properties of a class, inherited ones first. A property that a subclass declares again keeps its
 * position.
 */
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

/** Returns the properties of a class with their names on the wire. */
export function fieldsOf(cls: Type<unknown>): { key: string; wire: string }[] {
  return propertiesOf(cls).map(({ key, wire }) => ({ key, wire }));
}

/**
 * Returns the declaration that a constraint carries, or undefined when a field decorator did not create the constraint.
 */
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

/**
 * Returns the field of the most derived class that declares it. class-validator itself lets a redeclared field replace
 * only the one of the parent class.
 */
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

/** Returns the ancestors of a class, from the first one down to the class itself. */
function lineageOf(cls: Type<unknown>): Type<unknown>[] {
  const lineage: Type<unknown>[] = [];
  for (let at: unknown = cls; typeof at === 'function' && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
    lineage.unshift(at as Type<unknown>);
  }
  return lineage;
}
