import { emailFault, MAX_EMAIL } from './email-address.js';
import { alternatives, Fault, plural, unsafeText, withCheck, type Failure, type Read } from './fault.js';
import type { CheckOptions, Kind } from './kind.js';
import { isSafeText } from './safe-text.js';
import { INVISIBLE_NAME, isSteering, isVisible, STEERING_NAME } from './visible-text.js';
import { parseUrl } from './url-text.js';
import { parseUuid, uuidFault } from './uuid-text.js';

export interface TextOptions extends CheckOptions<string> {
  /** Lengths are in Unicode code points. */
  min?: number;
  max?: number;
  /** The pattern must take linear time. It may match anywhere in the text, unless it is anchored. */
  pattern?: RegExp;
  /** Surrounding white space is removed before all other checks. */
  trim?: boolean;
}

/** Free text. Numbers are not accepted as text. */
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

/** The name of something, as people choose it: 1 to 200 characters on one line, at least one of them visible. */
export function name({ trim, check }: Pick<TextOptions, 'trim' | 'check'> = {}): Kind<string> {
  const fault = (value: string): string | undefined => {
    if (isSteering(value)) return STEERING_NAME;
    return isVisible(value) ? check?.(value) : INVISIBLE_NAME;
  };
  return text({ min: 1, max: 200, trim, check: fault });
}

/** An e-mail address as it was sent, without surrounding white space. */
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

/** A UUID of any version, returned in lower case with hyphens. */
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

/** One of a fixed set of texts, compared exactly. */
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
  /** The allowed schemes, by default `http` and `https`. */
  schemes?: readonly string[];
  /** Allows every scheme except these, and replaces `schemes`. */
  refusedSchemes?: readonly string[];
  /** The maximum length in code points, by default 2083. */
  max?: number;
}

/** An absolute URL as it was sent. Refuses text that URL parsers would silently rewrite (white space, backslashes). */
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
