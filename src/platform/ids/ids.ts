import { v7 } from 'uuid';

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_TIMESTAMP = 2 ** 48 - 1;

/** A new UUIDv7 in lower case. Within a process each id sorts after the one before, also when the host clock steps back. */
export function newId(): string {
  return v7();
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
