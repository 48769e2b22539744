import { randomBase62, sha256 } from '../../../../../platform/crypto/index.js';

/** The prefix of our secrets, by which logs mask the token (`platform/sanitize`), and `scim`. */
const PREFIX = 'oes_scim_';
/** 43 digits of base62 have 256 bits. Masks end at the other characters of base64url. */
const DIGITS = 43;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${DIGITS}}$`);

export interface GeneratedScimToken {
  /** The whole secret, which is shown once. */
  readonly token: string;
  /** SHA-256 of the secret: the only form that is stored. */
  readonly hash: Buffer;
}

/** Returns a new token with 256 random bits. */
export function generateScimToken(): GeneratedScimToken {
  const token = PREFIX + randomBase62(DIGITS);
  return { token, hash: sha256(token) };
}

/** Returns the hash by which a token is found, or null when the text is no token, which needs no database. */
export function hashOfScimToken(text: string | null): Buffer | null {
  return text !== null && SHAPE.test(text) ? sha256(text) : null;
}
