import { ExactNumber } from '../../../platform/json/index.js';
import { MAX_JSON_MEMBER_LEVELS } from './intake-limits.js';

const ELLIPSIS = '…';

const MAX_DIGITS = 1_000;

/** Returns text that PostgreSQL can store: NUL characters and unpaired surrogates become the replacement character. */
export function storableText(text: string): string {
  return (text.includes('\u0000') ? text.replaceAll('\u0000', '\ufffd') : text).toWellFormed();
}

/** Returns the text with at most `max` code points. A text that was cut ends with an ellipsis. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  let [end, kept] = [0, 0];
  for (let count = 0; count < max && end < text.length; count += 1) {
    kept = end;
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end === text.length ? text : text.slice(0, kept) + ELLIPSIS;
}

/** Returns the text with at most `max` bytes of UTF-8. A text that was cut ends with an ellipsis, which counts too. */
export function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let end = max - Buffer.byteLength(ELLIPSIS);
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + ELLIPSIS;
}

/**
 * Returns a JSON value that can be stored. Text is made storable, a number that is not finite becomes text, and a list
 * or object beyond the maximum level becomes an ellipsis. If nothing has to change, the same object is returned.
 * @param level the level of `value`; the payload itself is at level 1
 */
export function fitJson(value: unknown, level: number): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof ExactNumber) return fitNumber(value);
  if (level > MAX_JSON_MEMBER_LEVELS) return ELLIPSIS;
  return Array.isArray(value) ? fitList(value, level) : fitMembers(value as Record<string, unknown>, level);
}

/** A number of more than 1,000 digits becomes the nearest double, or text beyond the range of doubles. */
function fitNumber(value: ExactNumber): unknown {
  if (value.digits.length <= MAX_DIGITS) return value;
  const double = value.toNumber();
  return Number.isFinite(double) ? double : String(double);
}

function fitList(list: readonly unknown[], level: number): readonly unknown[] {
  let fitted: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const fit = fitJson(item, level + 1);
    if (fit !== item) (fitted ??= [...list])[index] = fit;
  }
  return fitted ?? list;
}

function fitMembers(members: Record<string, unknown>, level: number): Record<string, unknown> {
  let fitted: Record<string, unknown> | undefined;
  const names = Object.keys(members);
  for (const [index, name] of names.entries()) {
    const value = members[name];
    const fitName = storableText(name);
    const fit = fitJson(value, level + 1);
    if (fitted === undefined && (fitName !== name || fit !== value)) {
      fitted = {};
      for (const before of names.slice(0, index)) setMember(fitted, before, members[before]);
    }
    if (fitted !== undefined) setMember(fitted, fitName, fit);
  }
  return fitted ?? members;
}

/** Sets a member, also one called `__proto__`, which an assignment would take for the prototype. */
export function setMember(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}
