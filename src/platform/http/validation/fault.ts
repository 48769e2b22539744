/** The rule that a value breaks. The names follow pydantic 2. */
export const FAULT_TYPES = [
  'missing',
  'model_attributes_type',
  'json_invalid',
  'string_type',
  'string_too_short',
  'string_too_long',
  'string_pattern_mismatch',
  'int_type',
  'int_parsing',
  'int_parsing_size',
  'int_from_float',
  'float_type',
  'float_parsing',
  'greater_than',
  'greater_than_equal',
  'less_than',
  'less_than_equal',
  'uuid_type',
  'uuid_parsing',
  'bool_type',
  'bool_parsing',
  'literal_error',
  'scalar_type',
  'date_type',
  'date_from_datetime_parsing',
  'date_from_datetime_inexact',
  'datetime_type',
  'datetime_parsing',
  'datetime_from_date_parsing',
  'url_type',
  'url_parsing',
  'url_scheme',
  'url_too_long',
  'list_type',
  'dict_type',
  'too_short',
  'too_long',
  'value_error',
] as const;
export type FaultType = (typeof FAULT_TYPES)[number];

/**
 * A refused value and the rule that it breaks. `input` is the raw value. It is cut and redacted when an issue is
 * created from the fault.
 */
export class Fault {
  constructor(
    readonly type: FaultType,
    readonly msg: string,
    readonly input: unknown,
    readonly ctx?: Record<string, unknown>,
  ) {}
}

/** The refused members of an object or list, in their order. */
export class Faults {
  constructor(readonly members: readonly FaultyMember[]) {}
}

export interface FaultyMember {
  readonly key: string | number;
  /** True when nothing inside this member may be returned to the caller. */
  readonly secret: boolean;
  readonly fault: Failure;
}

export type Failure = Fault | Faults;

/**
 * Converts a raw value, or returns a failure. `depth` is the number of containers around the value. Never throws for
 * JSON values.
 */
export type Read<T> = (value: unknown, depth: number) => T | Failure;

export function failed(result: unknown): result is Failure {
  return result instanceof Fault || result instanceof Faults;
}

/** The maximum nesting of containers, counted from the body or from a free-form field inside it. */
export const MAX_DEPTH = 64;

export const missing = (input: unknown): Fault => new Fault('missing', 'Field required', input);

export const ruleBroken = (sentence: string, input: unknown): Fault =>
  new Fault('value_error', `Value error, ${sentence}`, input, { error: {} });

export const unsafeText = (input: unknown): Fault =>
  ruleBroken('text must not contain NUL or unpaired surrogate characters', input);

export const notFinite = (input: unknown): Fault => ruleBroken('numbers must be finite', input);

export const tooManyDigits = (input: unknown): Fault =>
  ruleBroken('numbers must not have more than 1000 digits', input);

export const tooDeep = (input: unknown): Fault =>
  ruleBroken(`value must not be nested deeper than ${MAX_DEPTH} levels`, input);

/** Returns `'a'`, `'a' or 'b'`, or `'a', 'b' or 'c'`. */
export function alternatives(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A custom rule of a field. It returns a sentence to refuse the value, or undefined to accept it. */
export type Check<T> = (value: T) => string | undefined;

export function withCheck<T>(read: Read<T>, check: Check<T> | undefined): Read<T> {
  if (!check) return read;
  return (value, depth) => {
    const result = read(value, depth);
    if (failed(result)) return result;
    const sentence = check(result);
    return sentence === undefined ? result : ruleBroken(sentence, value);
  };
}
