import { Injectable } from '@nestjs/common';
import { BearerAuthenticator, SecondFactorMissing, type UserScope, type VerifiedToken } from '../../access/index.js';
import { AccessTokenService } from './access-token.service.js';
import { SessionLivenessCache } from './session-liveness.cache.js';

/** Accepts unexpired access tokens whose session is active and has the factors that the deployment requires. */
@Injectable()
export class SessionBearerAuthenticator extends BearerAuthenticator {
  readonly strategy: string;

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly liveness: SessionLivenessCache,
  ) {
    super();
    this.strategy = tokens.strategy;
  }

  async admit(token: VerifiedToken, beforeSecondFactor: boolean): Promise<UserScope | null> {
    if (this.tokens.hasExpired(token)) return null;
    const { userId, sessionId } = token;
    const state = await this.liveness.stateOf(sessionId, userId);
    if (state === 'ended') return null;
    if (state === 'incomplete' && !beforeSecondFactor) throw new SecondFactorMissing();
    return { kind: 'user', userId, sessionId };
  }
}
