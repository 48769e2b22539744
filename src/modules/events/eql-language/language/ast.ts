import type { Span } from './query-fault.js';

export type LiteralValue = null | boolean | number | string;

export interface Literal {
  readonly type: 'literal';
  readonly value: LiteralValue;
  /** Whether the value is a number with a point or an exponent. Numbers without one divide to whole numbers. */
  readonly isDecimal: boolean;
  readonly span: Span;
}

export interface Field {
  readonly type: 'field';
  /** The name of a field of the service. Null when the field is the property at the path. */
  readonly own: string | null;
  /** Names of members and indexes in lists, outermost first. */
  readonly path: readonly string[];
  /** Whether the field is written `?name` and may be missing. */
  readonly isOptional: boolean;
  readonly span: Span;
}

export interface Call {
  readonly type: 'call';
  readonly name: string;
  /** Whether the call is written `name~(…)` and ignores case. */
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

/**
 * A match of a value with any of the patterns. `:` and `like` take wildcards, and `regex` takes regular expressions.
 */
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

/** Selects the events of a category that match a condition. */
export interface EventFilterNode {
  /** The event type, or null for `any`. */
  readonly category: string | null;
  readonly condition: Expression;
  readonly span: Span;
}

export interface Term {
  readonly filter: EventFilterNode;
  readonly keys: readonly Field[];
  /** Whether the term is written `![…]`: such an event must be missing. */
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
  /** The keys that every term has, before its own keys. */
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

/** Returns the direct parts of an expression that are expressions themselves. */
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

/** Returns the fields of an expression, each as often as the expression names it. */
export function fieldsIn(expression: Expression): Field[] {
  return expression.type === 'field' ? [expression] : partsOf(expression).flatMap(fieldsIn);
}
