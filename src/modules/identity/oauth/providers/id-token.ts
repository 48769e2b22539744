import { type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { constantTimeEqual } from '../../../../platform/crypto/index.js';
import { compile, EmailField, NameField, validateJson } from '../../../../platform/http/fields/index.js';
import { messageOf, OAuthFault } from '../oauth-fault.js';
import type { ProviderPerson } from './provider.js';

/** Both providers sign by RS256; no algorithm with a shared secret may ever be here. */
const ALGORITHMS = ['RS256', 'ES256'];
/** Seconds that the clocks may differ. */
const TOLERANCE_SECONDS = 30;
/** A token of the code flow was made just now. */
const MAX_AGE_SECONDS = 600;

export interface Expected {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly now: Date;
}

/**
 * Checks an ID token: signature, issuer, audience, authorized party, times and nonce.
 * @throws OAuthFault naming the first thing that is wrong
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
    // Malformed keys and tokens fail in more ways than the library has errors of its own.
    throw new OAuthFault(`ID token refused (${messageOf(error)})`);
  }
}

/** Google documents that its tokens may name it without the scheme. */
function namesOf(issuer: string): string[] {
  return issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer];
}

/** Apple sends the flag as text. */
function verifiedEmailOf({ email, email_verified: flag }: JWTPayload): string | null {
  if (flag !== true && flag !== 'true') return null;
  const result = validateJson(compile(Address), { email }, 'body');
  return 'value' in result ? (result.value as Address).email : null;
}

/** Null for anything that could not be the name of an account. */
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
