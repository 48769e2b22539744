import type { ComparisonOperator } from '../language/ast.js';

/** What an expression gives: JSON, where null is nothing known. */
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

/** Halves of pairs stand for characters above all others. */
function place(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/**
 * Whether a comparison holds; null where the two are not of one type. Of a list it holds when it does for an element, and
 * not when it does for none of those that have the type.
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

/** True when true for any, false when false for any, else null. */
export function any<T>(items: readonly T[], test: (item: T) => boolean | null): boolean | null {
  let result: boolean | null = null;
  for (const item of items) {
    const holds = test(item);
    if (holds === true) return true;
    result ??= holds;
  }
  return result;
}

/** What a value says as a condition. */
export function truthOf(value: Value): boolean | null {
  if (typeof value === 'boolean') return value;
  return Array.isArray(value) ? any(value, (item) => (typeof item === 'boolean' ? item : null)) : null;
}

/** A function of one value for each element of a list, where it is one. */
export function lifted(value: Value, apply: (item: Value) => Value): Value {
  return Array.isArray(value) ? value.map((item: unknown) => (Array.isArray(item) ? null : apply(item))) : apply(value);
}
