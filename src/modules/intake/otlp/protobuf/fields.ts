import type protobuf from 'protobufjs/minimal.js';
import type { Instant } from '../records.js';

export type Reader = protobuf.Reader;

/** The wire types of protobuf that OTLP uses. */
export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH = 2;

/** Returns the tag of a field: its number and its wire type. */
export function tag(field: number, wireType: number): number {
  return field * 8 + wireType;
}

/** Reads the length of a message, and returns its end. @throws RangeError when the message exceeds the bytes */
export function endOfMessage(reader: Reader): number {
  const end = reader.size() + reader.pos;
  if (end > reader.len) throw new RangeError('a message exceeds its bytes');
  return end;
}

/** @throws RangeError when the last field exceeds its message */
export function checkEnd(reader: Reader, end: number): void {
  if (reader.pos !== end) throw new RangeError('a field exceeds its message');
}

/**
 * Skips a field that the caller does not read. A field with an unexpected wire type has another tag, so it is skipped
 * too.
 */
export function skipField(reader: Reader, next: number): void {
  reader.skipType(next & 7, 0, next >>> 3);
}

const NANOSECONDS_PER_MS = 1_000_000;
const HIGH = 2 ** 32;
const MS_OF_HIGH = Math.floor(HIGH / NANOSECONDS_PER_MS);
const NANOSECONDS_OF_HIGH = HIGH % NANOSECONDS_PER_MS;

/** Nanoseconds since 1970, as two halves of 32 bits, because a double cannot represent all of them. */
export interface Nanoseconds {
  readonly low: number;
  readonly high: number;
}

export const NOT_SET: Nanoseconds = { low: 0, high: 0 };

export function readNanoseconds(reader: Reader): Nanoseconds {
  const low = reader.fixed32();
  return { low, high: reader.fixed32() };
}

/** Returns the time, rounded down to milliseconds. Undefined for 0, which means that no time is set. */
export function instantOf({ low, high }: Nanoseconds): Instant {
  if (low === 0 && high === 0) return undefined;
  // The halves are converted separately, because a double cannot represent all nanoseconds. Every sum here is below
  // 2^53.
  return new Date(high * MS_OF_HIGH + Math.floor((high * NANOSECONDS_OF_HIGH + low) / NANOSECONDS_PER_MS));
}

/** Returns the nanoseconds between two times. Undefined when one is not set or the end is before the start. */
export function durationOf(start: Nanoseconds, end: Nanoseconds): number | undefined {
  if (!isSet(start) || !isSet(end)) return undefined;
  const duration = (end.high - start.high) * HIGH + (end.low - start.low);
  return duration < 0 ? undefined : duration;
}

function isSet({ low, high }: Nanoseconds): boolean {
  return low !== 0 || high !== 0;
}

/** Returns the id as hexadecimal digits, or empty text when its length is wrong or it has only zeroes. */
export function readId(reader: Reader, length: number): string {
  const bytes = reader.bytes();
  if (bytes.length !== length || bytes.every((byte) => byte === 0)) return '';
  return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('hex');
}
