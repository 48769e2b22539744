import type { Span } from './query-fault.js';

export type LiteralValue = null | boolean | number | string;

export interface Literal {
  readonly type: 'literal';
  readonly value: LiteralValue;
  /** A number with a point or an exponent; numbers without one divide to whole numbers. */
  readonly isDecimal: boolean;
  readonly span: Span;
}

export interface Field {
  readonly type: 'field';
  /** The service's own name of the field; null: it is the property at the path. */
  readonly own: string | null;
  /** Names and places in lists, outermost first. */
  readonly path: readonly string[];
  /** Written `?name`: it may be missing. */
  readonly isOptional: boolean;
  readonly span: Span;
}

export interface Call {
  readonly type: 'call';
  readonly name: string;
  /** Written `name~(…)`: case makes no difference. */
  readonly isFolding: boolean;
  readonly args: readonly Expression[];
  readonly nameSpan: Span;
  readonly span: Span;
}

export const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='] as const;
export type ComparisonOperator = (typeof COMPARISONS)[number];

export const ARITHMETIC = ['+', '-', '*', '/', '%'] as const;
export type ArithmeticOperator = (typeof ARITHMETIC)[number];

export interface Comparison {
  readonly type: 'compare';
  readonly op: ComparisonOperator;
  readonly left: Expression;
  readonly right: Expression;
  readonly span: Span;
}

export interface OneOf {
  readonly type: 'in';
  readonly operand: Expression;
  readonly values: readonly Literal[];
  readonly isNegated: boolean;
  readonly isFolding: boolean;
  readonly span: Span;
}

/** `:` and `like` take wildcards, `regex` a regular expression; any of the patterns will do. */
export interface Match {
  readonly type: 'match';
  readonly kind: ':' | 'like' | 'regex';
  readonly operand: Expression;
  readonly patterns: readonly Literal[];
  readonly isFolding: boolean;
  readonly span: Span;
}

export interface Arithmetic {
  readonly type: 'arithmetic';
  readonly op: ArithmeticOperator;
  readonly left: Expression;
  readonly right: Expression;
  readonly span: Span;
}

export interface Negative {
  readonly type: 'negative';
  readonly operand: Expression;
  readonly span: Span;
}

export interface Not {
  readonly type: 'not';
  readonly operand: Expression;
  readonly span: Span;
}

export interface Junction {
  readonly type: 'and' | 'or';
  readonly operands: readonly Expression[];
  readonly span: Span;
}

export type Expression = Literal | Field | Call | Comparison | OneOf | Match | Arithmetic | Negative | Not | Junction;

/** Which events: those of a category that fit a condition. */
export interface EventFilterNode {
  /** The event type; null: `any`. */
  readonly category: string | null;
  readonly condition: Expression;
  readonly span: Span;
}

export interface Term {
  readonly filter: EventFilterNode;
  readonly keys: readonly Field[];
  /** Written `![…]`: no such event. */
  readonly isMissing: boolean;
  readonly runs: number;
  readonly span: Span;
}

export const PIPES = ['head', 'tail'] as const;

export interface Pipe {
  readonly name: (typeof PIPES)[number];
  readonly count: number;
}

export interface EventQuery {
  readonly type: 'events';
  readonly filter: EventFilterNode;
  readonly pipes: readonly Pipe[];
}

export interface SequenceQuery {
  readonly type: 'sequence';
  /** Of every term, before its own. */
  readonly keys: readonly Field[];
  readonly maxspanMs: number | null;
  readonly terms: readonly Term[];
  readonly until: Term | null;
  readonly pipes: readonly Pipe[];
}

export interface SampleQuery {
  readonly type: 'sample';
  readonly keys: readonly Field[];
  readonly terms: readonly Term[];
}

export type Query = EventQuery | SequenceQuery | SampleQuery;

/** The parts of an expression that are expressions. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.type) {
    case 'literal':
    case 'field':
      return [];
    case 'call':
      return expression.args;
    case 'compare':
    case 'arithmetic':
      return [expression.left, expression.right];
    case 'in':
    case 'match':
    case 'negative':
    case 'not':
      return [expression.operand];
    case 'and':
    case 'or':
      return expression.operands;
  }
}

/** The fields of an expression, as often as it names them. */
export function fieldsIn(expression: Expression): Field[] {
  return expression.type === 'field' ? [expression] : partsOf(expression).flatMap(fieldsIn);
}
