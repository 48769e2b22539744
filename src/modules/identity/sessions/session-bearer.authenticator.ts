import { Injectable } from '@nestjs/common';
import { BearerAuthenticator, type UserScope, type VerifiedToken } from '../../access/index.js';
import { AccessTokenService } from './access-token.service.js';
import { SessionLivenessCache } from './session-liveness.cache.js';

/** Accepts unexpired access tokens whose session is active. */
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

  async admit(token: VerifiedToken): Promise<UserScope | null> {
    if (this.tokens.hasExpired(token)) return null;
    const { userId, sessionId } = token;
    return (await this.liveness.isAlive(sessionId, userId)) ? { kind: 'user', userId, sessionId } : null;
  }
}
