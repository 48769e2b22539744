import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** `bytes` random bytes as base64url without padding: 43 characters for 32 bytes. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** SHA-256 of a buffer, or of the UTF-8 bytes of a text. */
export function sha256(input: string | Uint8Array): Buffer {
  return hash('sha256', input, 'buffer');
}

/** {@link sha256} in lower-case hex. */
export function sha256Hex(input: string | Uint8Array): string {
  return sha256(input).toString('hex');
}

/** Equality whose time depends on neither content nor the first difference; digests are compared, so lengths may differ. */
export function constantTimeEqual(a: Uint8Array | string, b: Uint8Array | string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// The largest multiple of 62 in a byte: bytes from here on are thrown away, or the first digits would be likelier.
const UNBIASED_LIMIT = 248;

/** `length` independent, evenly distributed base62 digits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < UNBIASED_LIMIT && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

/** A non-negative integer in exactly `digits` base62 digits, zero-padded. */
export function base62OfInteger(value: number, digits: number): string {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 62 ** digits) throw new RangeError('Number does not fit');
  let text = '';
  for (let rest = value, i = 0; i < digits; i++, rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text;
  return text;
}
