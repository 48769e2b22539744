import type { Type } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { type PropertyMetadata, propertiesOf } from './class-metadata.js';
import { compile } from './compile.js';
import { Faults, type Failure, type FaultyMember } from './fault.js';
import { faultOf } from './field-constraint.js';
import type { Issue } from './issue.js';
import { refusalsOf } from './refusals.js';
import { type CompiledField, secretNames } from './schema.js';
import { isObject, objectExpected } from './structure-kinds.js';
import { toIssues } from './to-issues.js';

/**
 * Returns the rows of the 422 array for the errors that class-validator found in a body: `issuesOf(Cls, body, await
 * validate(plainToInstance(Cls, body)))`.
 */
export function issuesOf(cls: Type<unknown>, body: object, errors: readonly ValidationError[]): Issue[] {
  if (errors.length === 0) return [];
  return toIssues(new Faults(membersOf(cls, body, errors)), ['body'], secretNames(compile(cls)));
}

function membersOf(cls: Type<unknown>, source: unknown, errors: readonly ValidationError[]): FaultyMember[] {
  const byProperty = new Map(errors.map((error) => [error.property, error]));
  const fields = new Map(compile(cls).fields.map((field) => [field.key, field]));
  return propertiesOf(cls).flatMap((property) => {
    const error = byProperty.get(property.key);
    const field = fields.get(property.key);
    return error === undefined || field === undefined ? [] : memberOf(property, field, source, error);
  });
}

function memberOf(
  { field, wire, isNested }: PropertyMetadata,
  { hidden }: CompiledField,
  source: unknown,
  error: ValidationError,
): FaultyMember[] {
  const given = isObject(source) ? source[wire] : undefined;
  const fault =
    (isNested ? nestedFault(given, error) : undefined) ??
    // A value that was changed after its conversion is reported with the changed value.
    (field && (faultOf(field, given, source) ?? faultOf(field, error.value, source)));
  if (fault !== undefined) return [{ key: wire, secret: hidden && given !== undefined, fault }];
  return refusalsOf(error, { name: wire, hidden, given, lacking: source });
}

/** Returns what `@ValidateNested()` found inside an object or a list of objects. */
function nestedFault(source: unknown, { value, children = [], constraints }: ValidationError): Failure | undefined {
  if (constraints?.['nestedValidation'] !== undefined) return objectExpected(source);
  if (children.length === 0) return undefined;
  if (!Array.isArray(value)) {
    return new Faults(membersOf((value as object).constructor as Type<unknown>, source, children));
  }
  const items: readonly unknown[] = Array.isArray(source) ? source : [];
  return new Faults(
    children.flatMap((child): FaultyMember[] => {
      const key = Number(child.property);
      const fault = nestedFault(items[key], child);
      return fault === undefined ? [] : [{ key, secret: false, fault }];
    }),
  );
}
