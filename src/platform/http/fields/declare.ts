import { Expose, Transform, type TransformFnParams, TransformationType, Type } from 'class-transformer';
import { registerDecorator } from 'class-validator';
import { readerOnDemand } from './compile.js';
import { failed, type Read } from './fault.js';
import { Field, type FieldSpec } from './field.js';
import { FieldConstraint } from './field-constraint.js';

/**
 * Declares a property to class-validator (one constraint, which carries the declaration also as its context) and to
 * class-transformer (its lenient reading, its name on the wire, its class).
 */
export function declareField(prototype: object, spec: FieldSpec): void {
  const field = new Field(spec, conversionOf(spec));
  const { key, wire, kind } = field;
  registerDecorator({
    name: 'field',
    target: prototype.constructor,
    propertyName: key,
    constraints: [field],
    options: { context: { field } },
    validator: FieldConstraint,
  });
  Transform(field.transform)(prototype, key);
  // Exposed, a conversion is run also where the property was left out.
  if (wire !== key) Expose({ name: wire })(prototype, key);
  else if (field.default !== undefined) Expose()(prototype, key);
  const { cls } = kind;
  if (cls !== undefined) Type(() => cls())(prototype, key);
}

/** The value as read; what cannot be read stays as it came, for the constraint to take (null) or refuse. */
function conversionOf(spec: FieldSpec): (params: TransformFnParams) => unknown {
  const { wire, kind } = spec;
  let read: Read<unknown> | undefined;
  return ({ value, obj, type }) => {
    if (type !== TransformationType.PLAIN_TO_CLASS) return value as unknown;
    // As it came: what class-transformer hands on is a copy, and may be the outcome of a declaration that was replaced.
    const given = (obj as Record<string, unknown>)[wire];
    if (given === undefined) return defaultOf(spec);
    read ??= kind.build(readerOnDemand);
    const result = read(given, 2);
    return failed(result) ? given : result;
  };
}

function defaultOf({ default: given }: FieldSpec): unknown {
  return typeof given === 'object' && given !== null ? structuredClone(given) : given;
}
