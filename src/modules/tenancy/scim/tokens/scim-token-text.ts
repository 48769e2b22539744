import { randomToken, sha256 } from '../../../../platform/crypto/index.js';

/** The prefix of our secrets, by which logs mask the token (`platform/sanitize`), and `scim`. */
const PREFIX = 'oes_scim_';
const SHAPE = /^oes_scim_[A-Za-z0-9_-]{43}$/;

export interface GeneratedScimToken {
  /** The whole secret, which is shown once. */
  readonly token: string;
  /** SHA-256 of the secret: the only form that is stored. */
  readonly hash: Buffer;
}

/** Returns a new token with 256 random bits. */
export function generateScimToken(): GeneratedScimToken {
  const token = PREFIX + randomToken();
  return { token, hash: sha256(token) };
}

/** Returns the hash by which a token is found, or null when the text is no token, which needs no database. */
export function hashOfScimToken(text: string | null): Buffer | null {
  return text !== null && SHAPE.test(text) ? sha256(text) : null;
}
