import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { ProviderSession } from '../../identity/oauth/index.js';

/** A session that was revoked because the provider ended it. */
export interface EndedSession {
  readonly sessionId: string;
  readonly userId: UserId;
}

/** Stores which provider opened a session. */
@Injectable()
export class SsoSessionsRepository {
  constructor(private readonly database: Database) {}

  async insert(sessionId: string, { provider, subject, providerSession }: ProviderSession, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO sso_sessions (session_id, provider, subject, provider_session)
       VALUES ($1, $2, $3, $4) /* tenant: of the session that the caller opens */`,
      [sessionId, provider, subject, providerSession],
      tx,
    );
  }

  /** Returns the provider that opened the session of a refresh token, or null when none did. */
  async ofToken(tokenHash: Buffer): Promise<ProviderSession | null> {
    const [row] = await this.database.rows<ProviderSession>(
      `SELECT p.provider, p.subject, p.provider_session AS "providerSession" FROM sso_sessions p
       WHERE p.session_id = (SELECT session_id FROM refresh_tokens WHERE token_hash = $1) /* tenant: whoever shows the token */`,
      [tokenHash],
    );
    return row ?? null;
  }

  /**
   * Revokes the sessions that a provider opened for a subject, or those of one session at the provider. Sessions of the
   * subject whose provider session is unknown are among them, since any of them may be the one that ended.
   * @param providerSession null: all sessions of the subject
   */
  async revoke(
    provider: string,
    { subject, providerSession }: { subject: string | null; providerSession: string | null },
    tx: Db,
  ): Promise<EndedSession[]> {
    return this.database.rows<EndedSession>(
      `UPDATE sessions s SET revoked_at = now() FROM sso_sessions p
       WHERE p.session_id = s.id AND p.provider = $1 /* tenant: whoever the provider names */
         AND ($2::text IS NOT NULL OR $3::text IS NOT NULL)
         AND ($2::text IS NULL OR p.subject = $2) AND ($3::text IS NULL OR p.provider_session = $3
              OR (p.provider_session IS NULL AND p.subject = $2))
         AND s.revoked_at IS NULL
       RETURNING s.id AS "sessionId", s.user_id AS "userId"`,
      [provider, subject, providerSession],
      tx,
    );
  }
}
