import { ExactNumber } from '../../../../platform/json/index.js';
import { UndecodableBody } from '../limits.js';
import type { Instant } from '../records.js';

/** A message of OTLP in JSON: a JSON object. */
export type JsonMessage = Readonly<Record<string, unknown>>;

const EMPTY: JsonMessage = {};

/** Returns the value as a message. Null and a missing value become an empty message. @throws UndecodableBody */
export function message(value: unknown): JsonMessage {
  if (value === undefined || value === null) return EMPTY;
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof ExactNumber) throw new UndecodableBody();
  return value as JsonMessage;
}

/** @throws UndecodableBody */
export function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new UndecodableBody();
  return value;
}

/** @throws UndecodableBody */
export function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new UndecodableBody();
  return value;
}

/** Reads an integer of 32 bits, or an enumeration, which OTLP writes as a number. @throws UndecodableBody */
export function integer(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw new UndecodableBody();
  return number;
}

const MAX_UINT64 = '18446744073709551615';
const MAX_KEPT_CHARACTERS = 100;
/** Number of digits of nanoseconds that are below a millisecond. */
const DIGITS_BELOW_MS = 6;

/**
 * Reads nanoseconds since 1970. A value that is no unsigned integer of 64 bits is returned as text, so that the event
 * can keep it.
 * @throws UndecodableBody when the value is neither text nor a number
 */
export function instant(value: unknown): Instant {
  const nanoseconds = digits(value);
  if (nanoseconds === '0') return undefined;
  if (!isUint64(nanoseconds)) return nanoseconds.slice(0, MAX_KEPT_CHARACTERS);
  return new Date(Number(nanoseconds.slice(0, -DIGITS_BELOW_MS)));
}

/**
 * Returns the nanoseconds between two times. Returns undefined when one is missing or invalid, or the end is before the
 * start.
 */
export function duration(start: unknown, end: unknown): number | undefined {
  const [from, to] = [digits(start), digits(end)];
  if (from === '0' || to === '0' || !isUint64(from) || !isUint64(to)) return undefined;
  const nanoseconds = Number(BigInt(to) - BigInt(from));
  return nanoseconds < 0 ? undefined : nanoseconds;
}

/**
 * Returns an id in lower case. An id is empty text when its length is wrong, it has only zeroes, or it is not
 * hexadecimal.
 */
export function id(value: unknown, bytes: number): string {
  const hexadecimal = text(value);
  if (hexadecimal.length !== 2 * bytes || !/^[0-9a-f]+$/i.test(hexadecimal)) return '';
  return /^0+$/.test(hexadecimal) ? '' : hexadecimal.toLowerCase();
}

/** Returns the digits of an integer without leading zeroes, or the text of any other value. @throws UndecodableBody */
function digits(value: unknown): string {
  if (value === undefined || value === null || value === '') return '0';
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : String(value);
  if (value instanceof ExactNumber) return value.canonical();
  return text(value).replace(/^0+(?=\d)/, '');
}

function isUint64(number: string): boolean {
  return (
    /^\d{1,20}$/.test(number) &&
    (number.length < MAX_UINT64.length || (number.length === MAX_UINT64.length && number <= MAX_UINT64))
  );
}
