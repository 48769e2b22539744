import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { CredentialCipher, CryptographyUnavailableError, DecryptionError } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { ProviderSession } from '../../identity/oauth/index.js';
import { ID_TOKEN } from './sso-session.entity.js';

/** A larger token is not stored. It becomes part of a URL at the sign-out, and servers limit the length of URLs. */
const MAX_ID_TOKEN_BYTES = 8 * 1024;

/** The provider that opened a session. */
export interface SessionOrigin extends ProviderSession {
  /** The ID token, which the provider needs to end its session. Null when none is stored. */
  readonly idToken: string | null;
}

/** A session that was revoked because the provider ended it. */
export interface EndedSession {
  readonly sessionId: string;
  readonly userId: UserId;
}

/** Stores which provider opened a session. */
@Injectable()
export class SsoSessionsRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: CredentialCipher,
  ) {}

  async insert(
    sessionId: string,
    { provider, subject, providerSession, idToken = null }: ProviderSession & Partial<SessionOrigin>,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `INSERT INTO sso_sessions (session_id, provider, subject, provider_session, id_token)
       VALUES ($1, $2, $3, $4, $5) /* tenant: of the session that the caller opens */`,
      [sessionId, provider, subject, providerSession, this.sealed(sessionId, idToken)],
      tx,
    );
  }

  /** Returns the provider that opened the session of a refresh token, or null when no provider did. */
  async ofToken(tokenHash: Buffer): Promise<SessionOrigin | null> {
    const [row] = await this.database.rows<SessionOrigin & { readonly sessionId: string }>(
      `SELECT p.session_id AS "sessionId", p.provider, p.subject, p.provider_session AS "providerSession",
              p.id_token AS "idToken"
       FROM sso_sessions p
       WHERE p.session_id = (SELECT session_id FROM refresh_tokens WHERE token_hash = $1) /* tenant: whoever shows the token */`,
      [tokenHash],
    );
    if (row === undefined) return null;
    const { sessionId, idToken, ...session } = row;
    return { ...session, idToken: this.opened(sessionId, idToken) };
  }

  /**
   * Revokes the sessions that a provider opened for a subject, or only those of one provider session. Sessions of the
   * subject whose provider session is unknown are revoked too, because any of them may be the one that ended.
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

  /** Returns the encrypted ID token, or null when the token is too large or encryption is off. */
  private sealed(id: string, idToken: string | null): string | null {
    if (idToken === null || Buffer.byteLength(idToken) > MAX_ID_TOKEN_BYTES || !this.cipher.isAvailable) return null;
    return this.cipher.encrypt(idToken, ID_TOKEN.placeOf({ id, tenantId: id }));
  }

  /** Returns the decrypted ID token, or null when its key is no longer configured. */
  private opened(id: string, envelope: string | null): string | null {
    if (envelope === null) return null;
    try {
      return this.cipher.decrypt(envelope, ID_TOKEN.placeOf({ id, tenantId: id }));
    } catch (error) {
      if (error instanceof DecryptionError || error instanceof CryptographyUnavailableError) return null;
      throw error;
    }
  }
}
