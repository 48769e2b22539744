import { crc32 } from 'node:zlib';
import { base62OfInteger, randomBase62, sha256 } from './random.js';

/** `oes` for ordinary keys, `oesb` for keys that live in browsers. */
export type KeyMarker = 'oes' | 'oesb';

const PREFIX_DIGITS = 8;
const SECRET_DIGITS = 32;
const CHECKSUM_DIGITS = 6;
const SHAPE = new RegExp(`^(oesb?)_([0-9A-Za-z]{${PREFIX_DIGITS}})_[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`);

export interface GeneratedKey {
  /** The whole secret, to be shown once. */
  readonly key: string;
  /** Its 8 public digits, for lists and look-ups. */
  readonly prefix: string;
  /** SHA-256 of the whole key: the only form that is stored. */
  readonly hash: Buffer;
}

/** `<marker>_` + 8 base62 + `_` + 32 base62 (190 random bits) + 6 base62 checksum. */
export function generateKey(marker: KeyMarker): GeneratedKey {
  const prefix = randomBase62(PREFIX_DIGITS);
  const body = `${marker}_${prefix}_${randomBase62(SECRET_DIGITS)}`;
  const key = body + checksum(body);
  return { key, prefix, hash: sha256(key) };
}

/** Null when shape or checksum is wrong, which needs no database to know. Says nothing about whether the key exists. */
export function parseKey(text: string): { marker: KeyMarker; prefix: string } | null {
  const match = SHAPE.exec(text);
  if (match === null || checksum(text.slice(0, -CHECKSUM_DIGITS)) !== text.slice(-CHECKSUM_DIGITS)) return null;
  return { marker: match[1] === 'oesb' ? 'oesb' : 'oes', prefix: match[2] ?? '' };
}

/** Against typing errors and guessing scanners, not against forgery; the hash look-up is what authenticates. */
function checksum(body: string): string {
  return base62OfInteger(crc32(body), CHECKSUM_DIGITS);
}
