import type { Bind } from '../../../../platform/database/parameters.js';
import { fold, variantsOf } from '../../../../platform/case-folding/index.js';
import { propertySql } from '../../conditions/index.js';
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
type Kind = 'string' | 'number' | 'boolean';
/** A test of an SQL expression that has the kind's type. */
type Test = (sql: string) => string;

const UNKNOWN = 'NULL::boolean';
const SWAPPED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  ...{ '==': '==', '!=': '!=' },
  ...{ '<': '>', '<=': '>=', '>': '<', '>=': '<=' },
};
const SIGNS: Readonly<Record<ComparisonOperator, string>> = {
  ...{ '==': '=', '!=': '<>' },
  ...{ '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
};
const SEARCHES = new Set(['startsWith', 'endsWith', 'stringContains']);

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
  const known = findFunction(name)?.name ?? '';
  return SEARCHES.has(known) && source?.type === 'field' && part !== undefined && isConstant(part);
}

function isConstant(expression: Expression): boolean {
  return fieldsIn(expression).length === 0;
}

/** Whether SQL can leave out anything of what an expression does not fit. */
export function isBounded(expression: Expression): boolean {
  if (isExact(expression)) return true;
  if (expression.type === 'and') return expression.operands.some(isBounded);
  return expression.type === 'or' && expression.operands.every(isBounded);
}

/** A condition on the row `e` of `events` that holds wherever the expression does, which is bounded. */
export function boundSql(expression: Expression, bind: Bind): string {
  if (isExact(expression)) return exactSql(expression, bind);
  if (expression.type !== 'and' && expression.type !== 'or') throw new Error(`${expression.type} has no bound`);
  const parts = expression.operands.filter(isBounded).map((operand) => boundSql(operand, bind));
  return `(${parts.join(expression.type === 'and' ? ' AND ' : ' OR ')})`;
}

/** The expression, which is exact, as a condition on the row `e` of `events`: true, false or null as in memory. */
function exactSql(expression: Expression, bind: Bind): string {
  if (isConstant(expression)) return truthSql(truthOf(constantOf(expression)));
  switch (expression.type) {
    case 'field':
      return fieldTest(expression, 'boolean', (sql) => sql, bind);
    case 'not':
      return `(NOT ${exactSql(expression.operand, bind)})`;
    case 'and':
    case 'or': {
      const parts = expression.operands.map((operand) => exactSql(operand, bind));
      return `(${parts.join(expression.type === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'compare':
      return comparisonSql(expression, bind);
    case 'in':
      return oneOfSql(expression, bind);
    case 'match':
      return matchSql(expression, bind);
    case 'call':
      return searchSql(expression, bind);
    default:
      throw new Error(`${expression.type} cannot be said in SQL`);
  }
}

function truthSql(truth: boolean | null): string {
  return truth === null ? UNKNOWN : String(truth);
}

function comparisonSql({ op, left, right }: Comparison, bind: Bind): string {
  const isSwapped = isConstant(left);
  const [one, other] = isSwapped ? [right, left] : [left, right];
  const sign = isSwapped ? SWAPPED[op] : op;
  const isNullTest = other.type === 'literal' && other.value === null && (op === '==' || op === '!=');
  if (isNullTest) {
    const tested = one.type === 'field' ? valueSql(one, bind) : exactSql(one, bind);
    return `(${tested} IS ${op === '==' ? '' : 'NOT '}NULL)`;
  }
  if (one.type !== 'field') throw new Error('Only fields are compared in SQL');
  return comparedSql(one, sign, constantOf(other), bind);
}

function comparedSql(field: Field, op: ComparisonOperator, value: Value, bind: Bind): string {
  const sign = SIGNS[op];
  if (isTime(field)) {
    const instant = typeof value === 'string' ? instantOf(value) : null;
    return instant === null ? UNKNOWN : `(e."timestamp" ${sign} ${bind(new Date(instant))}::timestamptz)`;
  }
  switch (typeof value) {
    case 'string': {
      const operand = `${bind(value)}::text`;
      const isEquality = op === '==' || op === '!=';
      return fieldTest(
        field,
        'string',
        (sql) => `(${sql}${isEquality ? '' : ' COLLATE "C"'} ${sign} ${operand})`,
        bind,
        op === '==' ? (list) => hasTextSql(list, `? ${operand}`) : undefined,
      );
    }
    case 'number': {
      const operand = `${bind(value)}::float8`;
      return fieldTest(field, 'number', (sql) => `(${sql} ${sign} ${operand})`, bind);
    }
    case 'boolean':
      // Truth has no order.
      return op === '==' || op === '!='
        ? fieldTest(field, 'boolean', (sql) => `(${sql} ${sign} ${String(value)})`, bind)
        : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

/** One test for each kind of values: of a list each has to find an element of its kind before all say no. */
function oneOfSql({ operand, values, isNegated, isFolding }: OneOf, bind: Bind): string {
  if (operand.type !== 'field') throw new Error('Only fields are looked up in SQL');
  const all = values.map(({ value }) => value);
  const parts: string[] = all.includes(null) ? [UNKNOWN] : [];
  const texts = all.filter((value) => typeof value === 'string');
  const numbers = all.filter((value) => typeof value === 'number');
  const truths = all.filter((value) => typeof value === 'boolean');
  if (isTime(operand)) {
    const instants = texts.map((text) => instantOf(text)).filter((instant) => instant !== null);
    if (instants.length < texts.length) parts.push(UNKNOWN);
    parts.push(`(e."timestamp" = ANY (${bind(instants.map((instant) => new Date(instant)))}::timestamptz[]))`);
  } else if (texts.length > 0) {
    const wanted = isFolding ? texts.map(fold) : texts;
    const operands = `${bind(wanted)}::text[]`;
    const folded = isFolding ? folding(wanted, bind) : plain;
    const ofList = isFolding ? undefined : (list: string): string => hasTextSql(list, `?| ${operands}`);
    parts.push(fieldTest(operand, 'string', (sql) => `(${folded(sql)} = ANY (${operands}))`, bind, ofList));
  }
  if (numbers.length > 0) {
    const operands = `${bind(numbers)}::float8[]`;
    parts.push(fieldTest(operand, 'number', (sql) => `(${sql} = ANY (${operands}))`, bind));
  }
  if (truths.length > 0) {
    const operands = `${bind(truths)}::boolean[]`;
    parts.push(fieldTest(operand, 'boolean', (sql) => `(${sql} = ANY (${operands}))`, bind));
  }
  return `(${isNegated ? 'NOT ' : ''}(${parts.join(' OR ')}))`;
}

function matchSql({ operand, patterns, isFolding }: Match, bind: Bind): string {
  if (operand.type !== 'field') throw new Error('Only fields are matched in SQL');
  const sources = patterns.map(({ value }) => (isFolding ? fold(String(value)) : String(value)));
  const folded = isFolding ? folding(sources, bind) : plain;
  const operands = `${bind(sources.map(likePattern))}::text[]`;
  return fieldTest(operand, 'string', (sql) => `(${folded(sql)} COLLATE "C" LIKE ANY (${operands}))`, bind);
}

function likePattern(source: string): string {
  return source
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}

function searchSql({ name, isFolding, args }: Call, bind: Bind): string {
  const [source, second] = args;
  if (source?.type !== 'field' || second === undefined) throw new Error('Only fields are searched in SQL');
  const part = constantOf(second);
  if (typeof part !== 'string') return UNKNOWN;
  const wanted = isFolding ? fold(part) : part;
  const folded = isFolding ? folding([wanted], bind) : plain;
  const operand = `${bind(wanted)}::text`;
  const known = findFunction(name)?.name;
  return fieldTest(
    source,
    'string',
    (sql) => {
      const text = folded(sql);
      if (known === 'startsWith') return `starts_with(${text}, ${operand})`;
      if (known === 'endsWith') return `(right(${text}, char_length(${operand})) = ${operand})`;
      return `(strpos(${text} COLLATE "C", ${operand}) > 0)`;
    },
    bind,
  );
}

function plain(sql: string): string {
  return sql;
}

/** Of as many characters as this each is replaced by itself: five times as fast as all at once. */
const MOST_REPLACED = 8;

/** Folds what may be a case of these folded texts, and lets the rest be: whatever the locale of the database. */
function folding(texts: readonly string[], bind: Bind): Test {
  const [from, to]: [string[], string[]] = [[], []];
  for (const character of new Set(texts.flatMap((text) => [...text]))) {
    for (const variant of variantsOf(character)) {
      from.push(variant);
      to.push(character);
    }
  }
  if (from.length > MOST_REPLACED) {
    const [variants, folded] = [bind(from.join('')), bind(to.join(''))];
    return (sql) => `lower(translate(${sql}, ${variants}::text, ${folded}::text) COLLATE "C")`;
  }
  // What is folded is no variant of another, so that one after the other is the same as all at once.
  const pairs = from.map((variant, at) => `${bind(variant)}::text, ${bind(to[at])}::text`);
  return (sql) => `lower(${pairs.reduce((text, pair) => `replace(${text}, ${pair})`, `${sql} COLLATE "C"`)})`;
}

/**
 * A test of what a field holds: null where it holds another kind; of a list true when it is for an element.
 * @param ofList the same of a list, without a subquery: PostgreSQL has no parallel plans with those
 */
function fieldTest(field: Field, kind: Kind, test: Test, bind: Bind, ofList: Test = elementTest(kind, test)): string {
  if (field.own !== null) {
    const { type, sql } = ownField(field.own);
    if (type === 'text' && kind === 'string') return test(sql);
    if (type === 'number' && kind === 'number') return test(`(${sql})::float8`);
    return UNKNOWN;
  }
  const value = propertySql(field.path, bind);
  return `(CASE jsonb_typeof(${value}) WHEN '${kind}' THEN ${test(scalarOf(kind, value))}
    WHEN 'array' THEN ${ofList(value)} END)`;
}

function elementTest(kind: Kind, test: Test): Test {
  return (list) => `(SELECT bool_or(${test(scalarOf(kind, 'item'))}) FROM jsonb_array_elements(${list}) AS item
      WHERE jsonb_typeof(item) = '${kind}')`;
}

/** Whether a list has a text that is looked for; null where it has no text at all. */
function hasTextSql(list: string, wanted: string): string {
  return `(CASE WHEN ${list} ${wanted} THEN true
      WHEN jsonb_path_exists(${list}, 'strict $[*] ? (@.type() == "string")') THEN false END)`;
}

function scalarOf(kind: Kind, json: string): string {
  const text = `((${json}) #>> '{}')`;
  return kind === 'string' ? text : `${text}::${kind === 'number' ? 'float8' : 'boolean'}`;
}

function valueSql(field: Field, bind: Bind): string {
  return field.own === null ? `(${propertySql(field.path, bind)})` : `(${ownField(field.own).sql})`;
}

function isTime({ own }: Field): boolean {
  return own !== null && ownField(own).type === 'time';
}
