import type { TransformFnParams } from 'class-transformer';
import type { Kind } from './kind.js';

/** The declaration of a property by a field decorator. */
export interface FieldSpec {
  readonly key: string;
  /** The name in JSON, query and forms. */
  readonly wire: string;
  readonly kind: Kind<unknown>;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** Undefined: no default. */
  readonly default: unknown;
  /** Undefined: the name of the field decides. */
  readonly secret: boolean | undefined;
}

type Conversion = (params: TransformFnParams) => unknown;

const OURS = new WeakSet<Conversion>();

/**
 * The constraint that a field decorator adds to a property. A property has at most one. Other decorators do not add it.
 */
export class Field implements FieldSpec {
  readonly key: string;
  readonly wire: string;
  readonly kind: Kind<unknown>;
  readonly optional: boolean;
  readonly nullable: boolean;
  readonly default: unknown;
  readonly secret: boolean | undefined;

  constructor(
    spec: FieldSpec,
    /** The conversion for class-transformer. */
    readonly transform: Conversion,
  ) {
    this.key = spec.key;
    this.wire = spec.wire;
    this.kind = spec.kind;
    this.optional = spec.optional;
    this.nullable = spec.nullable;
    this.default = spec.default;
    this.secret = spec.secret;
    OURS.add(transform);
  }

  /** Whether an input without the field is refused. */
  get required(): boolean {
    return !this.optional && this.default === undefined;
  }
}

/** Whether a field decorator declared the conversion. */
export function isConversionOfField(transform: Conversion): boolean {
  return OURS.has(transform);
}
