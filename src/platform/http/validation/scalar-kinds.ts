import { Fault, notFinite, withCheck, type Failure } from './fault.js';
import type { CheckOptions, Kind } from './kind.js';
import { parseIntegerText, parseNumberText } from './number-text.js';

export interface IntOptions extends CheckOptions<number> {
  min?: number;
  max?: number;
}

export interface NumberOptions extends IntOptions {
  /** The bounds are exclusive. */
  gt?: number;
  lt?: number;
}

/** A whole number within JavaScript's exact range. Accepts `"12"`, `12.0` and booleans as pydantic does. */
export function int(options: IntOptions = {}): Kind<number> {
  const read = (value: unknown): number | Failure => {
    if (typeof value === 'number') {
      if (Number.isInteger(value)) return whole(value, value, options);
      if (!Number.isFinite(value)) return notFinite(value);
      return new Fault('int_from_float', 'Input should be a valid integer, got a number with a fractional part', value);
    }
    if (typeof value === 'string') {
      const parsed = parseIntegerText(value);
      if (parsed !== undefined) return whole(parsed, value, options);
      return new Fault('int_parsing', 'Input should be a valid integer, unable to parse string as an integer', value);
    }
    if (typeof value === 'boolean') return whole(Number(value), value, options);
    return new Fault('int_type', 'Input should be a valid integer', value);
  };
  const document = { type: 'integer', minimum: options.min, maximum: options.max };
  return { document, build: () => withCheck(read, options.check) };
}

// Bounds are checked before the exact range, because numbers beyond the exact range are inexact but still ordered
// correctly.
function whole(parsed: number, input: unknown, bounds: IntOptions): number | Failure {
  const fault = boundsFault(parsed, input, bounds);
  if (fault) return fault;
  if (Number.isSafeInteger(parsed)) return parsed + 0;
  return new Fault('int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size', input);
}

/** A finite number. Accepts numeric text and booleans as pydantic does. */
export function number(options: NumberOptions = {}): Kind<number> {
  const read = (value: unknown): number | Failure => {
    const parsed = toNumber(value);
    if (typeof parsed !== 'number') return parsed;
    return Number.isFinite(parsed) ? (boundsFault(parsed, value, options) ?? parsed) : notFinite(value);
  };
  const { min, max, gt, lt, check } = options;
  const document = { type: 'number', minimum: min, maximum: max, exclusiveMinimum: gt, exclusiveMaximum: lt };
  return { document, build: () => withCheck(read, check) };
}

function toNumber(value: unknown): number | Failure {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return new Fault('float_type', 'Input should be a valid number', value);
  return (
    parseNumberText(value) ??
    new Fault('float_parsing', 'Input should be a valid number, unable to parse string as a number', value)
  );
}

function boundsFault(value: number, input: unknown, { min, max, gt, lt }: NumberOptions): Fault | undefined {
  if (min !== undefined && value < min) {
    return new Fault('greater_than_equal', `Input should be greater than or equal to ${min}`, input, { ge: min });
  }
  if (max !== undefined && value > max) {
    return new Fault('less_than_equal', `Input should be less than or equal to ${max}`, input, { le: max });
  }
  if (gt !== undefined && value <= gt) {
    return new Fault('greater_than', `Input should be greater than ${gt}`, input, { gt });
  }
  if (lt !== undefined && value >= lt) {
    return new Fault('less_than', `Input should be less than ${lt}`, input, { lt });
  }
  return undefined;
}

const BOOLEAN_TEXT: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'on', 'yes', 't', 'y'].map((word) => [word, true] as const),
  ...['false', '0', 'off', 'no', 'f', 'n'].map((word) => [word, false] as const),
]);

/** A boolean. Accepts 0, 1 and the words of {@link BOOLEAN_TEXT} in any case. */
export function boolean(options: CheckOptions<boolean> = {}): Kind<boolean> {
  const read = (value: unknown): boolean | Failure => {
    if (typeof value === 'boolean') return value;
    if (value === 1) return true;
    if (value === 0) return false;
    if (typeof value === 'string' && value.length <= 5) {
      const known = BOOLEAN_TEXT.get(value.toLowerCase());
      if (known !== undefined) return known;
    }
    if (typeof value === 'string' || Number.isInteger(value)) {
      return new Fault('bool_parsing', 'Input should be a valid boolean, unable to interpret input', value);
    }
    return new Fault('bool_type', 'Input should be a valid boolean', value);
  };
  return { document: { type: 'boolean' }, build: () => withCheck(read, options.check) };
}
