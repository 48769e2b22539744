import { crc32 } from 'node:zlib';
import { base62OfInteger, randomBase62, sha256 } from './random.js';

/** The start of a key: `oes` for ordinary keys, `oesb` for keys that are used in browsers. */
export type KeyMarker = 'oes' | 'oesb';

const PREFIX_DIGITS = 8;
const SECRET_DIGITS = 32;
const CHECKSUM_DIGITS = 6;
const SHAPE = new RegExp(`^(oesb?)_([0-9A-Za-z]{${PREFIX_DIGITS}})_[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`);

export interface GeneratedKey {
  /** The whole secret, which is shown once. */
  readonly key: string;
  /** The 8 public digits of the key, for lists and look-ups. */
  readonly prefix: string;
  /** SHA-256 of the whole key: the only form that is stored. */
  readonly hash: Buffer;
}

/** Returns a new key: `<marker>_` + 8 base62 + `_` + 32 base62 (190 random bits) + 6 base62 checksum. */
export function generateKey(marker: KeyMarker): GeneratedKey {
  const prefix = randomBase62(PREFIX_DIGITS);
  const body = `${marker}_${prefix}_${randomBase62(SECRET_DIGITS)}`;
  const key = body + checksum(body);
  return { key, prefix, hash: sha256(key) };
}

/**
 * Returns the marker and prefix of a key, or null when its shape or checksum is wrong. Needs no database, so the result
 * does not say whether the key exists.
 */
export function parseKey(text: string): { marker: KeyMarker; prefix: string } | null {
  const match = SHAPE.exec(text);
  if (match === null || checksum(text.slice(0, -CHECKSUM_DIGITS)) !== text.slice(-CHECKSUM_DIGITS)) return null;
  return { marker: match[1] === 'oesb' ? 'oesb' : 'oes', prefix: match[2] ?? '' };
}

/**
 * Detects typing errors and guessed keys without a database. It does not detect forged keys: only the look-up of the
 * hash authenticates a key.
 */
function checksum(body: string): string {
  return base62OfInteger(crc32(body), CHECKSUM_DIGITS);
}
