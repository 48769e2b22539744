import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

export const SIGNING_ALGORITHM = 'ES256';

/** One of the configured key pairs (P-256). */
export interface SigningKey {
  /** Thumbprint of the public key (RFC 7638). */
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key in the form that the JWKS route publishes. */
  readonly jwk: JWK;
}

export function signingKeyOf(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const jwk = { kty, crv, x, y, kid, alg: SIGNING_ALGORITHM, use: 'sig' } as JWK;
  return { kid, privateKey, publicKey, jwk };
}
