import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';
import type { MessageResponse } from '../../../platform/http/message.dto.js';
import { SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from './client.js';
import { SessionLivenessCache } from './session-liveness.cache.js';
import { type RevokedSessionsResponse, sessionResponse, type SessionResponse } from './sessions.dto.js';
import { SessionNotFound } from './sessions.errors.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

/** Lists and revokes the caller's own sessions. */
@Injectable()
export class OwnSessionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: SessionsRepository,
    private readonly sessions: SessionsService,
    private readonly liveness: SessionLivenessCache,
    private readonly events: SecurityEventsWriter,
  ) {}

  async list(scope: UserScope): Promise<SessionResponse[]> {
    return (await this.repository.list(scope)).map((session) => sessionResponse(session, scope.sessionId));
  }

  /**
   * Revokes one session. The revocation takes effect at once on this instance, and on other instances by a
   * notification.
   */
  async revoke(scope: UserScope, id: string, client: Client): Promise<MessageResponse> {
    const { userId } = scope;
    await this.database.transaction(async (tx) => {
      const session = await this.repository.revokeOwn(scope, id, tx);
      if (session === null) throw new SessionNotFound();
      if (!session.wasAlive) return;
      await this.liveness.announceRevoked([id], tx);
      await this.events.record({ userId, type: 'session_revoked', client, detail: { session_id: id } }, tx);
    });
    this.liveness.forget([id]);
    return { message: 'The session is revoked' };
  }

  async revokeOthers(scope: UserScope, client: Client): Promise<RevokedSessionsResponse> {
    const { userId } = scope;
    const ended = await this.database.transaction(async (tx) => {
      const ids = await this.sessions.revokeAllOf(userId, tx, scope.sessionId);
      const detail = { revoked: ids.length };
      await this.events.record({ userId, type: 'other_sessions_revoked', client, detail }, tx);
      return ids;
    });
    this.sessions.forget(ended);
    return { message: 'All other sessions are revoked', revoked: ended.length };
  }
}
