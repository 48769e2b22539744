import { parseMoment } from '../../../../platform/http/validation/index.js';
import type { Expression } from '../language/ast.js';
import { ownField } from '../language/field-names.js';
import { findFunction } from '../values/functions.js';

/** The type of a value, as far as the query determines it without events. A property may have any type. */
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

/**
 * Returns whether an expression contains a number that is written with a point or an exponent. Divisions with such a
 * number do not round to whole numbers.
 */
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

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Returns the instant of an ISO 8601 text in milliseconds, or null for other texts. Without a zone, the text is in UTC.
 */
export function instantOf(text: string): number | null {
  const instant = ISO.test(text) ? parseMoment(text) : null;
  return typeof instant === 'number' ? instant : null;
}
