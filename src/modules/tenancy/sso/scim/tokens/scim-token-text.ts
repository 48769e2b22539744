import { randomBase62, sha256 } from '../../../../../platform/crypto/index.js';

/** The prefix of all secrets of the service, by which log masking recognizes them (`platform/sanitize`), and `scim`. */
const PREFIX = 'oes_scim_';
/** 43 base62 digits have 256 bits. base64url is not used, because masking ends at its other characters. */
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

/** Returns the hash with which a token is looked up, or null when the text is not a token. Needs no database. */
export function hashOfScimToken(text: string | null): Buffer | null {
  return text !== null && SHAPE.test(text) ? sha256(text) : null;
}
