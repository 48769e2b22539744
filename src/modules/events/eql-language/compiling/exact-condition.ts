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

/** Of a kind of scalars, as jsonb calls it. */
export type Kind = 'string' | 'number' | 'boolean';
export type Scalar = string | number | boolean;
/** As both engines write them. */
export type Sign = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type Search = 'startsWith' | 'endsWith' | 'stringContains';

/**
 * How an engine says what an exact condition is made of: each true, false or null as in memory. A test of a property is null where it
 * holds another kind, and of a list true when it is for an element.
 */
export interface ConditionWords {
  truth(value: boolean | null): string;
  /** Whether there is no value. */
  isMissing(field: Field): string;
  isNull(condition: string): string;
  /** A truth by itself. */
  holds(field: Field): string;
  /** Of the timestamp. */
  instant(sign: Sign, at: Date): string;
  isAnyInstant(all: readonly Date[]): string;
  /** @param value of the kind that is looked for; truth has no order */
  compared(field: Field, sign: Sign, value: Scalar): string;
  /** @param values of one kind, folded where the text is to be */
  isAmong(field: Field, values: readonly string[] | readonly number[] | readonly boolean[], isFolding: boolean): string;
  /** @param patterns of LIKE, any of which is to fit */
  isLike(field: Field, patterns: readonly string[], folded: readonly string[] | null): string;
  /** @param part folded where the text is to be */
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
 * Whether the expression can be said in SQL word by word: true, false and null for the same events as in memory. What
 * cannot is arithmetic on fields, functions that give texts and numbers, regular expressions, and fields against fields.
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

/** Whether SQL can leave out anything of what an expression does not fit. */
export function isBounded(expression: Expression): boolean {
  if (isExact(expression)) return true;
  if (expression.type === 'and') return expression.operands.some(isBounded);
  return expression.type === 'or' && expression.operands.every(isBounded);
}

/** A condition in the words of an engine that holds wherever the expression does, which is bounded. */
export function boundCondition(expression: Expression, words: ConditionWords): string {
  if (isExact(expression)) return exactCondition(expression, words);
  if (expression.type !== 'and' && expression.type !== 'or') throw new Error(`${expression.type} has no bound`);
  const parts = expression.operands.filter(isBounded).map((operand) => boundCondition(operand, words));
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

/** The expression, which is exact, in the words of an engine. */
function exactCondition(expression: Expression, words: ConditionWords): string {
  if (isConstant(expression)) return words.truth(truthOf(constantOf(expression)));
  switch (expression.type) {
    case 'field':
      return words.holds(expression);
    case 'not':
      return `(NOT ${exactCondition(expression.operand, words)})`;
    case 'and':
    case 'or': {
      const parts = expression.operands.map((operand) => exactCondition(operand, words));
      return `(${parts.join(expression.type === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'compare':
      return comparison(expression, words);
    case 'in':
      return oneOf(expression, words);
    case 'match':
      return match(expression, words);
    case 'call':
      return search(expression, words);
    default:
      throw new Error(`${expression.type} cannot be said in SQL`);
  }
}

function comparison({ op, left, right }: Comparison, words: ConditionWords): string {
  const isSwapped = isConstant(left);
  const [one, other] = isSwapped ? [right, left] : [left, right];
  if (other.type === 'literal' && other.value === null && (op === '==' || op === '!=')) {
    const isNull = one.type === 'field' ? words.isMissing(one) : words.isNull(exactCondition(one, words));
    return op === '==' ? isNull : `(NOT ${isNull})`;
  }
  if (one.type !== 'field') throw new Error('Only fields are compared in SQL');
  return compared(one, isSwapped ? SWAPPED[op] : op, constantOf(other), words);
}

function compared(field: Field, op: ComparisonOperator, value: Value, words: ConditionWords): string {
  if (isTime(field)) {
    const instant = typeof value === 'string' ? instantOf(value) : null;
    return instant === null ? words.truth(null) : words.instant(SIGNS[op], new Date(instant));
  }
  const hasOrder = typeof value === 'string' || typeof value === 'number';
  const isTruth = typeof value === 'boolean' && (op === '==' || op === '!=');
  return hasOrder || isTruth ? words.compared(field, SIGNS[op], value) : words.truth(null);
}

/** One test for each kind of values: of a list each has to find an element of its kind before all say no. */
function oneOf({ operand, values, isNegated, isFolding }: OneOf, words: ConditionWords): string {
  if (operand.type !== 'field') throw new Error('Only fields are looked up in SQL');
  const all = values.map(({ value }) => value);
  const parts: string[] = all.includes(null) ? [words.truth(null)] : [];
  const texts = all.filter((value) => typeof value === 'string');
  const numbers = all.filter((value) => typeof value === 'number');
  const truths = all.filter((value) => typeof value === 'boolean');
  if (isTime(operand)) {
    const instants = texts.map((text) => instantOf(text)).filter((instant) => instant !== null);
    if (instants.length < texts.length) parts.push(words.truth(null));
    parts.push(words.isAnyInstant(instants.map((instant) => new Date(instant))));
  } else if (texts.length > 0) {
    parts.push(words.isAmong(operand, isFolding ? texts.map(fold) : texts, isFolding));
  }
  if (numbers.length > 0) parts.push(words.isAmong(operand, numbers, false));
  if (truths.length > 0) parts.push(words.isAmong(operand, truths, false));
  return `(${isNegated ? 'NOT ' : ''}(${parts.join(' OR ')}))`;
}

function match({ operand, patterns, isFolding }: Match, words: ConditionWords): string {
  if (operand.type !== 'field') throw new Error('Only fields are matched in SQL');
  const sources = patterns.map(({ value }) => (isFolding ? fold(String(value)) : String(value)));
  return words.isLike(operand, sources.map(likePattern), isFolding ? sources : null);
}

function likePattern(source: string): string {
  return source
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}

function search({ name, isFolding, args }: Call, words: ConditionWords): string {
  const [source, second] = args;
  const known = searchOf(name);
  if (known === null || source?.type !== 'field' || second === undefined) throw new Error(`${name} is no search`);
  const part = constantOf(second);
  if (typeof part !== 'string') return words.truth(null);
  return words.finds(source, known, isFolding ? fold(part) : part, isFolding);
}

function searchOf(name: string): Search | null {
  const known = findFunction(name)?.name ?? '';
  return SEARCHES.has(known) ? (known as Search) : null;
}

function isTime({ own }: Field): boolean {
  return own !== null && ownField(own).type === 'time';
}
