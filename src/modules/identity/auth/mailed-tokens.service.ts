import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { randomToken, sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { type User, UsersReader } from '../users/index.js';
import type { UserTokenPurpose } from './user-token.entity.js';
import { UserTokensRepository } from './user-tokens.repository.js';

/** A valid token that a request has presented. */
export interface ShownToken {
  readonly hash: Buffer;
  readonly purpose: UserTokenPurpose;
  readonly userId: UserId;
  /** The new address of an address change. Null for the other purposes. */
  readonly email: string | null;
}

export interface LimitedToken {
  readonly purpose: UserTokenPurpose;
  readonly lifeSeconds: number;
  readonly email: string;
  /** Maximum number of tokens that are stored within the lifetime of one. Beyond the maximum no token is stored. */
  readonly most: number;
}

/** Stores, finds, redeems and revokes single-use tokens that are sent by mail. */
@Injectable()
export class MailedTokensService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
    private readonly tokens: UserTokensRepository,
  ) {}

  /**
   * Returns a valid token without using it up. An invented token costs every caller the same: one lookup, but no lock
   * and no hash.
   * @returns null when the token is unknown, used or expired
   */
  async find(token: string, purpose: UserTokenPurpose): Promise<ShownToken | null> {
    const hash = sha256(token);
    const found = await this.tokens.find(hash, purpose);
    return found === null ? null : { ...found, hash, purpose };
  }

  /**
   * Uses up a token and runs the work once, with the owner's row locked. An error that the work throws leaves the token
   * unused.
   * @param stale purposes of the owner's other tokens that the work makes useless
   * @returns null when the token was used or has expired in the meantime, so that the work did not run
   */
  redeem<T>(
    { hash, purpose, userId }: ShownToken,
    stale: readonly UserTokenPurpose[],
    work: (owner: User, tx: Db) => Promise<T>,
  ): Promise<T | null> {
    return this.database.transaction(async (tx) => {
      const owner = await this.users.lock(userId, tx);
      if ((await this.tokens.consume(hash, purpose, owner.id, tx)) === null) return null;
      await this.tokens.revokeAll(owner.id, stale, tx);
      return work(owner, tx);
    });
  }

  /**
   * Stores a token and revokes the earlier ones of its purpose, so that only the newest works. Callers lock the owner's
   * row.
   * @returns the token, or null when there were too many already
   */
  async replace(userId: UserId, { purpose, lifeSeconds, email, most }: LimitedToken, tx: Db): Promise<string | null> {
    if ((await this.tokens.countWithin(userId, purpose, lifeSeconds, tx)) >= most) return null;
    await this.tokens.revokeAll(userId, [purpose], tx);
    const token = randomToken();
    await this.tokens.insert({ id: newId(), userId, purpose, tokenHash: sha256(token), lifeSeconds, email }, tx);
    return token;
  }

  /** Revokes the unused tokens of these purposes, after a change to the account that makes them useless. */
  revoke(userId: UserId, purposes: readonly UserTokenPurpose[], tx: Db): Promise<void> {
    return this.tokens.revokeAll(userId, purposes, tx);
  }
}
