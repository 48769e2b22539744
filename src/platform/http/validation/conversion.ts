import type { Type } from '@nestjs/common';
import { plainToInstance, type TypeMetadata, TransformationType } from 'class-transformer';
import type { PropertyMetadata } from './class-metadata.js';
import type { Read } from './fault.js';
import type { ReaderOf } from './kind.js';
import { inspectJson } from './safe-text.js';
import { isObject, list, nested } from './structure-kinds.js';

/** The types that `@Type()` may have for values that are not nested objects. */
const SCALARS: ReadonlySet<unknown> = new Set([String, Number, Boolean, Date]);

/**
 * Returns a reader for a property without a field decorator. It converts values as class-transformer does, but refuses
 * values that the database cannot store and drops undeclared members at all depths.
 * @throws for declarations whose objects would not be validated
 */
export function readerOfStock(cls: Type<unknown>, property: PropertyMetadata, readerOf: ReaderOf): Read<unknown> {
  const { key, type, isNested } = property;
  if (isNested) {
    if (type === undefined) throw new Error(`${cls.name}.${key}: @ValidateNested() needs a @Type()`);
    return nestedReader(type, readerOf);
  }
  const scalar = type && typeOf(type);
  if (scalar !== undefined && !SCALARS.has(scalar)) {
    throw new Error(`${cls.name}.${key}: an object of a class needs @ValidateNested() beside its @Type()`);
  }
  return (value) => inspectJson(value) ?? (scalar === undefined ? value : converted(scalar, value));
}

/** Returns the conversions of a property as one function that runs them in order, or undefined without conversions. */
export function transformOf({
  key,
  transforms,
}: PropertyMetadata): ((value: unknown, source: object) => unknown) | undefined {
  if (transforms.length === 0) return undefined;
  return (given, obj) =>
    transforms.reduce<unknown>(
      (value, transform) => transform({ value, key, obj, type: TransformationType.PLAIN_TO_CLASS, options: {} }),
      given,
    );
}

function nestedReader(type: TypeMetadata, readerOf: ReaderOf): Read<unknown> {
  const readersOf = (cls: Type<object>): [one: Read<unknown>, many: Read<unknown>] => {
    const kind = nested(() => cls);
    return [kind.build(readerOf), list(kind).build(readerOf)];
  };
  const { discriminator } = type.options;
  const [one, many] = readersOf(typeOf(type) as Type<object>);
  if (discriminator === undefined) {
    return (value, depth) => (Array.isArray(value) ? many : one)(value, depth);
  }
  const bySubtype = new Map<unknown, Read<unknown>>(
    discriminator.subTypes.map(({ name, value }) => [name, readersOf(value as Type<object>)[0]]),
  );
  const readSubtype: Read<unknown> = (value, depth) =>
    (bySubtype.get(isObject(value) ? value[discriminator.property] : undefined) ?? one)(value, depth);
  const readSubtypes = list({ document: {}, build: () => readSubtype }).build(readerOf);
  return (value, depth) => (Array.isArray(value) ? readSubtypes : readSubtype)(value, depth);
}

function typeOf({ typeFunction, reflectedType }: TypeMetadata): unknown {
  return (typeFunction as TypeMetadata['typeFunction'] | undefined)?.() ?? (reflectedType as unknown);
}

/**
 * Converts scalars and the items of lists. Objects stay unchanged, because a conversion may fail on them and a
 * constraint refuses them.
 */
function converted(scalar: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => converted(scalar, item));
  return isObject(value) ? value : plainToInstance(scalar as Type<object>, value);
}
