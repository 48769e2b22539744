import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseJsonBody, ValidationError } from '../../../platform/http/validation/index.js';
import { LARGE_BYTES } from '../../../platform/http/large-bodies.js';
import { splitLines, TooManyEvents } from '../../events/ingestion/index.js';
import { MAX_INTAKE_EVENTS } from './intake-limits.js';
import type { Reading } from './reading.js';

/** Bytes of lines that are parsed before the event loop is yielded to other requests. */
const BYTES_PER_TURN = 64 * 1024;

const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** One value of a body, or the reason why its line is no JSON. */
export type JsonItem = { readonly value: unknown } | { readonly refusal: string };

/**
 * Returns the items of a JSON list, or a single value as the only item. Newline-delimited JSON is read too, also when
 * its media type is that of JSON. Numbers keep all their digits.
 * @throws ValidationError when the body is no JSON, TooManyEvents
 */
export async function readItems(body: Buffer, reading: Pick<Reading, 'rest'>): Promise<JsonItem[]> {
  if (body.length === 0) return [];
  if (hasMoreItemsThan(body, MAX_INTAKE_EVENTS)) throw new TooManyEvents();
  const parsed = parseItem(body);
  await reading.rest();
  if ('value' in parsed)
    return Array.isArray(parsed.value) ? parsed.value.map((value: unknown) => ({ value })) : [parsed];
  const end = body.indexOf('\n');
  if (end < 0 || !('value' in parseItem(body.subarray(0, end)))) throw new ValidationError(parsed.issues);
  return readLines(body, reading);
}

/** Returns the values of newline-delimited JSON. @throws TooManyEvents */
export async function readLines(body: Buffer, reading: Pick<Reading, 'rest'>): Promise<JsonItem[]> {
  const items: JsonItem[] = [];
  let unbroken = 0;
  for (const { bytes } of splitLines(body)) {
    const parsed = parseItem(bytes);
    items.push('value' in parsed ? parsed : { refusal: `The line is no JSON: ${errorOf(parsed.issues)}` });
    if (bytes.length >= LARGE_BYTES) await reading.rest();
    unbroken += bytes.length;
    if (unbroken < BYTES_PER_TURN) continue;
    unbroken = 0;
    await nextTurn();
  }
  return items;
}

/** Returns the value of one JSON text. @throws ValidationError when it is no JSON */
export function readValue(text: Buffer): unknown {
  const parsed = parseItem(text);
  if ('value' in parsed) return parsed.value;
  throw new ValidationError(parsed.issues);
}

/** Parses one JSON text. Numbers keep all their digits. */
export function parseItem(text: Buffer): ReturnType<typeof parseJsonBody> {
  return parseJsonBody(text, { exactNumbers: true, exactMembers: true });
}

function errorOf(issues: readonly { readonly ctx?: Readonly<Record<string, unknown>> | undefined }[]): string {
  const error = issues[0]?.ctx?.error;
  return typeof error === 'string' ? error : 'Invalid JSON';
}

/**
 * Returns whether a JSON list has more than `most` items. Counts commas before anything is parsed, because a small item
 * takes far more memory than its text.
 */
function hasMoreItemsThan(json: Buffer, most: number): boolean {
  let [level, items] = [0, 1];
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      level += 1;
      if (level === 1 && byte === OPEN_OBJECT) return false;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) level -= 1;
    else if (byte === COMMA && level === 1) {
      items += 1;
      if (items > most) return true;
    }
  }
  return false;
}

function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
