import { isUtf8 } from 'node:buffer';
import { ExactNumber, parseExact } from '../../json/index.js';
import type { Issue } from './issue.js';
import { MAX_JSON_LEVELS, tooDeepAt } from './json-depth.js';
import { findJsonFault } from './json-fault.js';

const BYTE_ORDER_MARK = '\ufeff';
const MARK_BYTES = Buffer.from(BYTE_ORDER_MARK);

const TOO_DEEP = `Nested deeper than ${MAX_JSON_LEVELS} levels`;

/** The issue of a body that is no JSON. `position` counts characters, or bytes where the bytes are not UTF-8. */
export function jsonInvalid(position: number, error: string): Issue {
  return { type: 'json_invalid', loc: ['body', position], msg: 'JSON decode error', input: {}, ctx: { error } };
}

export interface JsonBodyOptions {
  /** Numbers within the members keep all their digits, as an `ExactNumber`. */
  readonly exactNumbers?: boolean | undefined;
}

/**
 * Decodes a JSON body: strict UTF-8, a byte order mark tolerated, no NaN or Infinity, at most MAX_JSON_LEVELS levels.
 * `undefined` for no bytes at all.
 */
export function parseJsonBody(
  buffer: Buffer,
  { exactNumbers = false }: JsonBodyOptions = {},
): { value: unknown } | { issues: Issue[] } {
  if (buffer.length === 0) return { value: undefined };
  if (!isUtf8(buffer)) return { issues: [jsonInvalid(invalidByte(buffer), 'Invalid UTF-8')] };
  const deep = tooDeepAt(buffer);
  if (deep !== null) return { issues: [jsonInvalid(charactersBefore(buffer, deep), TOO_DEEP)] };
  const decoded = buffer.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  try {
    return { value: exactNumbers ? withPlainMembers(parseExact(text)) : (JSON.parse(text) as unknown) };
  } catch {
    const { position, error } = findJsonFault(text) ?? { position: 0, error: 'Invalid JSON' };
    return { issues: [jsonInvalid(position, error)] };
  }
}

/** The members themselves are read by kinds that take numbers; what is within them is free JSON. */
function withPlainMembers(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.toNumber();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(members)) {
    if (member instanceof ExactNumber) members[name] = member.toNumber();
  }
  return members;
}

/** Characters (code points) of the text before a byte, the byte order mark aside. */
function charactersBefore(buffer: Buffer, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) if (((buffer[at] ?? 0) & 0xc0) !== 0x80) count++;
  return buffer.subarray(0, 3).equals(MARK_BYTES) ? count - 1 : count;
}

// Halves the search: a prefix is valid when all before the fault is, give or take a character cut at its end.
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

// The start of the character that the byte at `from` belongs to, as far back as `limit`.
function characterStart(buffer: Buffer, from: number, limit: number): number {
  let at = from;
  while (at > limit && ((buffer[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}
