import { type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { constantTimeEqual } from '../../../../platform/crypto/index.js';
import { compile, EmailField, NameField, validateJson } from '../../../../platform/http/validation/index.js';
import { OAuthFault } from '../oauth-fault.js';
import type { CompanyPerson, NeededClaims, ProviderPerson } from './provider.js';
import { errorMessage } from '../../../../platform/errors/index.js';

/** Google and Apple sign with RS256. An algorithm with a shared secret must never be in these lists. */
const ALGORITHMS = ['RS256', 'ES256'];
export const COMPANY_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Tolerated difference between the clocks in seconds. */
const TOLERANCE_SECONDS = 30;
/** A token that lists more groups is refused, because a role must not depend on only some of the groups. */
const MAX_GROUPS = 10_000;
/** Longer entries are ignored: no rule can name them. */
const MAX_GROUP_CHARACTERS = 256;
/** Maximum age of a token in seconds. A token of the code flow has just been issued. */
const MAX_AGE_SECONDS = 600;

export interface Expected {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly now: Date;
  /** The accepted signature algorithms. By default, the algorithms that are accepted from Google and Apple. */
  readonly algorithms?: readonly string[];
}

/**
 * Verifies an ID token: signature, issuer, audience, authorized party, times and nonce.
 * @throws OAuthFault that names the first failed check
 */
export async function verifyIdToken(token: string, keys: JWTVerifyGetKey, expected: Expected): Promise<ProviderPerson> {
  return personIn(await verifiedClaims(token, keys, expected), expected.issuer);
}

/** A verified ID token: its claims, of which the subject is usable. */
export interface IdTokenClaims extends JWTPayload {
  readonly sub: string;
}

/** Verifies an ID token as {@link verifyIdToken} does, and returns its claims. */
export async function verifiedClaims(token: string, keys: JWTVerifyGetKey, expected: Expected): Promise<IdTokenClaims> {
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
  return { ...payload, sub };
}

function personIn(claims: IdTokenClaims, issuer: string): ProviderPerson {
  return { issuer, subject: claims.sub, verifiedEmail: verifiedEmailOf(claims), name: nameFrom(claims['name']) };
}

/** Returns the user whom the claims of a company's provider describe. */
export function companyPersonIn(claims: IdTokenClaims, issuer: string, settings: NeededClaims): CompanyPerson {
  const { sid } = claims;
  if (settings.needsGroups && leavesOut(settings.groupsClaim, claims)) {
    throw new OAuthFault('ID token refused (it leaves the groups out, because there are too many)');
  }
  const isTrusted = settings.trustsEmail && claims['email_verified'] === undefined;
  return {
    ...personIn(isTrusted ? { ...claims, email_verified: true } : claims, issuer),
    groups: groupsIn(claims[settings.groupsClaim]),
    providerSession: typeof sid === 'string' && /^[\x20-\x7e]{1,255}$/.test(sid) ? sid : null,
  };
}

/**
 * Returns whether the token omits a claim and names another place where the claim can be read (OpenID Connect Core
 * 5.6.2). Microsoft Entra ID does so for users with many groups.
 */
function leavesOut(claim: string, claims: IdTokenClaims): boolean {
  const elsewhere = claims['_claim_names'];
  const isObject = typeof elsewhere === 'object' && elsewhere !== null;
  return claims[claim] === undefined && isObject && Object.hasOwn(elsewhere, claim);
}

/** Returns the groups of a claim that is a list or one text. Entries that are no text are ignored. */
function groupsIn(claim: unknown): string[] {
  const groups: unknown[] = Array.isArray(claim) ? claim : [claim];
  if (groups.length > MAX_GROUPS) throw new OAuthFault(`ID token refused (more than ${MAX_GROUPS} groups)`);
  return groups.filter(
    (group): group is string => typeof group === 'string' && group !== '' && group.length <= MAX_GROUP_CHARACTERS,
  );
}

async function verifiedPayload(token: string, keys: JWTVerifyGetKey, expected: Expected): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: [...(expected.algorithms ?? ALGORITHMS)],
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
