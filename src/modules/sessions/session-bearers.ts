import { Injectable } from '@nestjs/common';
import { BearerAuthenticator, type Credentialed, type UserScope } from '../../platform/access/index.js';
import { AccessTokens } from './access-tokens.js';
import { SessionLiveness } from './session-liveness.js';

/** Accepts access tokens whose session still lives. */
@Injectable()
export class SessionBearers extends BearerAuthenticator {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly liveness: SessionLiveness,
  ) {
    super();
  }

  async authenticate(request: Credentialed): Promise<UserScope | null> {
    const claims = await this.tokens.claimsOf(request);
    if (claims === null || this.tokens.hasExpired(claims)) return null;
    const { userId, sessionId } = claims;
    return (await this.liveness.isAlive(sessionId, userId)) ? { kind: 'user', userId, sessionId } : null;
  }
}
