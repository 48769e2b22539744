import { Expose, Transform, type TransformFnParams, TransformationType, Type } from 'class-transformer';
import { registerDecorator } from 'class-validator';
import { readerOnDemand } from './compile.js';
import { failed, type Read } from './fault.js';
import { Field, type FieldSpec } from './field.js';
import { FieldConstraint } from './field-constraint.js';

/**
 * Declares a property to class-validator and class-transformer. class-validator gets one constraint, which also carries
 * the declaration as its context. class-transformer gets the lenient conversion, the name on the wire and the class.
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
 * Returns the conversion of a field. A value that cannot be read stays as sent, and the constraint accepts (null) or
 * refuses it.
 */
function conversionOf(spec: FieldSpec): (params: TransformFnParams) => unknown {
  const { wire, kind } = spec;
  let read: Read<unknown> | undefined;
  return ({ value, obj, type }) => {
    if (type !== TransformationType.PLAIN_TO_CLASS) return value as unknown;
    // Reads the value as sent. class-transformer passes a copy, which a replaced declaration may have converted
    // already.
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
