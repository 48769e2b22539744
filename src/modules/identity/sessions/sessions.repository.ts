import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import type { UserId, UserScope } from '../../access/index.js';
import type { Client } from './client.js';
import { Session, type SignInMethod } from './session.entity.js';

export interface NewSession {
  id: string;
  userId: UserId;
  method: SignInMethod;
  ip: string | null;
  userAgent: string | null;
  lifeSeconds: number;
}

export interface LockedSession {
  id: string;
  user_id: UserId;
  generation: number;
  refresh_secret: Buffer;
  alive: boolean;
}

/** Whether a session may be used for everything, for setting up the second factor that it lacks, or not at all. */
export type SessionState = 'complete' | 'incomplete' | 'ended';

/** The id of a session and the user that owns the session. */
type SessionKey = Pick<LockedSession, 'id' | 'user_id'>;

export interface StoredRefreshToken {
  generation: number;
  superseded: boolean;
  /** Null while the token is unused. */
  used_seconds_ago: number | null;
  /** Whether the token was first used from another IP address or user agent than the one that presents it now. */
  used_elsewhere: boolean;
}

/** Stores sessions and their refresh tokens. All times come from the database clock. */
@Injectable()
export class SessionsRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(session: NewSession, tokenHash: Buffer, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO sessions (id, user_id, method, ip, user_agent, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [session.id, session.userId, session.method, session.ip, session.userAgent, session.lifeSeconds],
      tx,
    );
    await this.insertToken(tokenHash, session.id, 0, tx);
  }

  async insertToken(tokenHash: Buffer, sessionId: string, generation: number, tx: Db): Promise<void> {
    await this.database.execute(
      'INSERT INTO refresh_tokens (token_hash, session_id, generation) VALUES ($1, $2, $3) /* tenant: of a session held */',
      [tokenHash, sessionId, generation],
      tx,
    );
  }

  /** Locks the session of a refresh token, so that refreshes of one session run one after another. */
  async lockByToken(tokenHash: Buffer, tx: Db): Promise<LockedSession | null> {
    const rows = await this.database.rows<LockedSession>(
      `SELECT s.id, s.user_id, s.generation, s.refresh_secret, (s.revoked_at IS NULL AND s.expires_at > now()) AS alive
       FROM sessions s WHERE s.id = (SELECT session_id FROM refresh_tokens WHERE token_hash = $1)
       /* tenant: whoever shows the token */ FOR UPDATE`,
      [tokenHash],
      tx,
    );
    return rows[0] ?? null;
  }

  /**
   * Returns a refresh token. Callers lock the session first, so that the result includes a rotation that held the lock
   * before.
   */
  async getToken(tokenHash: Buffer, { ip, userAgent }: Client, tx: Db): Promise<StoredRefreshToken> {
    const [row] = await this.database.rows<StoredRefreshToken>(
      `SELECT generation, superseded_at IS NOT NULL AS superseded,
              extract(epoch FROM clock_timestamp() - used_at)::float8 AS used_seconds_ago,
              used_ip IS NOT NULL AND (used_ip, used_user_agent) IS DISTINCT FROM ($2::text, $3::text) AS used_elsewhere
       FROM refresh_tokens WHERE token_hash = $1 /* tenant: whoever shows the token */`,
      [tokenHash, ip, userAgent],
      tx,
    );
    if (row === undefined) throw new Error('a refresh token vanished under its session lock');
    return row;
  }

  async markUsed(tokenHash: Buffer, { ip, userAgent }: Client, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE refresh_tokens SET used_at = clock_timestamp(), used_ip = $2, used_user_agent = $3
       WHERE token_hash = $1 /* tenant: whoever shows the token */`,
      [tokenHash, ip, userAgent],
      tx,
    );
  }

  /**
   * Supersedes the current token of a session unless that token is the derived one.
   * @returns whether a token was superseded
   */
  async supersedeDrawn({ id, user_id }: SessionKey, derivedHash: Buffer, tx: Db): Promise<boolean> {
    const ended = await this.database.execute(
      `UPDATE refresh_tokens t SET superseded_at = clock_timestamp() FROM sessions s
       WHERE s.user_id = $1 AND s.id = $2 AND t.session_id = s.id AND t.token_hash <> $3
         AND t.used_at IS NULL AND t.superseded_at IS NULL`,
      [user_id, id, derivedHash],
      tx,
    );
    return ended > 0;
  }

  /**
   * Records a refresh and moves the expiry forward, but never past the absolute lifetime.
   * @returns the seconds until the session expires
   */
  async extend(
    { id, user_id }: SessionKey,
    generation: number,
    lifeSeconds: number,
    absoluteSeconds: number,
    tx: Db,
  ): Promise<number> {
    const rows = await this.database.rows<{ seconds: number }>(
      `UPDATE sessions SET generation = $3, last_used_at = now(),
              expires_at = least(now() + make_interval(secs => $4), created_at + make_interval(secs => $5))
       WHERE user_id = $1 AND id = $2 RETURNING floor(extract(epoch FROM expires_at - now()))::int AS seconds`,
      [user_id, id, generation, lifeSeconds, absoluteSeconds],
      tx,
    );
    return rows[0]?.seconds ?? 0;
  }

  /** @returns the session that this call revoked, or null when the token belongs to no unrevoked session */
  async revokeByToken(tokenHash: Buffer, tx: Db): Promise<{ id: string; user_id: UserId } | null> {
    const rows = await this.database.rows<{ id: string; user_id: UserId }>(
      `UPDATE sessions SET revoked_at = now()
       WHERE id = (SELECT session_id FROM refresh_tokens WHERE token_hash = $1) /* tenant: whoever shows the token */ AND revoked_at IS NULL
       RETURNING id, user_id`,
      [tokenHash],
      tx,
    );
    return rows[0] ?? null;
  }

  /** Returns the active sessions of the caller, newest first. */
  list(scope: UserScope): Promise<Session[]> {
    return this.database
      .repository(Session)
      .createQueryBuilder('s')
      .where('s.userId = :userId AND s.revokedAt IS NULL AND s.expiresAt > now()', { userId: scope.userId })
      .orderBy('s.createdAt', 'DESC')
      .addOrderBy('s.id', 'DESC')
      .getMany();
  }

  /**
   * Revokes a session of the caller.
   * @returns whether the session was active before, or null when the account has no such session
   */
  async revokeOwn(scope: UserScope, id: string, tx: Db): Promise<{ wasAlive: boolean } | null> {
    const rows = await this.database.rows<{ was_alive: boolean }>(
      `UPDATE sessions s SET revoked_at = coalesce(s.revoked_at, now())
       FROM (SELECT id, revoked_at IS NULL AND expires_at > now() AS was_alive FROM sessions
             WHERE id = $1 AND user_id = $2 FOR UPDATE) old
       WHERE s.id = old.id RETURNING old.was_alive`,
      [id, scope.userId],
      tx,
    );
    return rows[0] === undefined ? null : { wasAlive: rows[0].was_alive };
  }

  /** Revokes every session of the account except `exceptId`. @returns the ids of the sessions that this call revoked */
  async revokeAll(userId: UserId, exceptId: string | null, tx: Db): Promise<string[]> {
    const rows = await this.database.rows<{ id: string }>(
      `UPDATE sessions SET revoked_at = now()
       WHERE user_id = $1 AND revoked_at IS NULL AND id IS DISTINCT FROM $2 RETURNING id`,
      [userId, exceptId],
      tx,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the account's password hash and share-locks the account's row until the transaction ends. Returns undefined
   * when there is no such account, or when it is disabled.
   */
  async holdPasswordHash(userId: UserId, tx: Db): Promise<string | null | undefined> {
    const rows = await this.database.rows<{ password_hash: string | null }>(
      'SELECT password_hash FROM users WHERE id = $1 AND disabled_at IS NULL FOR SHARE',
      [userId],
      tx,
    );
    return rows[0]?.password_hash;
  }

  async revoke({ id, user_id }: SessionKey, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE sessions SET revoked_at = coalesce(revoked_at, now()) WHERE user_id = $1 AND id = $2',
      [user_id, id],
      tx,
    );
  }

  /** Returns how many active sessions the account has. */
  async countOf(userId: UserId): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM sessions
       WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now()`,
      [userId],
    );
    return row?.count ?? 0;
  }

  async isAlive(sessionId: string, userId: UserId, db?: Db): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > now()',
      [sessionId, userId],
      db,
    );
    return rows.length > 0;
  }

  /**
   * Returns the state of a session. An active session is complete when it has two factors. A sign-in by a provider
   * counts as two factors, and so does any sign-in once its account has a second factor. A passkey is a second factor
   * itself.
   */
  async stateOf(sessionId: string, userId: UserId): Promise<SessionState> {
    const [row] = await this.database.rows<{ complete: boolean }>(
      `SELECT method = 'oauth'
              OR EXISTS (SELECT FROM totp_factors WHERE user_id = $2 AND confirmed_at IS NOT NULL)
              OR EXISTS (SELECT FROM passkeys WHERE user_id = $2) AS complete
       FROM sessions WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > now()`,
      [sessionId, userId],
    );
    if (row === undefined) return 'ended';
    return row.complete ? 'complete' : 'incomplete';
  }

  /** Deletes sessions that ended 30 days ago or earlier, with their tokens. @returns the number of deleted sessions */
  async maintain(): Promise<number> {
    return this.database.execute(
      `DELETE /* every tenant: what ended long ago */ FROM sessions
       WHERE least(expires_at, coalesce(revoked_at, expires_at)) < now() - interval '30 days'`,
    );
  }
}
