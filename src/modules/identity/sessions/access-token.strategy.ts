import { hash, type KeyObject, randomUUID } from 'node:crypto';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { decodeProtectedHeader } from 'jose';
import { LRUCache } from 'lru-cache';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { asUserId, bearerTokenOf, type Credentialed, RequestMemo, type VerifiedToken } from '../../access/index.js';
import { SIGNING_ALGORITHM } from './signing-keys.js';

export const ISSUER = 'operational-event-service';
export const AUDIENCE = 'operational-event-service/api';
export const TOKEN_TYPE = 'at+jwt';

/** Some 400 bytes each. */
const MOST_KNOWN = 10_000;

/** What a token has to say besides issuer and audience, which passport-jwt has compared. */
interface Claims {
  readonly sub?: unknown;
  readonly sid?: unknown;
  readonly iat?: unknown;
  readonly exp?: unknown;
}

/**
 * passport-jwt for our access tokens, with what it leaves open: the key is that of the token's `kid`, the type is ours, there
 * is no critical header that nobody here knows, and subject, session and times are all there. It asks no database, so nothing
 * that fails here is a fault of ours. An expired token is verified too: it still says whose it was.
 */
export class AccessTokenStrategy extends PassportStrategy(Strategy) {
  private readonly verified = new RequestMemo<Promise<VerifiedToken | null>>('access token');
  /**
   * What our signature has been found on, by the hash of the token: people ask many times with one, and the signature costs
   * more than most answers. The keys are those of the process and what a token says does not change, so this is as true
   * later; whether its time is over and its session lives is asked each time, by others.
   */
  private readonly known = new LRUCache<string, VerifiedToken>({ max: MOST_KNOWN });

  /** @param publicKeys by `kid` */
  constructor(publicKeys: ReadonlyMap<string, KeyObject>) {
    super({
      jwtFromRequest: bearerTokenOf,
      secretOrKeyProvider: (_request: unknown, token: string, done) => {
        // The types know no KeyObject, which jsonwebtoken takes as it is; from PEM it would make one for every token.
        done(null, keyFor(token, publicKeys) as unknown as Buffer | undefined);
      },
      algorithms: [SIGNING_ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      ignoreExpiration: true,
    });
  }

  /** passport keeps strategies by name for the whole process, which may hold several applications with other keys. */
  getPassportInstance(): passport.PassportStatic {
    this.name = `access-token-${randomUUID()}`;
    return passport;
  }

  /** Looks once a request, whoever asks first. Null for anything that none of the keys signed for this purpose. */
  claimsOf(request: Credentialed): Promise<VerifiedToken | null> {
    return this.verified.of(request, () => this.verify(request));
  }

  override authenticate(request: Request): void {
    this.claimsOf(request).then(
      (claims) => (claims === null ? this.fail(401) : this.success(claims)),
      (error: unknown) => this.error(error instanceof Error ? error : new Error(String(error))),
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

/** Undefined, which verifies nothing, for a header that is not of our making. */
function keyFor(token: string, publicKeys: ReadonlyMap<string, KeyObject>): KeyObject | undefined {
  try {
    const { kid, typ, crit } = decodeProtectedHeader(token);
    return kid === undefined || typ !== TOKEN_TYPE || crit !== undefined ? undefined : publicKeys.get(kid);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
