import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, DECORATORS } from '@nestjs/swagger';
import { declareField } from './declare.js';
import type { CheckOptions, Document, Kind } from './kind.js';
import { DECLARED_BY, VARIES_BY } from './named-schemas.js';
import { boolean, int, number, type IntOptions, type NumberOptions } from './scalar-kinds.js';
import { any, list, nested, object, type ListOptions } from './structure-kinds.js';
import { email, enumOf, name as nameKind, text, url, uuid, type TextOptions, type UrlOptions } from './text-kinds.js';
import { date, dateTime } from './time-kinds.js';

export interface FieldOptions<T> extends CheckOptions<T> {
  /** The field may be left out. The property is then absent, or has the `default`. */
  optional?: boolean;
  /** An explicit null is accepted and kept. Otherwise null is refused with the type error of the field. */
  nullable?: boolean;
  /** The value of a field that was left out. Objects are copied for each use. */
  default?: unknown;
  /**
   * Whether issues hide the value. By default, the value is hidden when the name looks like the name of a credential.
   */
  secret?: boolean;
  description?: string;
  example?: unknown;
  /** The name on the wire when it differs from the property's name, for example a header's. */
  name?: string;
  deprecated?: boolean;
  /**
   * Attributes for the API document that replace the attributes of the kind, for example the allowed texts of a
   * response field.
   */
  document?: Document;
}

export const TextField = (options: TextOptions & FieldOptions<string> = {}): PropertyDecorator =>
  field(text(options), options);

/** The name of a thing or person. Every `name` that people choose uses this field. */
export const NameField = (options: Pick<TextOptions, 'trim'> & FieldOptions<string> = {}): PropertyDecorator =>
  field(nameKind(options), options);

export const EmailField = (options: FieldOptions<string> = {}): PropertyDecorator => field(email(options), options);

export const UuidField = (options: FieldOptions<string> = {}): PropertyDecorator => field(uuid(options), options);

export const IntField = (options: IntOptions & FieldOptions<number> = {}): PropertyDecorator =>
  field(int(options), options);

export const NumberField = (options: NumberOptions & FieldOptions<number> = {}): PropertyDecorator =>
  field(number(options), options);

export const BooleanField = (options: FieldOptions<boolean> = {}): PropertyDecorator =>
  field(boolean(options), options);

export const EnumField = <T extends string>(values: readonly T[], options: FieldOptions<T> = {}): PropertyDecorator =>
  field(enumOf(values, options), options);

/** The property is a Date. A value without a zone is read as UTC. */
export const DateTimeField = (options: FieldOptions<Date> = {}): PropertyDecorator => field(dateTime(options), options);

/** The property is the text `YYYY-MM-DD`. */
export const DateField = (options: FieldOptions<string> = {}): PropertyDecorator => field(date(options), options);

export const UrlField = (options: UrlOptions & FieldOptions<string> = {}): PropertyDecorator =>
  field(url(options), options);

export const ObjectField = (options: FieldOptions<Record<string, unknown>> = {}): PropertyDecorator =>
  field(object(options), options);

/** A field of a response that always has this value, so that clients can distinguish responses by it. */
export const ConstantField = (
  value: string | number | boolean,
  options: FieldOptions<unknown> = {},
): PropertyDecorator =>
  field(any(options), { ...options, document: { anyOf: undefined, type: typeof value, const: value } });

/** Any JSON value. Null counts as a value, so null is accepted whether or not the field is `nullable`. */
export const AnyField = (options: FieldOptions<unknown> = {}): PropertyDecorator => field(any(options), options);

export const NestedField = <T extends object>(cls: () => Type<T>, options: FieldOptions<T> = {}): PropertyDecorator =>
  field(nested(cls, options), options);

export const ListField = <T>(item: Kind<T>, options: ListOptions<T> & FieldOptions<T[]> = {}): PropertyDecorator =>
  field(list(item, options), options);

/** A field of a kind that a module defines itself. */
export const KindField = <T>(kind: Kind<T>, options: FieldOptions<T> = {}): PropertyDecorator => field(kind, options);

/**
 * Describes the default in words. The document has no `default` because client generators treat a field with `default`
 * as always present.
 */
function describe(description: string | undefined, given: unknown): string | undefined {
  if (given === undefined) return description;
  const value = typeof given === 'string' ? given : JSON.stringify(given);
  const words = value === '' ? 'Empty when left out' : `\`${value}\` when left out`;
  return description === undefined ? words : `${description}. ${words}`;
}

function field<T>(kind: Kind<T>, options: FieldOptions<T>): PropertyDecorator {
  const { optional = false, nullable = false, secret, description, example, name, deprecated } = options;
  const document = {
    // If there were no type, the generator would infer one from the property. A field with alternatives (`anyOf`,
    // `oneOf`) removes the type later.
    type: 'object',
    ...kind.document,
    ...(options.document !== undefined && { additionalProperties: undefined, enum: undefined, ...options.document }),
    required: !optional && options.default === undefined,
    ...(nullable && { nullable }),
    // A field whose class depends on another member is required in every variant, so its default does not apply.
    description: describe(description, VARIES_BY in (options.document ?? {}) ? undefined : options.default),
    example,
    name,
    deprecated,
  };
  return (target, key) => {
    if (typeof key === 'symbol') throw new Error(`${target.constructor.name}: a field cannot be named by a symbol`);
    const wire = name ?? key;
    declareField(target, { key, wire, kind, optional, nullable, default: options.default, secret });
    // A redeclared field replaces its parent's; the generator alone would merge the two.
    if (!Reflect.hasOwnMetadata(DECORATORS.API_MODEL_PROPERTIES, target, key)) {
      Reflect.defineMetadata(DECORATORS.API_MODEL_PROPERTIES, undefined, target, key);
    }
    // The types of ApiProperty follow OpenAPI 3.0, in which an exclusive bound is a boolean. In 3.1, the exclusive
    // bound is a number.
    ApiProperty(document as ApiPropertyOptions)(target, key);
    // The generator repeats inherited members in each class. This extension identifies the class that declares them.
    Reflect.defineMetadata(DECORATORS.API_EXTENSION, { [DECLARED_BY]: target.constructor }, target.constructor);
  };
}
