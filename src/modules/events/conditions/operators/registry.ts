import { contains } from './contains.js';
import { eq, ne } from './equality.js';
import { exists } from './exists.js';
import { matches } from './matches.js';
import { oneOf } from './one-of.js';
import type { Operator } from './operator.js';
import { gt, gte, lt, lte } from './ordering.js';
import { startsWith } from './starts-with.js';

/** Every operator by its name in conditions, in the order in which the API lists them. */
const REGISTRY = {
  eq,
  ne,
  in: oneOf,
  contains,
  starts_with: startsWith,
  matches,
  gt,
  gte,
  lt,
  lte,
  exists,
};

export type OperatorName = keyof typeof REGISTRY;

/** The type of the operand of each operator. */
type Operands = { readonly [Name in OperatorName]: Parameters<(typeof REGISTRY)[Name]['test']>[0] };

/** A comparison of a field with a value, whose type depends on the operator. */
export type Comparison<Names extends OperatorName = OperatorName> = {
  [Name in Names]: { readonly field: string; readonly op: Name; readonly value: Operands[Name] };
}[Names];

export const OPERATORS: { readonly [Name in OperatorName]: Operator<Operands[Name]> } = REGISTRY;

export const OPERATOR_NAMES = Object.keys(OPERATORS) as OperatorName[];
