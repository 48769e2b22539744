import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_TIMESTAMP = 2 ** 48 - 1;

/** Random bytes are taken from the system for many ids at once: asking each time costs 20 times as much as the rest. */
const RANDOM_BYTES = 16;
const pool = new Uint8Array(RANDOM_BYTES * 256);
const made = Buffer.alloc(RANDOM_BYTES);
let taken = pool.length;
let lastMs = 0;
let sequence = 0;

/** A new UUIDv7 in lower case. Within a process each id sorts after the one before, also when the host clock steps back. */
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
    // 31 bits, so that a millisecond has room for 2^31 ids more.
    sequence =
      (((random[6] ?? 0) & 0x7f) << 24) | ((random[7] ?? 0) << 16) | ((random[8] ?? 0) << 8) | (random[9] ?? 0);
  } else {
    sequence = (sequence + 1) | 0;
    if (sequence === 0) lastMs += 1;
  }
  v7({ random, msecs: lastMs, seq: sequence }, made);
  // One text and its parts; the library's own spelling makes a text for each byte.
  const hex = made.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A random UUIDv7 that carries the given time (Unix milliseconds, cut to an integer). Not monotonic. */
export function uuidV7At(ms: number): string {
  const msecs = Math.trunc(ms);
  if (!(msecs >= 0 && msecs <= MAX_TIMESTAMP)) throw new RangeError('Time outside what a UUIDv7 can carry');
  return v7({ msecs });
}

/**
 * Whether the text has the 8-4-4-4-12 form, in any case and of any version: an id we never made
 * is well formed but unknown, so it reads as not found and not as malformed.
 */
export function isUuid(text: string): boolean {
  return CANONICAL.test(text);
}
