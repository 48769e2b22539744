import type { Type } from '@nestjs/common';
import { type PropertyMetadata, propertiesOf } from './class-metadata.js';
import { readerOfStock, transformOf } from './conversion.js';
import { isConversionOfField } from './field.js';
import type { ReaderOf } from './kind.js';
import { readMembers } from './read-members.js';
import { type CompiledField, isPlain, type Schema, type StockPart } from './schema.js';
import { isSecretName } from './secret-names.js';
import { StockConstraints } from './stock-constraints.js';

const SCHEMAS = new WeakMap<Type<unknown>, Schema>();

/**
 * Compiles the declarations of class-validator and class-transformer on a class, once for each class.
 * @throws Error for a class without properties, for names that clash, and for declarations that the compiled reader
 * would not follow
 */
export function compile(cls: Type<unknown>): Schema {
  const known = SCHEMAS.get(cls);
  if (known) return known;
  const properties = propertiesOf(cls);
  checkNames(cls, properties);
  const parts = new Set<Schema>();
  const fields: CompiledField[] = [];
  const stock = properties.every(isPlain) ? undefined : stockPart(cls, properties);
  const instance = stock === undefined ? instanceOf(cls) : (cls as Schema['instance']);
  const schema: Schema = { cls, fields, parts, stock, instance };
  // The schema is registered before its fields are compiled, because a field may contain the class itself.
  SCHEMAS.set(cls, schema);
  try {
    const readerOf: ReaderOf = (part) => {
      const compiled = compile(part);
      parts.add(compiled);
      return (value, depth) => readMembers(compiled, value as Record<string, unknown>, depth);
    };
    fields.push(...properties.filter(({ isExcluded }) => !isExcluded).map((one) => compileField(cls, one, readerOf)));
  } catch (error) {
    SCHEMAS.delete(cls);
    throw error;
  }
  return schema;
}

/**
 * Reads an object of a class. The class is compiled when the first object is read, because it may not be declared
 * earlier.
 */
export const readerOnDemand: ReaderOf = (cls) => {
  let schema: Schema | undefined;
  return (value, depth) => readMembers((schema ??= compile(cls)), value as Record<string, unknown>, depth);
};

function stockPart(cls: Type<unknown>, properties: readonly PropertyMetadata[]): StockPart {
  return {
    constraints: new StockConstraints(cls, properties),
    byKey: new Map(
      properties.map((property) => {
        const { key, conditions, field, isExposed } = property;
        const isOurs = field !== undefined;
        return [
          key,
          {
            conditions,
            transform: isOurs ? undefined : transformOf(property),
            isExposed: isExposed && !isOurs,
          },
        ];
      }),
    ),
  };
}

function compileField(cls: Type<unknown>, property: PropertyMetadata, readerOf: ReaderOf): CompiledField {
  const { key, wire, field } = property;
  const named = { key, wire, header: wire.replaceAll('_', '-').toLowerCase() };
  const looksSecret = isSecretName(wire) || isSecretName(key);
  if (field === undefined) {
    return {
      ...named,
      read: readerOfStock(cls, property, readerOf),
      hidden: looksSecret,
      required: false,
      nullable: false,
      default: undefined,
      copied: false,
      repeats: isList(property),
      open: [],
    };
  }
  checkConversions(cls, property);
  return {
    ...named,
    read: field.kind.build(readerOf),
    hidden: field.secret ?? looksSecret,
    required: field.required,
    nullable: field.nullable,
    default: field.default,
    copied: typeof field.default === 'object' && field.default !== null,
    repeats: field.kind.repeats ?? false,
    open: field.kind.open ?? [],
  };
}

/**
 * Returns whether the property is a list: it has `@IsArray()`, `@ArrayMinSize()` or a similar decorator, or a
 * constraint that applies to each item.
 */
function isList({ constraints, type }: PropertyMetadata): boolean {
  return (
    type?.reflectedType === Array || constraints.some(({ name, each }) => each || /^(isArray$|array)/.test(name ?? ''))
  );
}

/**
 * Field decorators read the value as it was sent, so another conversion of the same property would be ignored without
 * an error.
 */
function checkConversions(cls: Type<unknown>, { key, transforms }: PropertyMetadata): void {
  if (!transforms.every(isConversionOfField)) {
    throw new Error(`${cls.name}.${key} is read by its field decorator: a @Transform() beside it has no effect`);
  }
}

function checkNames(cls: Type<unknown>, properties: readonly PropertyMetadata[]): void {
  if (properties.length === 0) throw new Error(`${cls.name} has no fields`);
  const seen = new Set<string>();
  for (const { wire, key } of properties) {
    // Inputs are read without an own-property check, so no field may have a name that every object inherits.
    if (wire in Object.prototype || key in Object.prototype)
      throw new Error(`${cls.name}: a field cannot be called ${wire}`);
    if (seen.has(wire)) throw new Error(`${cls.name} has two fields called ${wire}`);
    seen.add(wire);
  }
}

/**
 * Returns a constructor that creates instances like those of `new cls()`. If the class itself sets no properties, which
 * is the case for all classes of the service, its own constructor is skipped.
 */
function instanceOf(cls: Type<unknown>): Schema['instance'] {
  if (Object.keys(new cls() as object).length > 0) return cls as Schema['instance'];
  const Instance = function Instance(): void {} as unknown as Schema['instance'];
  Object.defineProperty(Instance, 'prototype', { value: cls.prototype });
  return Instance;
}
