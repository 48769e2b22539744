import { emailFault, MAX_EMAIL } from './email-address.js';
import { alternatives, Fault, plural, unsafeText, withCheck, type Failure, type Read } from './fault.js';
import type { CheckOptions, Kind } from './kind.js';
import { isSafeText } from './safe-text.js';
import { INVISIBLE_NAME, isSteering, isVisible, STEERING_NAME } from './visible-text.js';
import { parseUrl } from './url-text.js';
import { parseUuid, uuidFault } from './uuid-text.js';

export interface TextOptions extends CheckOptions<string> {
  /** Lengths count Unicode code points. */
  min?: number;
  max?: number;
  /** Must match in linear time; found anywhere in the text unless anchored. */
  pattern?: RegExp;
  /** White space around is taken off before anything else is checked. */
  trim?: boolean;
}

/** Free text; numbers are not taken for text. */
export function text(options: TextOptions = {}): Kind<string> {
  const { min = 0, max, pattern, trim = false, check } = options;
  if (pattern && (pattern.global || pattern.sticky)) throw new Error('A text pattern cannot be global or sticky');
  const read = (value: unknown): string | Failure => {
    if (typeof value !== 'string') return stringExpected(value);
    const body = trim ? value.trim() : value;
    if (!isSafeText(body)) return unsafeText(value);
    if (min > 0 && body.length < min * 2 && codePoints(body) < min) {
      const msg = `String should have at least ${plural(min, 'character')}`;
      return new Fault('string_too_short', msg, value, { min_length: min });
    }
    if (max !== undefined && body.length > max && codePoints(body) > max) {
      const msg = `String should have at most ${plural(max, 'character')}`;
      return new Fault('string_too_long', msg, value, { max_length: max });
    }
    if (pattern && !pattern.test(body)) {
      const msg = `String should match pattern '${pattern.source}'`;
      return new Fault('string_pattern_mismatch', msg, value, { pattern: pattern.source });
    }
    return body;
  };
  const document = { type: 'string', ...(min > 0 && { minLength: min }), maxLength: max, pattern: pattern?.source };
  return { document, build: () => withCheck(read, check) };
}

/** The name of something, as people give it: 1 to 200 characters on one line, of which one can be seen. */
export function name({ trim, check }: Pick<TextOptions, 'trim' | 'check'> = {}): Kind<string> {
  const fault = (value: string): string | undefined => {
    if (isSteering(value)) return STEERING_NAME;
    return isVisible(value) ? check?.(value) : INVISIBLE_NAME;
  };
  return text({ min: 1, max: 200, trim, check: fault });
}

/** An e-mail address as given, without white space around it. */
export function email(options: CheckOptions<string> = {}): Kind<string> {
  const read = (value: unknown): string | Failure => {
    if (typeof value !== 'string') return stringExpected(value);
    const address = value.trim();
    const reason = emailFault(address);
    if (reason === undefined) return address;
    return new Fault('value_error', `value is not a valid email address: ${reason}`, value, { reason });
  };
  const document = { type: 'string', format: 'email', maxLength: MAX_EMAIL };
  return { document, build: () => withCheck(read, options.check) };
}

/** A UUID of any version, given out in lower case with hyphens. */
export function uuid(options: CheckOptions<string> = {}): Kind<string> {
  const read = (value: unknown): string | Failure => {
    if (typeof value !== 'string')
      return new Fault('uuid_type', 'UUID input should be a string, bytes or UUID object', value);
    const parsed = parseUuid(value);
    if (parsed !== null) return parsed;
    const error = uuidFault(value);
    return new Fault('uuid_parsing', `Input should be a valid UUID, ${error}`, value, { error });
  };
  return { document: { type: 'string', format: 'uuid' }, build: () => withCheck(read, options.check) };
}

/** One of fixed texts, compared exactly. */
export function enumOf<T extends string>(values: readonly T[], options: CheckOptions<T> = {}): Kind<T> {
  if (values.length === 0) throw new Error('An enumeration needs values');
  const known: ReadonlySet<unknown> = new Set(values);
  const isKnown = (value: unknown): value is T => known.has(value);
  const expected = alternatives(values);
  const read: Read<T> = (value) =>
    isKnown(value) ? value : new Fault('literal_error', `Input should be ${expected}`, value, { expected });
  return { document: { type: 'string', enum: [...values] }, build: () => withCheck(read, options.check) };
}

export interface UrlOptions extends CheckOptions<string> {
  /** Allowed schemes; `http` and `https` unless said otherwise. */
  schemes?: readonly string[];
  /** Any scheme but these, in place of `schemes`. */
  refusedSchemes?: readonly string[];
  /** In code points; 2083 unless said otherwise. */
  max?: number;
}

/** An absolute URL as given; text that URL parsers would rewrite in silence (white space, backslashes) is refused. */
export function url(options: UrlOptions = {}): Kind<string> {
  const { schemes = ['http', 'https'], refusedSchemes, max = 2083, check } = options;
  const expected = refusedSchemes ? `any but ${alternatives(refusedSchemes)}` : alternatives(schemes);
  const isTaken = (scheme: string): boolean =>
    refusedSchemes ? !refusedSchemes.includes(scheme) : schemes.includes(scheme);
  const read = (value: unknown): string | Failure => {
    if (typeof value !== 'string') return new Fault('url_type', 'URL input should be a string or URL', value);
    if (value.length > max && codePoints(value) > max) {
      return new Fault('url_too_long', `URL should have at most ${plural(max, 'character')}`, value, {
        max_length: max,
      });
    }
    if (!isSafeText(value)) return unsafeText(value);
    const parsed = parseUrl(value);
    if ('error' in parsed)
      return new Fault('url_parsing', `Input should be a valid URL, ${parsed.error}`, value, parsed);
    if (isTaken(parsed.scheme)) return value;
    return new Fault('url_scheme', `URL scheme should be ${expected}`, value, { expected_schemes: expected });
  };
  const document = { type: 'string', format: 'uri', minLength: 1, maxLength: max };
  return { document, build: () => withCheck(read, check) };
}

function stringExpected(value: unknown): Fault {
  return new Fault('string_type', 'Input should be a valid string', value);
}

function codePoints(body: string): number {
  let count = body.length;
  for (let at = 0; at + 1 < body.length; at++) {
    const code = body.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff) {
      count--;
      at++;
    }
  }
  return count;
}
