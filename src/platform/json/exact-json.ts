import { randomBytes } from 'node:crypto';
import { endOfString } from './json-text.js';

/**
 * The prefix of a string that represents an exact number while JSON is parsed or written. Each process chooses it at
 * random, so clients cannot send it.
 */
const MARK = randomBytes(16).toString('hex');
const MARKED_NUMBER = new RegExp(`"${MARK}([-.0-9]+)"`, 'g');
/** Set while `stringifyExact` runs, which is synchronous. */
let isMarking = false;
let hasMarked = false;

/** Matches every number with more than 15 digits, and possibly strings. A double can hold any 15 digits exactly. */
const MAY_BE_LONG = /(?:^|[:[,])\s*-?\d[\d.]{15}/;

const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

/** A number of a JSON text with more digits than a double can hold. */
export class ExactNumber {
  /** @param digits without an exponent */
  constructor(readonly digits: string) {}

  /** Only `stringifyExact` writes all digits. Any other caller gets the nearest double. */
  toJSON(): string | number {
    if (!isMarking) return this.toNumber();
    hasMarked = true;
    return MARK + this.digits;
  }

  toNumber(): number {
    return Number(this.digits);
  }

  toString(): string {
    return this.digits;
  }

  /** Returns the digits without trailing zeroes of the fraction, so that equal numbers have equal texts. */
  canonical(): string {
    const { digits } = this;
    if (!digits.includes('.')) return digits;
    let end = digits.length;
    while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
    return digits.slice(0, digits.charCodeAt(end - 1) === POINT ? end - 1 : end);
  }
}

/** Parses JSON like `JSON.parse`, with an {@link ExactNumber} where a double would lose digits. @throws SyntaxError */
export function parseExact(text: string): unknown {
  // Parses the text first, so that invalid JSON is refused before numbers are marked.
  const value: unknown = JSON.parse(text);
  if (!MAY_BE_LONG.test(text)) return value;
  const marked = withMarks(text);
  return marked === text ? value : JSON.parse(marked, revived);
}

/** Writes JSON like `JSON.stringify`, with all digits of exact numbers. @param space as in `JSON.stringify` */
export function stringifyExact(value: unknown, space?: number): string {
  isMarking = true;
  try {
    const json = JSON.stringify(value, null, space);
    return takeHasMarked() ? json.replace(MARKED_NUMBER, '$1') : json;
  } finally {
    isMarking = false;
  }
}

function takeHasMarked(): boolean {
  const had = hasMarked;
  hasMarked = false;
  return had;
}

/** Returns a value for calculations. Exact numbers are replaced by doubles, also in a list. */
export function withDoubles(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.toNumber();
  if (!Array.isArray(value) || !value.some((item) => item instanceof ExactNumber)) return value;
  return value.map((item: unknown) => (item instanceof ExactNumber ? item.toNumber() : item));
}

/**
 * Returns all digits of a number, without an exponent. The text is the same for equal numbers. PostgreSQL prints the
 * same text, apart from trailing zeroes of the fraction.
 */
export function canonicalDigits(number: number | ExactNumber): string {
  return number instanceof ExactNumber ? number.canonical() : withoutExponent(String(number + 0));
}

function revived(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value;
}

/** Returns the JSON text with marked strings in place of the numbers that a double cannot hold. */
function withMarks(json: string): string {
  let marked = '';
  let done = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === MINUS || isDigit(code)) {
      let end = at + 1;
      while (isOfNumber(json.charCodeAt(end))) end += 1;
      const digits = exactDigits(json.slice(at, end));
      if (digits !== null) {
        marked += `${json.slice(done, at)}"${MARK}${digits}"`;
        done = end;
      }
      at = end - 1;
    }
  }
  return marked + json.slice(done);
}

/**
 * Returns all digits of a number. Returns null when a double can hold them, and when the number is outside the range of
 * a double.
 */
function exactDigits(number: string): string | null {
  if (number.length < 16) return null;
  const double = Number(number);
  if (double === 0 || !Number.isFinite(double)) return null;
  const digits = withoutExponent(number);
  const held = withoutExponent(String(double));
  return new ExactNumber(digits).canonical() === new ExactNumber(held).canonical() ? null : digits;
}

/**
 * Returns a number without an exponent. The result has at most a few hundred digits more than the input, because the
 * value is in the range of a double.
 */
function withoutExponent(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (exponent === undefined) return number;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const padded = point > 0 ? digits.padEnd(point, '0') : '0'.repeat(1 - point) + digits;
  const at = Math.max(point, 1);
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '');
  return `${sign}${integer}${padded.length > at ? `.${padded.slice(at)}` : ''}`;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isOfNumber(code: number): boolean {
  // These are the letter of an exponent and its sign.
  return isDigit(code) || code === POINT || code === MINUS || (code | 0x20) === 0x65 || code === 0x2b;
}
