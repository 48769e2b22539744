import type { TransformFnParams } from 'class-transformer';
import type { Kind } from './kind.js';

/** What one of our decorators says of a property. */
export interface FieldSpec {
  readonly key: string;
  /** The name in JSON, query and forms. */
  readonly wire: string;
  readonly kind: Kind<unknown>;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** Undefined: no default. */
  readonly default: unknown;
  /** Undefined: decided by the name. */
  readonly secret: boolean | undefined;
}

type Conversion = (params: TransformFnParams) => unknown;

const OURS = new WeakSet<Conversion>();

/** The one constraint that our decorators put on a property; its presence tells a property of ours from others. */
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
    /** For class-transformer. */
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

  /** Whether an input that lacks it is refused. */
  get required(): boolean {
    return !this.optional && this.default === undefined;
  }
}

/** Whether a conversion was declared by a decorator of ours. */
export function isConversionOfField(transform: Conversion): boolean {
  return OURS.has(transform);
}
