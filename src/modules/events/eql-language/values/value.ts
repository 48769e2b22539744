import type { ComparisonOperator } from '../language/ast.js';

/** The value of an expression: JSON, where null means unknown. */
export type Value = unknown;
export type Scalar = boolean | number | string;

export function isScalar(value: Value): value is Scalar {
  return typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';
}

/** Compares by code points, as PostgreSQL does under the collation C. */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return place(a) - place(b);
  }
  return one.length - other.length;
}

/** Returns the rank of a UTF-16 unit. Surrogates rank highest, since their characters have the highest code points. */
function place(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/**
 * Returns whether a comparison is true, or null when the values have different types. The comparison of a list is true
 * when it is true for an element, and false when it is false for all elements that have the type of the other value.
 */
export function compare(op: ComparisonOperator, left: Value, right: Value): boolean | null {
  if (Array.isArray(left)) return any(left, (item) => (isScalar(item) ? compare(op, item, right) : null));
  if (Array.isArray(right)) return any(right, (item) => (isScalar(item) ? compare(op, left, item) : null));
  if (typeof left !== typeof right || !isScalar(left) || !isScalar(right)) return null;
  switch (op) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    default:
      return ordered(op, left, right);
  }
}

function ordered(op: ComparisonOperator, left: Scalar, right: Scalar): boolean | null {
  const order =
    typeof left === 'string' && typeof right === 'string'
      ? compareTexts(left, right)
      : typeof left === 'number' && typeof right === 'number'
        ? left - right
        : null;
  if (order === null) return null;
  switch (op) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

/** Returns true when the test of any item is true, else false when any is false, else null. */
export function any<T>(items: readonly T[], test: (item: T) => boolean | null): boolean | null {
  let result: boolean | null = null;
  for (const item of items) {
    const holds = test(item);
    if (holds === true) return true;
    result ??= holds;
  }
  return result;
}

/** Returns the truth of a value that is used as a condition. */
export function truthOf(value: Value): boolean | null {
  if (typeof value === 'boolean') return value;
  return Array.isArray(value) ? any(value, (item) => (typeof item === 'boolean' ? item : null)) : null;
}

/** Applies a function to a value, or to each element if the value is a list. A list in a list becomes null. */
export function lifted(value: Value, apply: (item: Value) => Value): Value {
  return Array.isArray(value) ? value.map((item: unknown) => (Array.isArray(item) ? null : apply(item))) : apply(value);
}
