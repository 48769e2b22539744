import { newId } from '../ids/index.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** Returns the caller's `X-Request-ID` when it is 1 to 128 visible ASCII characters, else a new UUIDv7. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && VISIBLE_ASCII.test(header) ? header : newId();
}
