import { domainError } from '../../../platform/http/domain-error.js';

export class TooManyEvents extends domainError(413, 'Request body has more than 1,000 events') {}

/** A line that is not blank. Line numbers start at 1 and count blank lines. */
export interface EventLine {
  readonly line: number;
  readonly bytes: Buffer;
}

const MOST_EVENTS = 1_000;
export const MOST_BYTES = 5 * 1024 * 1024;

const NEWLINE = 0x0a;
const BLANKS = new Set([0x09, 0x0d, 0x20]);

/** Splits newline-delimited JSON; a line feed ends a line, a carriage return before it is blank. @throws TooManyEvents */
export function splitLines(bytes: Buffer): EventLine[] {
  const lines: EventLine[] = [];
  let line = 0;
  for (let from = 0; from < bytes.length;) {
    const found = bytes.indexOf(NEWLINE, from);
    const end = found < 0 ? bytes.length : found;
    const text = trim(bytes, from, end);
    line += 1;
    if (text.length > 0) lines.push({ line, bytes: text });
    if (lines.length > MOST_EVENTS) throw new TooManyEvents();
    from = end + 1;
  }
  return lines;
}

function trim(bytes: Buffer, from: number, to: number): Buffer {
  let [start, end] = [from, to];
  while (start < end && BLANKS.has(bytes[start] ?? 0)) start += 1;
  while (end > start && BLANKS.has(bytes[end - 1] ?? 0)) end -= 1;
  return bytes.subarray(start, end);
}
