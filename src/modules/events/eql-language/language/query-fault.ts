/** A part of a query, in UTF-16 units. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

export type FaultCode = 'syntax' | 'semantics' | 'limit';

interface Help {
  /** What would have been understood here. */
  readonly expected?: readonly string[];
  readonly hint?: string | null;
}

/** How many of the things are told that would have been understood. */
const MOST_EXPECTED = 10;

/** Why a text is no query, and which part of it (DECISIONS 17, Faults). */
export class QueryFault extends Error {
  readonly expected: readonly string[];
  readonly hint: string | null;

  constructor(
    readonly code: FaultCode,
    readonly span: Span,
    sentence: string,
    { expected = [], hint = null }: Help = {},
  ) {
    super(sentence);
    this.expected = expected.slice(0, MOST_EXPECTED);
    this.hint = hint;
  }
}

/** Where something begins and how long it is, in code points; lines and columns count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Lines end with a line feed. */
export function positionOf(text: string, { offset, length }: Span): TextPosition {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1;
  return { line, column, length: [...text.slice(offset, offset + length)].length };
}

/** From the beginning of one part to the end of another. */
export function spanBetween(first: Span, last: Span): Span {
  return { offset: first.offset, length: last.offset + last.length - first.offset };
}
