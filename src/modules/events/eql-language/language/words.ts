import type { ArithmeticOperator, ComparisonOperator } from './ast.js';

/** Words that name a field only after a dot or between backticks. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  ...['and', 'any', 'by', 'false', 'in', 'join', 'like', 'not', 'null', 'of', 'or', 'regex', 'sample', 'sequence'],
  ...['true', 'until', 'where', 'with'],
]);

/** The operators between a value and its patterns. */
export const PATTERN_WORDS = {
  like: { kind: 'like', isFolding: false },
  'like~': { kind: 'like', isFolding: true },
  regex: { kind: 'regex', isFolding: false },
  'regex~': { kind: 'regex', isFolding: true },
} as const;
export type PatternWord = keyof typeof PATTERN_WORDS;

/** The operators between a value and a list. */
export const LIST_WORDS = { in: { isFolding: false }, 'in~': { isFolding: true } } as const;
export type ListWord = keyof typeof LIST_WORDS;

/** Every operator, as queries write it. */
export type OperatorSign =
  ComparisonOperator | ArithmeticOperator | PatternWord | ListWord | ':' | `not ${ListWord}` | 'and' | 'or' | 'not';

export function isPatternWord(word: string): word is PatternWord {
  return Object.hasOwn(PATTERN_WORDS, word);
}

export function isListWord(word: string): word is ListWord {
  return Object.hasOwn(LIST_WORDS, word);
}
