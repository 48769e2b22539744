import { isUuid } from '../../../../platform/ids/index.js';

/** The position of an event in lists: by timestamp, then by id. */
export interface Locator {
  readonly timestamp: Date;
  readonly id: string;
}

/** The years 1 to 9999. No event has a timestamp outside of them, and PostgreSQL accepts all of them. */
const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns an opaque text for a locator. Clients send it back unchanged. */
export function encodeCursor({ timestamp, id }: Locator): string {
  return Buffer.from(`${timestamp.getTime()}:${id}`).toString('base64url');
}

/** @returns null for a text that {@link encodeCursor} did not write */
export function decodeCursor(text: string): Locator | null {
  const [ms = '', id = '', ...more] = Buffer.from(text, 'base64url').toString('latin1').split(':');
  if (more.length > 0 || !/^-?\d{1,15}$/.test(ms) || !isUuid(id)) return null;
  const instant = Number(ms);
  if (instant < FIRST_INSTANT_MS || instant > LAST_INSTANT_MS) return null;
  const locator = { timestamp: new Date(instant), id };
  return encodeCursor(locator) === text ? locator : null;
}
