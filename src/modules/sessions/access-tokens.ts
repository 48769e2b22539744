import { createPrivateKey, createPublicKey } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  calculateJwkThumbprint,
  type CryptoKey,
  errors,
  importJWK,
  importPKCS8,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { CONFIG, type Config, RUNTIME_SECRETS, type RuntimeSecrets } from '../../config/index.js';
import { bearerTokenOf, type Credentialed, RequestMemo } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';

const ISSUER = 'operational-event-service';
const AUDIENCE = 'operational-event-service/api';
const ALGORITHM = 'ES256';
const BEFORE_ANY_EXPIRY = new Date(0);

export interface AccessClaims {
  userId: string;
  sessionId: string;
}

/** Of a token that one of our keys signed, which may have expired. */
export interface VerifiedClaims extends AccessClaims {
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

interface SigningKey {
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  jwk: JWK;
}

/** Short-lived ES256 access tokens. The first configured key signs, every configured key verifies. */
@Injectable()
export class AccessTokens {
  private keys: Promise<SigningKey[]> | undefined;
  private readonly read = new RequestMemo<Promise<VerifiedClaims | null> | null>('access token');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(RUNTIME_SECRETS) private readonly secrets: RuntimeSecrets,
    private readonly clock: Clock,
  ) {}

  get lifeSeconds(): number {
    return this.config.tokens.accessTtlSeconds;
  }

  async sign({ userId, sessionId }: AccessClaims): Promise<string> {
    const [key] = await this.loadKeys();
    if (key === undefined) throw new Error('there is no signing key');
    const now = Math.floor(this.clock.now().getTime() / 1000);
    return new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: 'at+jwt' })
      .setSubject(userId)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(now)
      .setExpirationTime(now + this.lifeSeconds)
      .sign(key.privateKey);
  }

  /** Null for anything but an unexpired token signed by one of our keys. */
  async verify(token: string): Promise<AccessClaims | null> {
    const claims = await this.claims(token);
    return claims === null || this.hasExpired(claims) ? null : claims;
  }

  /**
   * Whose token the request carries, expired or not: says who asks, never that they may. It is verified once a request. Null
   * for anything we did not sign, at once when there is no token.
   */
  claimsOf(request: Credentialed): Promise<VerifiedClaims | null> | null {
    return this.read.of(request, () => {
      const token = bearerTokenOf(request);
      return token === null ? null : this.claims(token);
    });
  }

  hasExpired({ expiresAt }: VerifiedClaims): boolean {
    return expiresAt <= Math.floor(this.clock.now().getTime() / 1000);
  }

  private async claims(token: string): Promise<VerifiedClaims | null> {
    const keys = await this.loadKeys();
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = keys.find((candidate) => candidate.kid === kid);
          if (key === undefined) throw new errors.JWKSNoMatchingKey();
          return key.publicKey;
        },
        {
          algorithms: [ALGORITHM],
          typ: 'at+jwt',
          issuer: ISSUER,
          audience: AUDIENCE,
          requiredClaims: ['sub', 'sid', 'iat', 'exp'],
          currentDate: BEFORE_ANY_EXPIRY,
        },
      );
      const { sub, sid, exp } = payload;
      return typeof sub === 'string' && typeof sid === 'string' && exp !== undefined
        ? { userId: sub, sessionId: sid, expiresAt: exp }
        : null;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  /** Public keys in JWK form. */
  async publicKeys(): Promise<JWK[]> {
    return (await this.loadKeys()).map((key) => key.jwk);
  }

  private loadKeys(): Promise<SigningKey[]> {
    this.keys ??= Promise.all(
      this.secrets.jwtPrivateKeys.map(async (pem) => {
        const key = createPrivateKey(pem);
        const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' }) as Required<
          Pick<JWK, 'kty' | 'crv' | 'x' | 'y'>
        >;
        const kid = await calculateJwkThumbprint({ kty, crv, x, y });
        const jwk = { kty, crv, x, y, kid, alg: ALGORITHM, use: 'sig' };
        const publicKey = (await importJWK(jwk, ALGORITHM)) as CryptoKey;
        const privateKey = await importPKCS8(key.export({ type: 'pkcs8', format: 'pem' }).toString(), ALGORITHM);
        return { kid, privateKey, publicKey, jwk };
      }),
    );
    return this.keys;
  }
}
