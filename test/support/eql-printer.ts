import type {
  Expression,
  Field,
  Literal,
  Pipe,
  Query,
  Term,
} from '../../src/modules/events/eql-language/language/ast.js';
import { quoted } from './eql.js';

/** Prints the syntax tree of a query with brackets around every part. */
export function printQuery(query: Query): string {
  if (query.type === 'events') return `${printFilter(query.filter)}${query.pipes.map(printPipe).join('')}`;
  const keys = printKeys(query.keys);
  const terms = query.terms.map(printTerm).join(' ');
  if (query.type === 'sample') return `sample${keys} ${terms}`;
  const span = query.maxspanMs === null ? '' : ` with maxspan=${query.maxspanMs}ms`;
  const until = query.until === null ? '' : ` until ${printTerm(query.until)}`;
  return `sequence${keys}${span} ${terms}${until}${query.pipes.map(printPipe).join('')}`;
}

function printExpression(expression: Expression): string {
  switch (expression.type) {
    case 'literal':
      return printLiteral(expression);
    case 'field':
      return printField(expression);
    case 'call':
      return `${expression.name}${expression.isFolding ? '~' : ''}(${expression.args.map(printExpression).join(', ')})`;
    case 'not':
      return `(not ${printExpression(expression.operand)})`;
    case 'negative':
      return `(-${printExpression(expression.operand)})`;
    case 'and':
    case 'or':
      return `(${expression.operands.map(printExpression).join(` ${expression.type} `)})`;
    case 'compare':
    case 'arithmetic':
      return `(${printExpression(expression.left)} ${expression.op} ${printExpression(expression.right)})`;
    case 'in': {
      const { operand, values, isNegated, isFolding } = expression;
      const word = `${isNegated ? 'not ' : ''}in${isFolding ? '~' : ''}`;
      return `(${printExpression(operand)} ${word} (${values.map(printLiteral).join(', ')}))`;
    }
    case 'match': {
      const { kind, operand, patterns, isFolding } = expression;
      const word = kind === ':' || !isFolding ? kind : `${kind}~`;
      return `(${printExpression(operand)} ${word} (${patterns.map(printLiteral).join(', ')}))`;
    }
  }
}

function printFilter({ category, condition }: Term['filter']): string {
  return `${category === null ? 'any' : JSON.stringify(category)} where ${printExpression(condition)}`;
}

function printTerm({ filter, keys, isMissing, runs }: Term): string {
  return `${isMissing ? '!' : ''}[${printFilter(filter)}]${printKeys(keys)}${runs === 1 ? '' : ` with runs=${runs}`}`;
}

function printKeys(keys: readonly Field[]): string {
  return keys.length === 0 ? '' : ` by ${keys.map(printField).join(', ')}`;
}

function printPipe({ name, count }: Pipe): string {
  return ` | ${name} ${count}`;
}

function printField({ isOptional, own, path }: Field): string {
  const names = own === null ? ['properties', ...path] : own.split('.');
  return `${isOptional ? '?' : ''}${names.map((name) => `\`${name}\``).join('.')}`;
}

function printLiteral({ value, isDecimal }: Literal): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'number') return String(value);
  return isDecimal ? value.toExponential() : value.toLocaleString('en', { useGrouping: false });
}

/** Returns the tree without the positions of its parts. */
export function withoutSpans(tree: unknown): unknown {
  return JSON.parse(
    JSON.stringify(tree, (name, value: unknown) => (name === 'span' || name === 'nameSpan' ? undefined : value)),
  );
}
