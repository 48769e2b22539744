import { fold } from '../../../../platform/case-folding/index.js';
import { instantOf } from '../checking/static-types.js';
import {
  type Call,
  type Comparison,
  type ComparisonOperator,
  type Expression,
  type Field,
  fieldsIn,
  type Match,
  type OneOf,
} from '../language/ast.js';
import { ownField } from '../language/field-names.js';
import { findFunction } from '../values/functions.js';
import { truthOf, type Value } from '../values/value.js';
import { constantOf } from './evaluate.js';

/** The type of a scalar, as `jsonb_typeof` names it. */
export type Kind = 'string' | 'number' | 'boolean';
export type Constant = string | number | boolean;
/** A comparison operator, as both PostgreSQL and ClickHouse write it. */
export type Sign = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type Search = 'startsWith' | 'endsWith' | 'stringContains';

/**
 * Writes the parts of an exact condition in the SQL of one engine. Each part is true, false or null for the same events
 * as in memory. The test of a property is null when the value of the property has another kind. The test of a list is
 * true when it is true for an element.
 */
export interface SqlDialect {
  truth(value: boolean | null): string;
  /** Tests whether a field has no value. */
  isMissing(field: Field): string;
  isNull(condition: string): string;
  /** Tests whether a field is `true`. */
  holds(field: Field): string;
  /** Compares the timestamp of the event. */
  instant(sign: Sign, at: Date): string;
  isAnyInstant(all: readonly Date[]): string;
  /**
   * @param value also determines the kind of field values that are compared. Booleans are compared for equality only
   */
  compared(field: Field, sign: Sign, value: Constant): string;
  /** @param values all of one kind, and already folded if `isFolding` */
  isAmong(field: Field, values: readonly string[] | readonly number[] | readonly boolean[], isFolding: boolean): string;
  /**
   * @param patterns patterns of LIKE, of which any must match
   * @param folded the folded sources of the patterns, or null when case matters
   */
  isLike(field: Field, patterns: readonly string[], folded: readonly string[] | null): string;
  /** @param part the text to search for, already folded if `isFolding` */
  finds(field: Field, search: Search, part: string, isFolding: boolean): string;
}

const SWAPPED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  ...{ '==': '==', '!=': '!=' },
  ...{ '<': '>', '<=': '>=', '>': '<', '>=': '<=' },
};
const SIGNS: Readonly<Record<ComparisonOperator, Sign>> = {
  ...{ '==': '=', '!=': '<>' },
  ...{ '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
};
const SEARCHES: ReadonlySet<string> = new Set<Search>(['startsWith', 'endsWith', 'stringContains']);

/**
 * Returns whether SQL can express the whole expression, with true, false and null for the same events as in memory. SQL
 * cannot express arithmetic on fields, functions that return texts or numbers, regular expressions, and comparisons of
 * fields with fields.
 */
export function isExact(expression: Expression): boolean {
  if (isConstant(expression)) return true;
  switch (expression.type) {
    case 'field':
      return true;
    case 'not':
      return isExact(expression.operand);
    case 'and':
    case 'or':
      return expression.operands.every(isExact);
    case 'compare':
      return isExactComparison(expression);
    case 'in':
      return expression.operand.type === 'field';
    case 'match':
      return expression.kind !== 'regex' && expression.operand.type === 'field';
    case 'call':
      return isSearch(expression);
    default:
      return false;
  }
}

/** Returns whether SQL can exclude any of the events that do not match the expression. */
export function isBounded(expression: Expression): boolean {
  if (isExact(expression)) return true;
  if (expression.type === 'and') return expression.operands.some(isBounded);
  return expression.type === 'or' && expression.operands.every(isBounded);
}

/**
 * Returns a condition in the SQL of an engine that is true whenever the expression is true. The expression must be
 * bounded.
 */
export function boundCondition(expression: Expression, dialect: SqlDialect): string {
  if (isExact(expression)) return exactCondition(expression, dialect);
  if (expression.type !== 'and' && expression.type !== 'or') throw new Error(`${expression.type} has no bound`);
  const parts = expression.operands.filter(isBounded).map((operand) => boundCondition(operand, dialect));
  return `(${parts.join(expression.type === 'and' ? ' AND ' : ' OR ')})`;
}

function isExactComparison({ op, left, right }: Comparison): boolean {
  const [one, other] = isConstant(left) ? [right, left] : [left, right];
  if (!isConstant(other)) return false;
  const isNull = other.type === 'literal' && other.value === null;
  if (isNull && (op === '==' || op === '!=')) return one.type === 'field' || (isCondition(one) && isExact(one));
  return one.type === 'field';
}

function isCondition({ type }: Expression): boolean {
  return ['compare', 'in', 'match', 'not', 'and', 'or'].includes(type);
}

function isSearch({ name, args: [source, part] }: Call): boolean {
  return searchOf(name) !== null && source?.type === 'field' && part !== undefined && isConstant(part);
}

function isConstant(expression: Expression): boolean {
  return fieldsIn(expression).length === 0;
}

/** Returns an exact expression in the SQL of an engine. */
function exactCondition(expression: Expression, dialect: SqlDialect): string {
  if (isConstant(expression)) return dialect.truth(truthOf(constantOf(expression)));
  switch (expression.type) {
    case 'field':
      return dialect.holds(expression);
    case 'not':
      return `(NOT ${exactCondition(expression.operand, dialect)})`;
    case 'and':
    case 'or': {
      const parts = expression.operands.map((operand) => exactCondition(operand, dialect));
      return `(${parts.join(expression.type === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'compare':
      return comparison(expression, dialect);
    case 'in':
      return oneOf(expression, dialect);
    case 'match':
      return match(expression, dialect);
    case 'call':
      return search(expression, dialect);
    default:
      throw new Error(`${expression.type} cannot be said in SQL`);
  }
}

function comparison({ op, left, right }: Comparison, dialect: SqlDialect): string {
  const isSwapped = isConstant(left);
  const [one, other] = isSwapped ? [right, left] : [left, right];
  if (other.type === 'literal' && other.value === null && (op === '==' || op === '!=')) {
    const isNull = one.type === 'field' ? dialect.isMissing(one) : dialect.isNull(exactCondition(one, dialect));
    return op === '==' ? isNull : `(NOT ${isNull})`;
  }
  if (one.type !== 'field') throw new Error('Only fields are compared in SQL');
  return compared(one, isSwapped ? SWAPPED[op] : op, constantOf(other), dialect);
}

function compared(field: Field, op: ComparisonOperator, value: Value, dialect: SqlDialect): string {
  if (isTime(field)) {
    const instant = typeof value === 'string' ? instantOf(value) : null;
    return instant === null ? dialect.truth(null) : dialect.instant(SIGNS[op], new Date(instant));
  }
  const hasOrder = typeof value === 'string' || typeof value === 'number';
  const isTruth = typeof value === 'boolean' && (op === '==' || op === '!=');
  return hasOrder || isTruth ? dialect.compared(field, SIGNS[op], value) : dialect.truth(null);
}

/**
 * Writes one test for each kind of value in the list of the query. For a property that is a list, the result is false
 * only if each test finds an element of its kind.
 */
function oneOf({ operand, values, isNegated, isFolding }: OneOf, dialect: SqlDialect): string {
  if (operand.type !== 'field') throw new Error('Only fields are looked up in SQL');
  const all = values.map(({ value }) => value);
  const parts: string[] = all.includes(null) ? [dialect.truth(null)] : [];
  const texts = all.filter((value) => typeof value === 'string');
  const numbers = all.filter((value) => typeof value === 'number');
  const truths = all.filter((value) => typeof value === 'boolean');
  if (isTime(operand)) {
    const instants = texts.map((text) => instantOf(text)).filter((instant) => instant !== null);
    if (instants.length < texts.length) parts.push(dialect.truth(null));
    parts.push(dialect.isAnyInstant(instants.map((instant) => new Date(instant))));
  } else if (texts.length > 0) {
    parts.push(dialect.isAmong(operand, isFolding ? texts.map(fold) : texts, isFolding));
  }
  if (numbers.length > 0) parts.push(dialect.isAmong(operand, numbers, false));
  if (truths.length > 0) parts.push(dialect.isAmong(operand, truths, false));
  return `(${isNegated ? 'NOT ' : ''}(${parts.join(' OR ')}))`;
}

function match({ operand, patterns, isFolding }: Match, dialect: SqlDialect): string {
  if (operand.type !== 'field') throw new Error('Only fields are matched in SQL');
  const sources = patterns.map(({ value }) => (isFolding ? fold(String(value)) : String(value)));
  return dialect.isLike(operand, sources.map(likePattern), isFolding ? sources : null);
}

function likePattern(source: string): string {
  return source
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}

function search({ name, isFolding, args }: Call, dialect: SqlDialect): string {
  const [source, second] = args;
  const known = searchOf(name);
  if (known === null || source?.type !== 'field' || second === undefined) throw new Error(`${name} is no search`);
  const part = constantOf(second);
  if (typeof part !== 'string') return dialect.truth(null);
  return dialect.finds(source, known, isFolding ? fold(part) : part, isFolding);
}

function searchOf(name: string): Search | null {
  const known = findFunction(name)?.name ?? '';
  return SEARCHES.has(known) ? (known as Search) : null;
}

function isTime({ own }: Field): boolean {
  return own !== null && ownField(own).type === 'time';
}
