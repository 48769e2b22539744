import { Injectable } from '@nestjs/common';
import { BearerAuthenticator, type UserScope } from '../../platform/access/index.js';
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

  async authenticate(token: string): Promise<UserScope | null> {
    const claims = await this.tokens.verify(token);
    if (claims === null || !(await this.liveness.isAlive(claims.sessionId, claims.userId))) return null;
    return { kind: 'user', ...claims };
  }
}
