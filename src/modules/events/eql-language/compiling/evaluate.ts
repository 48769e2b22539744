import { fold } from '../../../../platform/case-folding/index.js';
import { type FilterSubject, propertyAt } from '../../conditions/index.js';
import type { TextTest } from '../../long-reads/index.js';
import { instantOf, isDecimal, typeOf } from '../checking/static-types.js';
import type { Call, Comparison, Expression, Field, Literal, Match, OneOf } from '../language/ast.js';
import { CALCULATIONS, findFunction, foldedArguments, type FunctionDefinition } from '../values/functions.js';
import { Networks } from '../values/networks.js';
import { calculate } from '../values/numbers.js';
import { RegexPattern } from '../values/regex-pattern.js';
import { any, compare, isScalar, lifted, truthOf, type Value } from '../values/value.js';
import { Wildcards } from '../values/wildcards.js';

/** Counts the steps of an expression. Reading a character takes about one step. */
export interface Work {
  spend(steps: number): void;
  /**
   * Returns whether a text matches, and spends the steps of the test. The test may throw to interrupt the expression,
   * which is then evaluated again after a pause.
   */
  test(test: TextTest, text: string): boolean;
}

/**
 * Returns the value of an expression for a subject. The field `timestamp` of the subject is ISO 8601 text with
 * milliseconds and `Z`.
 */
export type Evaluate = (subject: FilterSubject, work: Work) => Value;
type Truth = boolean | null;

/** The steps of each part of an expression, in addition to the characters that it reads. */
const PLAIN_STEPS = 10;
/** A function call returns null when its text arguments together have more characters than this. */
const MAX_TEXT = 1_000_000;

/** Compiles a checked expression, once for all events. */
export function evaluatorOf(expression: Expression): Evaluate {
  switch (expression.type) {
    case 'literal':
      return () => expression.value;
    case 'field':
      return fieldReader(expression);
    case 'not': {
      const operand = evaluatorOf(expression.operand);
      return (subject, work) => {
        const truth = truthOf(operand(subject, work));
        return truth === null ? null : !truth;
      };
    }
    case 'and':
      return junction(expression.operands, false);
    case 'or':
      return junction(expression.operands, true);
    case 'compare':
      return comparison(expression);
    case 'in':
      return oneOf(expression);
    case 'match':
      return match(expression);
    case 'call':
      return call(expression);
    case 'negative': {
      const operand = evaluatorOf(expression.operand);
      return (subject, work) =>
        lifted(operand(subject, work), (value) => (typeof value === 'number' ? 0 - value : null));
    }
    case 'arithmetic': {
      const { op, left, right } = expression;
      return calculation(op, [left, right]);
    }
  }
}

const NO_SUBJECT: FilterSubject = { fields: {}, properties: {} };
const NO_WORK: Work = { spend: () => undefined, test: (test, text) => test.matches(text) };

/** Returns the value of an expression without fields. */
export function constantOf(expression: Expression): Value {
  return evaluatorOf(expression)(NO_SUBJECT, NO_WORK);
}

/** Returns a reader of a field of a subject. The reader returns null when the field is missing. */
export function fieldReader({ own, path }: Pick<Field, 'own' | 'path'>): (subject: FilterSubject) => Value {
  if (own !== null) return ({ fields }) => fields[own] ?? null;
  return ({ properties }) => propertyAt(properties, path) ?? null;
}

/**
 * Evaluates `and` or `or` in three-valued logic. An operand with the deciding value decides. Otherwise an unknown
 * operand makes the result unknown.
 */
function junction(operands: readonly Expression[], deciding: boolean): Evaluate {
  const parts = operands.map(evaluatorOf);
  return (subject, work) => {
    let result: Truth = !deciding;
    for (const part of parts) {
      const truth = truthOf(part(subject, work));
      if (truth === deciding) return deciding;
      if (truth === null) result = null;
    }
    return result;
  };
}

function isNullLiteral(expression: Expression): boolean {
  return expression.type === 'literal' && expression.value === null;
}

function comparison({ op, left, right }: Comparison): Evaluate {
  const isEquality = op === '==' || op === '!=';
  if (isEquality && (isNullLiteral(left) || isNullLiteral(right))) {
    const tested = evaluatorOf(isNullLiteral(right) ? left : right);
    return (subject, work) => (tested(subject, work) === null) === (op === '==');
  }
  const [one, other] = [evaluatorOf(left), evaluatorOf(right)];
  const read = [left, right].some((part) => typeOf(part) === 'time') ? instants : same;
  // A comparison of two optional fields treats them as equal when both are missing.
  const areOptional = isEquality && [left, right].every((part) => part.type === 'field' && part.isOptional);
  return (subject, work) => {
    const [a, b] = [read(one(subject, work)), read(other(subject, work))];
    work.spend(PLAIN_STEPS + sizeOf(a) + sizeOf(b));
    if (areOptional && a === null && b === null) return op === '==';
    return compare(op, a, b);
  };
}

function same(value: Value): Value {
  return value;
}

function instants(value: Value): Value {
  return lifted(value, (item) => (typeof item === 'string' ? instantOf(item) : null));
}

function oneOf({ operand, values, isNegated, isFolding }: OneOf): Evaluate {
  const evaluate = evaluatorOf(operand);
  const isTime = typeOf(operand) === 'time';
  const read = isTime ? instants : same;
  const wanted = values.map(({ value }) => (isFolding ? foldedValue(value) : isTime ? instants(value) : value));
  const known = new Set(wanted);
  const types = new Set(wanted.map((value) => (value === null ? 'null' : typeof value)));
  const ofOne = (value: Value): Truth => {
    if (!isScalar(value)) return null;
    if (known.has(value)) return true;
    return types.size === 1 && types.has(typeof value) ? false : null;
  };
  // A list matches when an element is one of the values. The result is false when the list has elements of all types of
  // the values, and otherwise null.
  const ofList = (items: readonly Value[]): Truth => {
    const scalars = items.filter(isScalar);
    if (scalars.some((item) => known.has(item))) return true;
    const there = new Set<string>(scalars.map((item) => typeof item));
    return [...types].every((type) => there.has(type)) ? false : null;
  };
  return (subject, work) => {
    const value = read(evaluate(subject, work));
    const compared = isFolding ? foldedValue(value) : value;
    work.spend(PLAIN_STEPS + sizeOf(value));
    const found = Array.isArray(compared) ? ofList(compared) : ofOne(compared);
    return found === null ? null : found !== isNegated;
  };
}

function foldedValue(value: Value): Value {
  return lifted(value, (item) => (typeof item === 'string' ? fold(item) : item));
}

function match({ kind, operand, patterns, isFolding }: Match): Evaluate {
  const evaluate = evaluatorOf(operand);
  const tests = patterns.map((pattern) => testOf(kind, pattern, isFolding));
  return (subject, work) => {
    const value = evaluate(subject, work);
    work.spend(PLAIN_STEPS + sizeOf(value));
    const ofOne = (one: Value): Truth => (typeof one === 'string' ? tests.some((test) => work.test(test, one)) : null);
    return Array.isArray(value) ? any(value as Value[], ofOne) : ofOne(value);
  };
}

function testOf(kind: Match['kind'], { value }: Literal, isFolding: boolean): TextTest {
  const source = String(value);
  if (kind !== 'regex') return new Wildcards(source, isFolding);
  const pattern = RegexPattern.read(source, isFolding);
  if (typeof pattern === 'string') throw new Error(`The pattern was not checked: ${pattern}`);
  return { steps: pattern.stepsOfCharacter, matches: (text) => pattern.matches(text) };
}

function call(expression: Call): Evaluate {
  const definition = findFunction(expression.name);
  if (definition === undefined) throw new Error(`There is no function ${expression.name}`);
  const { name, apply } = definition;
  if (Object.hasOwn(CALCULATIONS, name)) {
    return calculation(CALCULATIONS[name as keyof typeof CALCULATIONS], expression.args);
  }
  if (apply === undefined) return cidrMatch(expression.args);
  return overArguments(expression.args, (args) => {
    if (!fits(definition, args) || textsIn(args) > MAX_TEXT) return null;
    const given = [...args, ...definition.parameters.slice(args.length).map(() => null)];
    return apply(expression.isFolding ? foldedArguments(given) : given, given);
  });
}

/** Returns whether all required arguments are present, and all present arguments have their types. */
function fits({ parameters }: FunctionDefinition, args: readonly Value[]): boolean {
  return args.every((arg, at) => {
    const parameter = parameters[Math.min(at, parameters.length - 1)];
    if (arg === null) return parameter?.isOptional === true;
    switch (parameter?.type) {
      case 'text':
        return typeof arg === 'string';
      case 'number':
        return typeof arg === 'number';
      case 'boolean':
        return typeof arg === 'boolean';
      default:
        return isScalar(arg);
    }
  });
}

function cidrMatch([address, ...networks]: readonly Expression[]): Evaluate {
  const members = new Networks(networks.map((network) => String(constantOf(network))));
  return overArguments(address === undefined ? [] : [address], ([text]) =>
    typeof text === 'string' ? members.has(text) : null,
  );
}

function calculation(op: Parameters<typeof calculate>[0], operands: readonly Expression[]): Evaluate {
  const isPointed = operands.some(isDecimal);
  return overArguments(operands, ([left, right]) =>
    typeof left === 'number' && typeof right === 'number' ? calculate(op, left, right, isPointed) : null,
  );
}

/**
 * Applies a function to values. When one value is a list, the function is applied to each element. With two lists, the
 * result is null.
 */
function overArguments(expressions: readonly Expression[], apply: (args: readonly Value[]) => Value): Evaluate {
  const evaluators = expressions.map(evaluatorOf);
  return (subject, work) => {
    const args = evaluators.map((evaluate) => evaluate(subject, work));
    work.spend(PLAIN_STEPS + args.reduce((sum: number, arg) => sum + sizeOf(arg), 0));
    const list = args.findIndex((arg) => Array.isArray(arg));
    if (list < 0) return apply(args);
    if (args.some((arg, at) => at !== list && Array.isArray(arg))) return null;
    const items = args[list] as readonly Value[];
    const others = args.reduce((sum: number, arg, at) => (at === list ? sum : sum + sizeOf(arg)), 0);
    work.spend(items.length * (PLAIN_STEPS + others));
    return items.map((item) => (Array.isArray(item) ? null : apply(args.with(list, item))));
  };
}

function textsIn(args: readonly Value[]): number {
  return args.reduce((sum: number, arg) => sum + (typeof arg === 'string' ? arg.length : 0), 0);
}

/** Returns the maximum number of characters that reading the value takes. */
function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value)
    ? value.reduce((sum: number, item) => sum + 1 + (typeof item === 'string' ? item.length : 0), 0)
    : 1;
}
