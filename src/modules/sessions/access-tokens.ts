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
import { Clock } from '../../platform/clock/index.js';

const ISSUER = 'operational-event-service';
const AUDIENCE = 'operational-event-service/api';
const ALGORITHM = 'ES256';
const BEFORE_ANY_EXPIRY = new Date(0);

export interface AccessClaims {
  userId: string;
  sessionId: string;
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
  verify(token: string): Promise<AccessClaims | null> {
    return this.read(token, this.clock.now());
  }

  /** Whose token it is, expired or not: says who asks, never that they may. Null for anything we did not sign. */
  holderOf(token: string): Promise<AccessClaims | null> {
    return this.read(token, BEFORE_ANY_EXPIRY);
  }

  private async read(token: string, currentDate: Date): Promise<AccessClaims | null> {
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
          currentDate,
        },
      );
      return typeof payload.sub === 'string' && typeof payload.sid === 'string'
        ? { userId: payload.sub, sessionId: payload.sid }
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
