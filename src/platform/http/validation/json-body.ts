import { isUtf8 } from 'node:buffer';
import { ExactNumber, parseExact } from '../../json/index.js';
import type { Issue } from './issue.js';
import { MAX_JSON_LEVELS, tooDeepAt } from './json-depth.js';
import { findJsonFault } from './json-fault.js';

const BYTE_ORDER_MARK = '\ufeff';
const MARK_BYTES = Buffer.from(BYTE_ORDER_MARK);

const TOO_DEEP = `Nested deeper than ${MAX_JSON_LEVELS} levels`;

/**
 * Returns the issue of a body that is not valid JSON. `position` is in characters, or in bytes when the body is not
 * valid UTF-8.
 */
export function jsonInvalid(position: number, error: string): Issue {
  return { type: 'json_invalid', loc: ['body', position], msg: 'JSON decode error', input: {}, ctx: { error } };
}

export interface JsonBodyOptions {
  /** Whether numbers inside of the top-level members keep all their digits, as an `ExactNumber`. */
  readonly exactNumbers?: boolean | undefined;
  /** Whether top-level members that are numbers keep all their digits too. */
  readonly exactMembers?: boolean | undefined;
}

/**
 * Decodes a JSON body: strict UTF-8, an optional byte order mark, no NaN or Infinity, at most MAX_JSON_LEVELS levels.
 * Returns `{ value: undefined }` for an empty body.
 */
export function parseJsonBody(
  buffer: Buffer,
  { exactNumbers = false, exactMembers = false }: JsonBodyOptions = {},
): { value: unknown } | { issues: Issue[] } {
  if (buffer.length === 0) return { value: undefined };
  if (!isUtf8(buffer)) return { issues: [jsonInvalid(invalidByte(buffer), 'Invalid UTF-8')] };
  const deep = tooDeepAt(buffer);
  if (deep !== null) return { issues: [jsonInvalid(charactersBefore(buffer, deep), TOO_DEEP)] };
  const decoded = buffer.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  try {
    if (!exactNumbers) return { value: JSON.parse(text) as unknown };
    const value = parseExact(text);
    return { value: exactMembers ? value : withPlainMembers(value) };
  } catch {
    const { position, error } = findJsonFault(text) ?? { position: 0, error: 'Invalid JSON' };
    return { issues: [jsonInvalid(position, error)] };
  }
}

/**
 * Converts top-level members that are exact numbers to plain numbers, which the kinds read. Values inside of the
 * members are free-form JSON and stay exact.
 */
function withPlainMembers(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.toNumber();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(members)) {
    if (member instanceof ExactNumber) members[name] = member.toNumber();
  }
  return members;
}

/** Returns the number of characters (code points) before a byte, without the byte order mark. */
function charactersBefore(buffer: Buffer, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) if (((buffer[at] ?? 0) & 0xc0) !== 0x80) count++;
  return buffer.subarray(0, 3).equals(MARK_BYTES) ? count - 1 : count;
}

// Searches in halves for the first invalid byte. A prefix is valid when it ends before that byte, unless its last
// character is cut.
function invalidByte(buffer: Buffer): number {
  let valid = 0;
  let beyond = buffer.length;
  while (beyond - valid > 4) {
    const middle = characterStart(buffer, (valid + beyond) >> 1, valid);
    if (middle === valid) break;
    if (isUtf8(buffer.subarray(valid, middle))) valid = middle;
    else beyond = middle;
  }
  let at = valid;
  while (at < beyond) {
    const length = [1, 2, 3, 4].find((size) => isUtf8(buffer.subarray(at, at + size)) && at + size <= buffer.length);
    if (length === undefined) return at;
    at += length;
  }
  return at;
}

// Returns the start of the character that contains the byte at `from`, but not a position before `limit`.
function characterStart(buffer: Buffer, from: number, limit: number): number {
  let at = from;
  while (at > limit && ((buffer[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}
