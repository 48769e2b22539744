/** A part of a query. Offset and length count UTF-16 units. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

export type FaultCode = 'syntax' | 'semantics' | 'limit';

interface Help {
  /** The tokens that the parser expected at the fault. */
  readonly expected?: readonly string[];
  readonly hint?: string | null;
}

/** A fault lists at most this many expected tokens. */
const MOST_EXPECTED = 10;

/** A fault in a query: the reason as a sentence, and the part of the text that is at fault. */
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

/** The position and length of a part of a text, in code points. Lines and columns count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Returns the position of a part of a text. Lines end with a line feed. */
export function positionOf(text: string, { offset, length }: Span): TextPosition {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1;
  return { line, column, length: [...text.slice(offset, offset + length)].length };
}

/** Returns the span from the beginning of the first part to the end of the last one. */
export function spanBetween(first: Span, last: Span): Span {
  return { offset: first.offset, length: last.offset + last.length - first.offset };
}
