import type { Type } from '@nestjs/common';
import { type ValidationArguments, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { propertiesOf } from './class-metadata.js';
import { readerOnDemand } from './compile.js';
import { type Failure, failed, Faults, missing, type Read } from './fault.js';
import type { Field } from './field.js';

const FIELDS = new WeakMap<object, ReadonlyMap<string, Field | undefined>>();
const READERS = new WeakMap<Field, Read<unknown>>();

/** Runs field declarations in class-validator: a value is valid when its reader accepts it. */
@ValidatorConstraint({ name: 'field' })
export class FieldConstraint implements ValidatorConstraintInterface {
  validate(value: unknown, args: ValidationArguments): boolean {
    const [field] = args.constraints as [Field];
    // When a subclass declares the property again, its declaration applies instead of this one.
    return inForce(args.object, field.key) !== field || faultOf(field, value, args.object) === undefined;
  }

  defaultMessage({ constraints, value, object }: ValidationArguments): string {
    const [field] = constraints as [Field];
    return sentenceOf(faultOf(field, value, object)) ?? '';
  }
}

/** Returns why a value is refused, or undefined. @param lacking the `input` of an issue for a missing value */
export function faultOf(field: Field, value: unknown, lacking: unknown): Failure | undefined {
  if (value === undefined) return field.required ? missing(lacking) : undefined;
  if (value === null && field.nullable) return undefined;
  let read = READERS.get(field);
  if (read === undefined) READERS.set(field, (read = field.kind.build(readerOnDemand)));
  const result = read(value, 2);
  return failed(result) ? result : undefined;
}

function inForce({ constructor: cls }: object, key: string): Field | undefined {
  let fields = FIELDS.get(cls);
  if (fields === undefined) {
    fields = new Map(propertiesOf(cls as Type<unknown>).map(({ key: name, field }) => [name, field]));
    FIELDS.set(cls, fields);
  }
  return fields.get(key);
}

/** Returns the message of the first fault, with the path of the faulty member inside the value. */
function sentenceOf(failure: Failure | undefined): string | undefined {
  const path: (string | number)[] = [];
  let at = failure;
  while (at instanceof Faults) {
    const [first] = at.members;
    if (first !== undefined) path.push(first.key);
    at = first?.fault;
  }
  return at && [path.join('.'), at.msg].filter((part) => part !== '').join(': ');
}
