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
 * The constraints of a class that are not ours, ready to be run by class-validator on one of its instances. They stand on
 * a class of their own, so that class-validator runs them alone: ours are run by the compiled reader.
 */
export class StockConstraints {
  private readonly holder: Type<unknown>;

  /** @throws for what class-validator would pass over in silence: reading is synchronous, a constraint may answer later */
  constructor(cls: Type<unknown>, properties: readonly PropertyMetadata[]) {
    this.holder = classNamed(cls.name);
    for (const { key, conditions, constraints } of properties) {
      if (constraints.length === 0) continue;
      for (const condition of conditions) ValidateIf(condition)(this.holder.prototype as object, key);
      for (const constraint of constraints) this.adopt(cls, key, constraint);
    }
  }

  /** What is refused, by property. */
  refusals(instance: object): Map<string, ValidationError> {
    // Reads and is tested for its class like the instance; class-validator finds the constraints by the constructor.
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

/** Messages name the class. */
function classNamed(name: string): Type<unknown> {
  return { [name]: class {} }[name] as Type<unknown>;
}
