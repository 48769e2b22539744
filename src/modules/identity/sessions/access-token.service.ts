import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type JWK, SignJWT } from 'jose';
import passport from 'passport';
import { CONFIG, type Config, RUNTIME_SECRETS, type RuntimeSecrets } from '../../../config/index.js';
import { bearerTokenOf, type Credentialed, type UserId, type VerifiedToken } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { AccessTokenStrategy, AUDIENCE, ISSUER, TOKEN_TYPE } from './access-token.strategy.js';
import { SIGNING_ALGORITHM, type SigningKey, signingKeyOf } from './signing-keys.js';

export interface AccessClaims {
  userId: UserId;
  sessionId: string;
}

/**
 * Signs and verifies short-lived ES256 access tokens. The first configured key signs, every configured key verifies.
 */
@Injectable()
export class AccessTokenService implements OnApplicationShutdown {
  private readonly keys: readonly SigningKey[];
  private readonly verifier: AccessTokenStrategy;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(RUNTIME_SECRETS) secrets: RuntimeSecrets,
    private readonly clock: Clock,
  ) {
    this.keys = secrets.jwtPrivateKeys.map(signingKeyOf);
    this.verifier = new AccessTokenStrategy(new Map(this.keys.map(({ kid, publicKey }) => [kid, publicKey])));
  }

  /** The name of the passport strategy that verifies access tokens. */
  get strategy(): string {
    return this.verifier.name;
  }

  get lifeSeconds(): number {
    return this.config.tokens.accessTtlSeconds;
  }

  onApplicationShutdown(): void {
    passport.unuse(this.strategy);
  }

  async sign({ userId, sessionId }: AccessClaims): Promise<string> {
    const [key] = this.keys;
    if (key === undefined) throw new Error('there is no signing key');
    const now = Math.floor(this.clock.now().getTime() / 1000);
    return new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: key.kid, typ: TOKEN_TYPE })
      .setSubject(userId)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(now)
      .setExpirationTime(now + this.lifeSeconds)
      .sign(key.privateKey);
  }

  /**
   * Returns the user and session of the request's token, even when the token has expired. The result identifies the
   * caller and grants nothing. Returns null when the request has no token, and resolves to null for a token that none
   * of our keys signed.
   */
  claimsOf(request: Credentialed): Promise<VerifiedToken | null> | null {
    return bearerTokenOf(request) === null ? null : this.verifier.claimsOf(request);
  }

  hasExpired({ expiresAt }: VerifiedToken): boolean {
    return expiresAt <= Math.floor(this.clock.now().getTime() / 1000);
  }

  publicKeys(): JWK[] {
    return this.keys.map((key) => key.jwk);
  }
}
