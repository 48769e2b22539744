import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../access/index.js';
import { CONFIG, type Config } from '../../../config/index.js';
import { randomToken, sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { newId } from '../../../platform/ids/index.js';
import { type SecurityAct, SecurityEventsReader, SecurityEventsWriter } from '../security-events/index.js';
import { AccessTokenService } from './access-token.service.js';
import type { Client } from './client.js';
import { SessionLivenessCache } from './session-liveness.cache.js';
import type { SignInMethod } from './session.entity.js';
import type { TokenResponse } from './sessions.dto.js';
import { InvalidRefreshToken, RefreshTokenReused } from './sessions.errors.js';
import { type LockedSession, SessionsRepository } from './sessions.repository.js';

/**
 * For this time a used token is answered with the same successor again. The first response may be lost, or two browser
 * tabs may refresh at once.
 */
const GRACE_SECONDS = 10;
/** A session ends after this many refresh token lifetimes, however often it is refreshed. */
const ABSOLUTE_LIVES = 6;

type Rotation =
  | {
      outcome: 'rotated';
      refreshToken: string;
      sessionId: string;
      userId: UserId;
      secondsLeft: number;
      act: SecurityAct | null;
    }
  | { outcome: 'invalid' }
  | { outcome: 'reused'; sessionId: string; act: SecurityAct };

export interface OpenOptions {
  /** The hash that the password was compared with. No session is opened when the password has changed since. */
  readonly comparedHash?: string;
  /** Runs in the transaction that stores the session. */
  readonly opened?: (sessionId: string, tx: Db) => Promise<void>;
}

/** Opens, refreshes and ends sessions. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionsRepository,
    private readonly liveness: SessionLivenessCache,
    private readonly accessTokens: AccessTokenService,
    private readonly events: SecurityEventsWriter,
    private readonly history: SecurityEventsReader,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Opens a session for a user who has authenticated. Mails the owner when the combination of IP address and user agent
   * is new for the account.
   * @throws NotAuthenticated when the account is gone or disabled, or its password is no longer the compared one
   */
  async open(
    userId: UserId,
    method: SignInMethod,
    client: Client,
    { comparedHash, opened }: OpenOptions = {},
  ): Promise<TokenResponse> {
    const refreshToken = randomToken();
    const id = newId();
    const lifeSeconds = this.config.tokens.refreshTtlSeconds;
    const act = await this.database.transaction(async (tx): Promise<SecurityAct> => {
      // A concurrent reset either waits for this lock and then revokes the session, or finishes first and has changed
      // the hash.
      const hash = await this.sessions.holdPasswordHash(userId, tx);
      if (hash === undefined) throw new NotAuthenticated();
      if (comparedHash !== undefined && hash !== comparedHash) throw new NotAuthenticated();
      const isKnown = await this.history.knowsDevice(userId, client, tx);
      await this.sessions.insert({ id, userId, method, ...client, lifeSeconds }, sha256(refreshToken), tx);
      await opened?.(id, tx);
      const type = isKnown ? 'signed_in' : 'signed_in_new_device';
      const signedIn: SecurityAct = { userId, type, client, detail: { method, session_id: id } };
      await this.events.record(signedIn, tx);
      return signedIn;
    });
    if (act.type === 'signed_in_new_device') this.events.announce(act);
    return this.answer(userId, id, refreshToken, lifeSeconds);
  }

  /**
   * Exchanges a refresh token for its successor. The successor is derived, so every exchange within the grace period
   * returns the same token on every instance, and a session never has two successors.
   */
  async refresh(refreshToken: string, client: Client): Promise<TokenResponse> {
    const rotation = await this.rotate(refreshToken, client);
    if (rotation.outcome === 'rotated') {
      if (rotation.act !== null) this.events.announce(rotation.act);
      return this.answer(rotation.userId, rotation.sessionId, rotation.refreshToken, rotation.secondsLeft);
    }
    if (rotation.outcome === 'invalid') throw new InvalidRefreshToken();
    this.liveness.forget([rotation.sessionId]);
    this.events.announce(rotation.act);
    throw new RefreshTokenReused();
  }

  /** Revokes the session of the refresh token. Succeeds also when no active session matches. */
  async logout(refreshToken: string, client: Client): Promise<void> {
    const ended = await this.database.transaction(async (tx) => {
      const session = await this.sessions.revokeByToken(sha256(refreshToken), tx);
      if (session === null) return [];
      await this.liveness.announceRevoked([session.id], tx);
      await this.events.record(
        { userId: session.user_id, type: 'signed_out', client, detail: { session_id: session.id } },
        tx,
      );
      return [session.id];
    });
    this.forget(ended);
  }

  /**
   * Revokes every session of an account, except `exceptId` when it is given, in the caller's transaction.
   * @returns the ids of the revoked sessions, for {@link forget} after the commit
   */
  async revokeAllOf(userId: UserId, tx: Db, exceptId: string | null = null): Promise<string[]> {
    const ended = await this.sessions.revokeAll(userId, exceptId, tx);
    await this.liveness.announceRevoked(ended, tx);
    return ended;
  }

  /** Returns how many active sessions the account has. */
  countOf(userId: UserId): Promise<number> {
    return this.sessions.countOf(userId);
  }

  /** Stops revoked sessions at once on this instance. Other instances are notified when the transaction commits. */
  forget(sessionIds: readonly string[]): void {
    this.liveness.forget(sessionIds);
  }

  /**
   * Protects changes that must not outlive their session. Callers lock the account's row first.
   * @throws NotAuthenticated when the session has been revoked or has expired
   */
  async requireAlive(scope: UserScope, tx: Db): Promise<void> {
    if (!(await this.sessions.isAlive(scope.sessionId, scope.userId, tx))) throw new NotAuthenticated();
  }

  /**
   * Rotates the refresh token. The transaction commits also when reuse is detected, because the revocation must persist
   * although the caller is refused.
   */
  private rotate(refreshToken: string, client: Client): Promise<Rotation> {
    const tokenHash = sha256(refreshToken);
    return this.database.transaction(async (tx): Promise<Rotation> => {
      const session = await this.sessions.lockByToken(tokenHash, tx);
      if (session === null || !session.alive) return { outcome: 'invalid' };
      const token = await this.sessions.getToken(tokenHash, client, tx);
      if (token.superseded) return { outcome: 'invalid' };

      const isLiving = token.used_seconds_ago === null;
      const isDirectPredecessor = token.generation === session.generation - 1;
      if (!isLiving && !(isDirectPredecessor && (token.used_seconds_ago ?? 0) <= GRACE_SECONDS)) {
        await this.sessions.revoke(session, tx);
        await this.liveness.announceRevoked([session.id], tx);
        const detail = { session_id: session.id };
        const act: SecurityAct = { userId: session.user_id, type: 'refresh_token_reused', client, detail };
        await this.events.record(act, tx);
        return { outcome: 'reused', sessionId: session.id, act };
      }

      const generation = token.generation + 1;
      const successor = successorOf(refreshToken, session.refresh_secret, generation);
      const successorHash = sha256(successor);
      if (isLiving) await this.sessions.markUsed(tokenHash, client, tx);
      // Within the grace period the successor is already stored, unless an earlier version of the service, which drew
      // tokens at random, made the exchange.
      if (isLiving || (await this.sessions.supersedeDrawn(session, successorHash, tx)))
        await this.sessions.insertToken(successorHash, session.id, generation, tx);
      const act = token.used_elsewhere ? await this.noteSecondPlace(session, client, tx) : null;
      const life = this.config.tokens.refreshTtlSeconds;
      const secondsLeft = await this.sessions.extend(session, generation, life, life * ABSOLUTE_LIVES, tx);
      const { id: sessionId, user_id: userId } = session;
      return { outcome: 'rotated', refreshToken: successor, sessionId, userId, secondsLeft, act };
    });
  }

  private async noteSecondPlace(session: LockedSession, client: Client, tx: Db): Promise<SecurityAct> {
    const detail = { session_id: session.id };
    const act: SecurityAct = { userId: session.user_id, type: 'refresh_token_shared', client, detail };
    await this.events.record(act, tx);
    return act;
  }

  private async answer(
    userId: UserId,
    sessionId: string,
    refreshToken: string,
    secondsLeft: number,
  ): Promise<TokenResponse> {
    return {
      access_token: await this.accessTokens.sign({ userId, sessionId }),
      refresh_token: refreshToken,
      access_expires_in: this.accessTokens.lifeSeconds,
      refresh_expires_in: secondsLeft,
      token_type: 'bearer',
    };
  }
}

/**
 * Derives the next refresh token from the session's secret, which is stored, and the current token, which is stored
 * only as a hash. So neither a copy of the database nor a stolen token alone yields the tokens that follow.
 */
function successorOf(refreshToken: string, secret: Buffer, generation: number): string {
  return createHmac('sha256', secret).update(`${generation}:${refreshToken}`).digest('base64url');
}
