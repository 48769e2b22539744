import type { Type } from '@nestjs/common';
import {
  getMetadataStorage,
  registerDecorator,
  ValidateIf,
  validateSync,
  type ValidationArguments,
  type ValidationError,
  type ValidationOptions,
} from 'class-validator';
import type { ConstraintOfProperty, PropertyMetadata } from './class-metadata.js';

type StoredConstraint = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidatorConstraints']>[number];

/**
 * The constraints of a class that do not come from field decorators. class-validator runs them on an instance. They are
 * registered on a separate class, because the compiled reader has already run the field decorators.
 */
export class StockConstraints {
  private readonly holder: Type<unknown>;

  /**
   * @throws Error for asynchronous constraints, because reading is synchronous and class-validator would ignore them
   * without an error
   */
  constructor(cls: Type<unknown>, properties: readonly PropertyMetadata[]) {
    this.holder = classNamed(cls.name);
    for (const { key, conditions, constraints } of properties) {
      if (constraints.length === 0) continue;
      for (const condition of conditions) ValidateIf(condition)(this.holder.prototype as object, key);
      for (const constraint of constraints) this.adopt(cls, key, constraint);
    }
  }

  /** Returns the errors of an instance by property. */
  refusals(instance: object): Map<string, ValidationError> {
    // The view inherits the members of the instance, and its constructor is the class with the constraints, by which
    // class-validator finds them.
    const view = Object.create(instance, { constructor: { value: this.holder } }) as object;
    const errors = validateSync(view, { forbidUnknownValues: false });
    return new Map(errors.map((error) => [error.property, error]));
  }

  private adopt(cls: Type<unknown>, key: string, metadata: ConstraintOfProperty): void {
    const constraints = getMetadataStorage().getTargetValidatorConstraints(metadata.constraintCls);
    if (constraints.length === 0) {
      throw new Error(`${cls.name}.${key}: ${metadata.constraintCls.name} lacks its @ValidatorConstraint()`);
    }
    for (const stored of constraints) {
      const place = `${cls.name}.${key}: ${stored.name}`;
      if (stored.async) throw new Error(`${place} answers later; ask what must be waited for in the service`);
      registerDecorator({
        name: stored.name,
        target: this.holder,
        propertyName: key,
        constraints: metadata.constraints,
        options: optionsOf(metadata),
        validator: {
          validate: (value: unknown, args?: ValidationArguments) => atOnce(stored, place, value, args),
          defaultMessage: (args?: ValidationArguments) => stored.instance.defaultMessage?.(args) ?? '',
        },
      });
    }
  }
}

function optionsOf({ message, each, context, validateIf }: ConstraintOfProperty): ValidationOptions {
  return { message, each, context: context as unknown, validateIf };
}

function atOnce(stored: StoredConstraint, place: string, value: unknown, args?: ValidationArguments): boolean {
  const verdict = stored.instance.validate(value, args);
  if (typeof verdict === 'boolean') return verdict;
  throw new TypeError(`${place} answered with a promise, though it is not declared \`async\``);
}

/** Returns an empty class with the same name, because messages contain the name of the class. */
function classNamed(name: string): Type<unknown> {
  return { [name]: class {} }[name] as Type<unknown>;
}
