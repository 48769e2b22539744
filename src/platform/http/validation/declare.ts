import { Expose, Transform, type TransformFnParams, TransformationType, Type } from 'class-transformer';
import { registerDecorator } from 'class-validator';
import { readerOnDemand } from './compile.js';
import { failed, type Read } from './fault.js';
import { Field, type FieldSpec } from './field.js';
import { FieldConstraint } from './field-constraint.js';

/**
 * Declares a property to class-validator and class-transformer. class-validator gets one constraint, whose context
 * contains the declaration. class-transformer gets the conversion, the name on the wire and the class of a nested
 * object.
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
  // `Expose` makes class-transformer run the conversion even when the property was left out.
  if (wire !== key) Expose({ name: wire })(prototype, key);
  else if (field.default !== undefined) Expose()(prototype, key);
  const { cls } = kind;
  if (cls !== undefined) Type(() => cls())(prototype, key);
}

/**
 * Returns the conversion of a field. It leaves a value that cannot be read as it was sent. The constraint then refuses
 * the value, or accepts null for a nullable field.
 */
function conversionOf(spec: FieldSpec): (params: TransformFnParams) => unknown {
  const { wire, kind } = spec;
  let read: Read<unknown> | undefined;
  return ({ value, obj, type }) => {
    if (type !== TransformationType.PLAIN_TO_CLASS) return value as unknown;
    // Reads the value as it was sent. The value that class-transformer passes may already have been converted by a
    // declaration that this one replaces.
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
