import type { Call, Comparison, Expression, Literal, Match, OneOf, Query } from '../language/ast.js';
import { partsOf } from '../language/ast.js';
import { QUERY_LIMITS } from '../language/limits.js';
import { nearestName } from '../language/nearest.js';
import { QueryFault, type Span } from '../language/query-fault.js';
import { type FunctionDefinition, findFunction, FUNCTIONS, type Parameter } from '../values/functions.js';
import { isNetwork } from '../values/networks.js';
import { RegexPattern } from '../values/regex-pattern.js';
import { instantOf, type StaticType, typeOf } from './static-types.js';

const NAMES: Readonly<Record<StaticType, string>> = {
  text: 'text',
  number: 'a number',
  boolean: 'true or false',
  time: 'a time',
  null: 'null',
  any: 'anything',
};

/**
 * Checks a query for faults that can be found without events, such as wrong types, functions and patterns.
 * @throws QueryFault
 */
export function checkQuery(query: Query): void {
  const checker = new Checker();
  if (query.type === 'events') return checker.condition(query.filter.condition);
  for (const { filter } of query.terms) checker.condition(filter.condition);
  if (query.type === 'sequence' && query.until !== null) checker.condition(query.until.filter.condition);
}

/** @throws QueryFault */
export function checkCondition(condition: Expression): void {
  new Checker().condition(condition);
}

class Checker {
  private regexSteps = 0;

  condition(expression: Expression): void {
    this.expect(expression, 'boolean', 'a condition is true or false');
    this.expression(expression);
  }

  private expression(expression: Expression): void {
    switch (expression.type) {
      case 'not':
      case 'and':
      case 'or':
        for (const part of partsOf(expression))
          this.expect(part, 'boolean', `${expression.type} takes what is true or false`);
        break;
      case 'negative':
      case 'arithmetic':
        for (const part of partsOf(expression)) this.expect(part, 'number', 'numbers are calculated with');
        break;
      case 'compare':
        this.comparison(expression);
        break;
      case 'in':
        this.oneOf(expression);
        break;
      case 'match':
        this.match(expression);
        break;
      case 'call':
        this.call(expression);
        break;
      case 'literal':
      case 'field':
        break;
    }
    for (const part of partsOf(expression)) this.expression(part);
  }

  private expect(expression: Expression, wanted: StaticType, sentence: string): void {
    const type = typeOf(expression);
    if (type === wanted || type === 'any' || type === 'null') return;
    throw new QueryFault('semantics', expression.span, `${sentence}, and this is ${NAMES[type]}`);
  }

  private comparison({ op, left, right, span }: Comparison): void {
    this.comparable(left, right, right.span);
    const isOrdered = op !== '==' && op !== '!=';
    if (!isOrdered) return;
    for (const part of [left, right]) {
      if (typeOf(part) === 'boolean') {
        throw new QueryFault('semantics', span, `${op} compares numbers, texts and times`, { hint: 'use == or !=' });
      }
    }
  }

  /** Refuses a comparison of types that are never equal. Null can be compared with every type. */
  private comparable(left: Expression, right: Expression, span: Span): void {
    const [one, other] = [typeOf(left), typeOf(right)];
    if (one === 'time' || other === 'time') {
      for (const part of [left, right]) this.time(part);
      if ([one, other].every((type) => ['time', 'text', 'null', 'any'].includes(type))) return;
    }
    if (one === other || [one, other].some((type) => type === 'any' || type === 'null')) return;
    throw new QueryFault('semantics', span, `${NAMES[one]} is never compared with ${NAMES[other]}`);
  }

  private time(expression: Expression): void {
    if (expression.type !== 'literal' || typeof expression.value !== 'string') return;
    if (instantOf(expression.value) === null) {
      throw new QueryFault('semantics', expression.span, 'this is no time', {
        hint: 'write it as 2026-01-31T12:00:00Z',
      });
    }
  }

  private oneOf({ operand, values, isFolding }: OneOf): void {
    if (isFolding) this.expect(operand, 'text', 'in~ compares texts');
    for (const value of values) {
      this.comparable(operand, value, value.span);
      if (isFolding) this.text(value, 'in~');
    }
  }

  private match({ kind, isFolding, operand, patterns }: Match): void {
    const name = kind === ':' || !isFolding ? kind : `${kind}~`;
    this.expect(operand, 'text', `${name} compares texts`);
    for (const pattern of patterns) {
      const text = this.text(pattern, name);
      if (text.length > QUERY_LIMITS.pattern_characters) {
        throw new QueryFault(
          'limit',
          pattern.span,
          `patterns have at most ${QUERY_LIMITS.pattern_characters} characters`,
        );
      }
      if (kind === 'regex') this.regex(text, isFolding, pattern.span);
    }
  }

  private regex(source: string, isFolding: boolean, span: Span): void {
    const read = RegexPattern.read(source, isFolding);
    if (typeof read === 'string') throw new QueryFault('semantics', span, `the pattern cannot be used: ${read}`);
    this.regexSteps += read.stepsOfCharacter;
    if (this.regexSteps > QUERY_LIMITS.regex_steps) {
      throw new QueryFault('limit', span, 'the regular expressions of a query are too large together', {
        hint: 'use fewer, repeat less, or take like with wildcards',
      });
    }
  }

  private text({ value, span }: Literal, name: string): string {
    if (typeof value === 'string') return value;
    throw new QueryFault('semantics', span, `${name} compares texts, and this is ${NAMES[typeOfValue(value)]}`, {
      hint: 'use ==, or string(…) on the left',
    });
  }

  private call(call: Call): void {
    const definition = findFunction(call.name);
    if (definition === undefined) {
      const nearest = nearestName(
        call.name,
        FUNCTIONS.map(({ name }) => name),
      );
      throw new QueryFault('semantics', call.nameSpan, `there is no function ${call.name}`, {
        hint: nearest === null ? null : `did you mean ${nearest}?`,
      });
    }
    if (call.isFolding && !definition.hasFoldingForm) {
      throw new QueryFault('semantics', call.nameSpan, `${definition.name} has no form with ~`);
    }
    this.argumentCount(call, definition);
    for (const [at, arg] of call.args.entries()) this.argument(definition, at, arg);
  }

  private argumentCount({ args, nameSpan }: Call, { name, parameters }: FunctionDefinition): void {
    const least = parameters.filter(({ isOptional }) => isOptional !== true).length;
    const most = parameters.some(({ isVariadic }) => isVariadic === true) ? Infinity : parameters.length;
    if (args.length >= least && args.length <= most) return;
    const wanted = most === Infinity ? `${least} or more` : least === most ? String(least) : `${least} to ${most}`;
    throw new QueryFault('semantics', nameSpan, `${name} takes ${wanted} values, not ${args.length}`, {
      hint: signatureOf(name, parameters),
    });
  }

  private argument({ name, parameters }: FunctionDefinition, at: number, arg: Expression): void {
    const parameter = parameters[Math.min(at, parameters.length - 1)];
    if (parameter === undefined || parameter.type === 'any') return;
    if (parameter.type === 'network') return this.network(arg);
    const type = typeOf(arg);
    if (type === parameter.type || type === 'any' || type === 'null') return;
    throw new QueryFault(
      'semantics',
      arg.span,
      `${parameter.name} of ${name} is ${NAMES[parameter.type]}, and this is ${NAMES[type]}`,
      {
        hint: signatureOf(name, parameters),
      },
    );
  }

  private network(arg: Expression): void {
    if (arg.type === 'literal' && typeof arg.value === 'string' && isNetwork(arg.value)) return;
    throw new QueryFault('semantics', arg.span, 'this is no network', {
      hint: 'write it as "10.0.0.0/8" or "fd00::/8"',
    });
  }
}

function typeOfValue(value: Literal['value']): StaticType {
  if (value === null) return 'null';
  return typeof value === 'number' ? 'number' : typeof value === 'string' ? 'text' : 'boolean';
}

function signatureOf(name: string, parameters: readonly Parameter[]): string {
  const written = parameters.map(({ name, isOptional, isVariadic }) =>
    isVariadic === true ? `${name}, …` : isOptional === true ? `[${name}]` : name,
  );
  return `${name}(${written.join(', ')})`;
}
