import { hash, type KeyObject, randomUUID } from 'node:crypto';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { decodeProtectedHeader } from 'jose';
import { LRUCache } from 'lru-cache';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { asUserId, bearerTokenOf, type Credentialed, RequestMemo, type VerifiedToken } from '../../access/index.js';
import { SIGNING_ALGORITHM } from './signing-keys.js';
import { asError } from '../../../platform/errors/index.js';

export const ISSUER = 'operational-event-service';
export const AUDIENCE = 'operational-event-service/api';
export const TOKEN_TYPE = 'at+jwt';

/**
 * Maximum number of cached tokens, at about 400 bytes each. Beyond the maximum the least recently used token is
 * evicted.
 */
const MOST_KNOWN = 10_000;

/** The claims that this class checks itself. passport-jwt has already compared issuer and audience. */
interface Claims {
  readonly sub?: unknown;
  readonly sid?: unknown;
  readonly iat?: unknown;
  readonly exp?: unknown;
}

/**
 * Verifies our access tokens with passport-jwt, and adds the checks that passport-jwt leaves open: the key is the one
 * that the token's `kid` names, the token type is ours, the header has no `crit` member, and subject, session and times
 * are present. The verification reads no database, so a failed check is never a fault of the service. An expired token
 * is verified too, because it still identifies its user.
 */
export class AccessTokenStrategy extends PassportStrategy(Strategy) {
  private readonly verified = new RequestMemo<Promise<VerifiedToken | null>>('access token');
  /**
   * Tokens whose signature is verified, by the hash of the token. Clients send one token many times, and the signature
   * check costs more than most responses. A cached result stays valid because the keys of the process and the content
   * of a token do not change. The expiry and the session are checked elsewhere, on every request.
   */
  private readonly known = new LRUCache<string, VerifiedToken>({ max: MOST_KNOWN });

  /** @param publicKeys the public keys by `kid` */
  constructor(publicKeys: ReadonlyMap<string, KeyObject>) {
    super({
      jwtFromRequest: bearerTokenOf,
      secretOrKeyProvider: (_request: unknown, token: string, done) => {
        // The type declarations do not list KeyObject, which jsonwebtoken accepts. From a PEM string jsonwebtoken would
        // create a KeyObject for every token.
        done(null, keyFor(token, publicKeys) as unknown as Buffer | undefined);
      },
      algorithms: [SIGNING_ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      ignoreExpiration: true,
    });
  }

  /**
   * passport registers strategies by name for the whole process, which may run several applications with different
   * keys. The random name keeps the strategies apart.
   */
  getPassportInstance(): passport.PassportStatic {
    this.name = `access-token-${randomUUID()}`;
    return passport;
  }

  /**
   * Verifies the token once per request and shares the result between callers. Resolves to null for a token that none
   * of the keys signed as an access token.
   */
  claimsOf(request: Credentialed): Promise<VerifiedToken | null> {
    return this.verified.of(request, () => this.verify(request));
  }

  override authenticate(request: Request): void {
    this.claimsOf(request).then(
      (claims) => (claims === null ? this.fail(401) : this.success(claims)),
      (error: unknown) => this.error(asError(error)),
    );
  }

  private async verify(request: Credentialed): Promise<VerifiedToken | null> {
    const token = bearerTokenOf(request);
    if (token === null) return null;
    const name = hash('sha256', token, 'base64');
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const verified = await new Promise<VerifiedToken | null>((resolve, reject) => {
      const outcome = { success: resolve, fail: () => resolve(null), error: reject };
      super.authenticate.call(Object.assign(Object.create(this) as this, outcome), request as Request);
    });
    if (verified !== null) this.known.set(name, verified);
    return verified;
  }

  validate({ sub, sid, iat, exp }: Claims): VerifiedToken | null {
    if (typeof sub !== 'string' || typeof sid !== 'string') return null;
    if (typeof iat !== 'number' || typeof exp !== 'number') return null;
    return { userId: asUserId(sub), sessionId: sid, expiresAt: exp };
  }
}

/**
 * Returns the key that a token's header names. Returns undefined, which fails the verification, for a header that this
 * service did not create.
 */
function keyFor(token: string, publicKeys: ReadonlyMap<string, KeyObject>): KeyObject | undefined {
  try {
    const { kid, typ, crit } = decodeProtectedHeader(token);
    return kid === undefined || typ !== TOKEN_TYPE || crit !== undefined ? undefined : publicKeys.get(kid);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
