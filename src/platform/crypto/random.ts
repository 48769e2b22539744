import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Returns `bytes` random bytes as base64url without padding: 43 characters for 32 bytes. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** Returns the SHA-256 of a buffer, or of the UTF-8 bytes of a text. */
export function sha256(input: string | Uint8Array): Buffer {
  return hash('sha256', input, 'buffer');
}

/** Returns {@link sha256} in lower-case hex. */
export function sha256Hex(input: string | Uint8Array): string {
  return sha256(input).toString('hex');
}

/**
 * Returns whether two values are equal, in a time that depends neither on their content nor on the position of the
 * first difference. Their digests are compared, so the lengths may differ.
 */
export function constantTimeEqual(a: Uint8Array | string, b: Uint8Array | string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// The largest multiple of 62 that a byte can hold. Larger bytes are discarded, because they would make the first digits
// more likely.
const UNBIASED_LIMIT = 248;

/** Returns `length` independent, evenly distributed base62 digits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < UNBIASED_LIMIT && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

/** Returns a non-negative integer as exactly `digits` base62 digits, padded with zeroes. */
export function base62OfInteger(value: number, digits: number): string {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 62 ** digits) throw new RangeError('Number does not fit');
  let text = '';
  for (let rest = value, i = 0; i < digits; i++, rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text;
  return text;
}
