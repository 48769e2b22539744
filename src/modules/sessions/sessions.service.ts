import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/index.js';
import { randomToken, sha256 } from '../../platform/crypto/index.js';
import { Database } from '../../platform/database/database.js';
import { NotAuthenticated } from '../../platform/http/domain-error.js';
import { newId } from '../../platform/ids/index.js';
import { AccessTokens } from './access-tokens.js';
import type { Client } from './client.js';
import { SessionLiveness } from './session-liveness.js';
import type { SignInMethod } from './session.entity.js';
import type { TokenResponse } from './sessions.dto.js';
import { InvalidRefreshToken, RefreshTokenReused } from './sessions.errors.js';
import { SessionsRepository } from './sessions.repository.js';

/** Within this the direct predecessor may be sent again, because its answer may have been lost (DECISIONS 2). */
const GRACE_SECONDS = 10;
/** However often it is refreshed, a session ends after this many refresh lives. */
const ABSOLUTE_LIVES = 6;

type Rotation =
  | { outcome: 'rotated'; refreshToken: string; sessionId: string; userId: string; secondsLeft: number }
  | { outcome: 'invalid' }
  | { outcome: 'reused'; sessionId: string };

export interface OpenOptions {
  /** The hash the password was compared with: no session is opened when the password was changed meanwhile. */
  readonly comparedHash?: string;
}

/** Opens, refreshes and ends sessions. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionsRepository,
    private readonly liveness: SessionLiveness,
    private readonly accessTokens: AccessTokens,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws NotAuthenticated when the compared password is no longer the account's */
  async open(
    userId: string,
    method: SignInMethod,
    client: Client,
    { comparedHash }: OpenOptions = {},
  ): Promise<TokenResponse> {
    const refreshToken = randomToken();
    const id = newId();
    const lifeSeconds = this.config.tokens.refreshTtlSeconds;
    await this.database.transaction(async (tx) => {
      const hash = await this.sessions.holdPasswordHash(userId, tx);
      if (comparedHash !== undefined && hash !== comparedHash) throw new NotAuthenticated();
      await this.sessions.insert({ id, userId, method, ...client, lifeSeconds }, sha256(refreshToken), tx);
    });
    return this.answer(userId, id, refreshToken, lifeSeconds);
  }

  /**
   * Exchanges a refresh token. The session row is locked first, so parallel calls with one token make one
   * line: the second call finds the token used and, within the grace, supersedes what the first was given.
   */
  async refresh(refreshToken: string): Promise<TokenResponse> {
    const rotation = await this.rotate(sha256(refreshToken));
    if (rotation.outcome === 'rotated') {
      return this.answer(rotation.userId, rotation.sessionId, rotation.refreshToken, rotation.secondsLeft);
    }
    if (rotation.outcome === 'invalid') throw new InvalidRefreshToken();
    this.liveness.forget(rotation.sessionId);
    throw new RefreshTokenReused();
  }

  /** Also fine when no active session matches. */
  async logout(refreshToken: string): Promise<void> {
    const sessionId = await this.database.transaction(async (tx) => {
      const id = await this.sessions.revokeByToken(sha256(refreshToken), tx);
      if (id !== null) await this.liveness.announceRevoked(id, tx);
      return id;
    });
    if (sessionId !== null) this.liveness.forget(sessionId);
  }

  /** The reuse outcome commits too: the revocation must stand although the caller is refused. */
  private rotate(tokenHash: Buffer): Promise<Rotation> {
    return this.database.transaction(async (tx): Promise<Rotation> => {
      const session = await this.sessions.lockByToken(tokenHash, tx);
      if (session === null || !session.alive) return { outcome: 'invalid' };
      const token = await this.sessions.getToken(tokenHash, tx);
      if (token.superseded) return { outcome: 'invalid' };

      const isLiving = token.used_seconds_ago === null;
      const isDirectPredecessor = token.generation === session.generation - 1;
      if (!isLiving && !(isDirectPredecessor && (token.used_seconds_ago ?? 0) <= GRACE_SECONDS)) {
        await this.sessions.revoke(session.id, tx);
        await this.liveness.announceRevoked(session.id, tx);
        return { outcome: 'reused', sessionId: session.id };
      }

      const generation = token.generation + 1;
      if (isLiving) await this.sessions.markUsed(tokenHash, tx);
      else await this.sessions.supersede(session.id, generation, tx);
      const next = randomToken();
      await this.sessions.insertToken(sha256(next), session.id, generation, tx);
      const life = this.config.tokens.refreshTtlSeconds;
      const secondsLeft = await this.sessions.extend(session.id, generation, life, life * ABSOLUTE_LIVES, tx);
      return { outcome: 'rotated', refreshToken: next, sessionId: session.id, userId: session.user_id, secondsLeft };
    });
  }

  private async answer(
    userId: string,
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
