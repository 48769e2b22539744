import { Injectable } from '@nestjs/common';
import { BearerAuthenticator, type UserScope, type VerifiedToken } from '../../access/index.js';
import { AccessTokens } from './access-tokens.js';
import { SessionLiveness } from './session-liveness.js';

/** Accepts access tokens whose session still lives. */
@Injectable()
export class SessionBearers extends BearerAuthenticator {
  readonly strategy: string;

  constructor(
    private readonly tokens: AccessTokens,
    private readonly liveness: SessionLiveness,
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
