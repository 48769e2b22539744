import { type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { constantTimeEqual } from '../../../../platform/crypto/index.js';
import { compile, EmailField, NameField, validateJson } from '../../../../platform/http/fields/index.js';
import { OAuthFault } from '../oauth-fault.js';
import type { ProviderPerson } from './provider.js';
import { errorMessage } from '../../../../platform/errors/index.js';

/** Both providers sign with RS256. An algorithm with a shared secret must never be in this list. */
const ALGORITHMS = ['RS256', 'ES256'];
/** Tolerated difference between the clocks in seconds. */
const TOLERANCE_SECONDS = 30;
/** Maximum age of a token in seconds. A token of the code flow has just been issued. */
const MAX_AGE_SECONDS = 600;

export interface Expected {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly now: Date;
}

/**
 * Verifies an ID token: signature, issuer, audience, authorized party, times and nonce.
 * @throws OAuthFault that names the first failed check
 */
export async function verifyIdToken(token: string, keys: JWTVerifyGetKey, expected: Expected): Promise<ProviderPerson> {
  const payload = await verifiedPayload(token, keys, expected);
  const { sub, aud, azp, nonce } = payload;
  if (typeof nonce !== 'string' || !constantTimeEqual(nonce, expected.nonce)) {
    throw new OAuthFault('ID token refused (the nonce is another one)');
  }
  const isForSeveral = Array.isArray(aud) && aud.length > 1;
  if ((azp !== undefined || isForSeveral) && azp !== expected.clientId) {
    throw new OAuthFault('ID token refused (made for another party)');
  }
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub))
    throw new OAuthFault('ID token refused (no usable subject)');
  return {
    issuer: expected.issuer,
    subject: sub,
    verifiedEmail: verifiedEmailOf(payload),
    name: nameFrom(payload['name']),
  };
}

async function verifiedPayload(token: string, keys: JWTVerifyGetKey, expected: Expected): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer: namesOf(expected.issuer),
      audience: expected.clientId,
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
      clockTolerance: TOLERANCE_SECONDS,
      maxTokenAge: MAX_AGE_SECONDS,
      currentDate: expected.now,
    });
    return payload;
  } catch (error) {
    if (error instanceof OAuthFault) throw error;
    // Malformed keys and tokens also fail with errors that are not the library's own classes.
    throw new OAuthFault(`ID token refused (${errorMessage(error)})`);
  }
}

/**
 * Returns the issuer names that a token may carry. Google documents that its tokens may name the issuer without the
 * scheme.
 */
function namesOf(issuer: string): string[] {
  return issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer];
}

/** Returns the address of the token when the provider has verified the address. Apple sends the flag as text. */
function verifiedEmailOf({ email, email_verified: flag }: JWTPayload): string | null {
  if (flag !== true && flag !== 'true') return null;
  const result = validateJson(compile(Address), { email }, 'body');
  return 'value' in result ? (result.value as Address).email : null;
}

/** Returns the name, or null when the value is not a valid account name. */
export function nameFrom(name: unknown): string | null {
  const result = validateJson(compile(Named), { name }, 'body');
  return 'value' in result ? (result.value as Named).name : null;
}

class Address {
  @EmailField({ description: 'An e-mail address' })
  email!: string;
}

class Named {
  @NameField({ trim: true, description: 'As people know it' })
  name!: string;
}
