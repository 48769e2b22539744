import type { Expression } from '../language/ast.js';
import { ownField } from '../language/field-names.js';
import { findFunction } from '../values/functions.js';

/** What is known of a value before there is one; a property may hold anything. */
export type StaticType = 'text' | 'number' | 'boolean' | 'time' | 'null' | 'any';

export function typeOf(expression: Expression): StaticType {
  switch (expression.type) {
    case 'literal':
      return typeOfLiteral(expression.value);
    case 'field':
      return expression.own === null ? 'any' : ownField(expression.own).type;
    case 'call':
      return findFunction(expression.name)?.returns ?? 'any';
    case 'arithmetic':
    case 'negative':
      return 'number';
    case 'compare':
    case 'in':
    case 'match':
    case 'not':
    case 'and':
    case 'or':
      return 'boolean';
  }
}

function typeOfLiteral(value: unknown): StaticType {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' ? 'number' : 'boolean';
}

/** Whether a number is one with a point, whatever its value: then divisions are not whole. */
export function isDecimal(expression: Expression): boolean {
  switch (expression.type) {
    case 'literal':
      return expression.isDecimal;
    case 'negative':
      return isDecimal(expression.operand);
    case 'arithmetic':
      return isDecimal(expression.left) || isDecimal(expression.right);
    case 'call':
      return expression.args.some(isDecimal);
    default:
      return false;
  }
}

/** The instant that an ISO 8601 text tells, in milliseconds; null when it tells none. */
export function instantOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(text))
    return null;
  // A time without a zone is one of UTC, as a day is.
  const isLocal = /\d{2}:\d{2}/.test(text.slice(10)) && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10));
  const instant = Date.parse(`${text.replace(' ', 'T')}${isLocal ? 'Z' : ''}`);
  return Number.isNaN(instant) ? null : instant;
}
