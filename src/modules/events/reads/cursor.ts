import { isUuid } from '../../../platform/ids/index.js';

/** A place in the order of events: by timestamp, events of one instant by id. */
export interface Place {
  readonly timestamp: Date;
  readonly id: string;
}

const LAST_INSTANT_MS = 8.64e15;

/** Opaque text for a place; clients only hand it back. */
export function encodeCursor({ timestamp, id }: Place): string {
  return Buffer.from(`${timestamp.getTime()}:${id}`).toString('base64url');
}

/** Null for text that {@link encodeCursor} did not write. */
export function decodeCursor(text: string): Place | null {
  const [ms = '', id = '', ...more] = Buffer.from(text, 'base64url').toString('latin1').split(':');
  if (more.length > 0 || !/^-?\d{1,16}$/.test(ms) || Math.abs(Number(ms)) > LAST_INSTANT_MS || !isUuid(id)) return null;
  const place = { timestamp: new Date(Number(ms)), id };
  return encodeCursor(place) === text ? place : null;
}
