import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_TIMESTAMP = 2 ** 48 - 1;

/**
 * Number of random bytes of an id. Random bytes are read from the system for many ids at once, because one read for
 * each id would cost 20 times as much as the rest.
 */
const RANDOM_BYTES = 16;
const pool = new Uint8Array(RANDOM_BYTES * 256);
const made = Buffer.alloc(RANDOM_BYTES);
let taken = pool.length;
let lastMs = 0;
let sequence = 0;

/**
 * Returns a new UUIDv7 in lower case. Within a process each id sorts after the previous one, even when the host clock
 * steps back.
 */
export function newId(): string {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  const random = pool.subarray(taken, taken + RANDOM_BYTES);
  taken += RANDOM_BYTES;
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // The sequence starts with a random number of 31 bits, so that at least 2^31 more ids fit into the same
    // millisecond.
    sequence =
      (((random[6] ?? 0) & 0x7f) << 24) | ((random[7] ?? 0) << 16) | ((random[8] ?? 0) << 8) | (random[9] ?? 0);
  } else {
    sequence = (sequence + 1) | 0;
    if (sequence === 0) lastMs += 1;
  }
  v7({ random, msecs: lastMs, seq: sequence }, made);
  // Slicing one string is cheaper than the library's formatting, which makes a string for each byte.
  const hex = made.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * Returns a random UUIDv7 with the given time (Unix milliseconds, truncated to an integer). Such ids are not monotonic.
 */
export function uuidV7At(ms: number): string {
  const msecs = Math.trunc(ms);
  if (!(msecs >= 0 && msecs <= MAX_TIMESTAMP)) throw new RangeError('Time outside what a UUIDv7 can carry');
  return v7({ msecs });
}

/**
 * Returns whether the text has the 8-4-4-4-12 form, in any case and of any UUID version. An unknown id that has this
 * form is reported as not found, and not as malformed.
 */
export function isUuid(text: string): boolean {
  return CANONICAL.test(text);
}
