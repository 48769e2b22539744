import { ValidationError } from '../../../platform/http/validation/index.js';
import { endOfString } from '../../../platform/json/index.js';

/**
 * The maximum size of an event as reads return it, as a multiple of `MAX_BODY_BYTES`. Only numbers such as 1e308 grow
 * that much.
 */
export const MOST_GROWTH = 2;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const EXPONENT = 0x65;
const MINUS = 0x2d;
const POINT = 0x2e;

/**
 * Returns the bytes of a JSON text as PostgreSQL prints it from `jsonb`: with a blank after each comma and colon, and
 * every number with all its digits.
 * @param json as `JSON.stringify` writes it
 */
export function writtenSize(json: string): number {
  let size = Buffer.byteLength(json);
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case COMMA:
      case COLON:
        size += 1;
        break;
      case EXPONENT:
        // An `e` after a letter is the last letter of true or false, not an exponent.
        if (json.charCodeAt(at - 1) < 0x61) size += growthOfNumber(json, at);
    }
  }
  return size;
}

/**
 * Checks the size of an event.
 * @throws ValidationError when the event takes more than `most` bytes in storage; the error does not repeat its content
 */
export function checkWrittenSize(bytes: number, most: number): void {
  if (bytes <= most) return;
  const msg = `Value error, the event takes more than ${most} bytes written out, where each number has all its digits`;
  throw new ValidationError([{ type: 'value_error', loc: ['body'], msg, input: null, ctx: { error: {} } }]);
}

/** Returns how many bytes longer a number is without its exponent. @param exponentAt the index of the letter `e` */
function growthOfNumber(json: string, exponentAt: number): number {
  let [start, end, digits] = [exponentAt, exponentAt + 2, 0];
  for (let before = json.charCodeAt(start - 1); isOfMantissa(before); before = json.charCodeAt(start - 1)) {
    start -= 1;
    if (isDigit(before)) digits += 1;
  }
  while (isDigit(json.charCodeAt(end))) end += 1;
  const sign = json.charCodeAt(start) === MINUS ? 1 : 0;
  const exponent = Number(json.slice(exponentAt + 1, end));
  // All digits of 1.5e+21 stand before the decimal point; all of 1.5e-7 but one zero stand after the point.
  const length = exponent > 0 ? sign + Math.max(exponent + 1, digits) : sign + 2 - exponent + digits - 1;
  return length - (end - start);
}

function isOfMantissa(code: number): boolean {
  return isDigit(code) || code === POINT || code === MINUS;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
