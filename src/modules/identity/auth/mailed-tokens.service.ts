import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { randomToken, sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { type User, UsersReader } from '../users/index.js';
import type { UserTokenPurpose } from './user-token.entity.js';
import { UserTokensRepository } from './user-tokens.repository.js';

/** A living token that somebody has shown. */
export interface ShownToken {
  readonly hash: Buffer;
  readonly purpose: UserTokenPurpose;
  readonly userId: UserId;
  /** The address to change to, for that purpose alone. */
  readonly email: string | null;
}

export interface LimitedToken {
  readonly purpose: UserTokenPurpose;
  readonly lifeSeconds: number;
  readonly email: string;
  /** So many are made within the life of one. */
  readonly most: number;
}

/** Single-use tokens that are mailed: how one is made, what it opens, and when it ends. */
@Injectable()
export class MailedTokensService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
    private readonly tokens: UserTokensRepository,
  ) {}

  /**
   * Without using it up: a made-up token costs one look-up, the same for everybody, and neither a lock nor a hash.
   * @returns null when it is unknown, used or expired
   */
  async find(token: string, purpose: UserTokenPurpose): Promise<ShownToken | null> {
    const hash = sha256(token);
    const found = await this.tokens.find(hash, purpose);
    return found === null ? null : { ...found, hash, purpose };
  }

  /**
   * What a token opens, once, under the row of its owner; an error that the work throws leaves the token as it was.
   * @param stale purposes of the owner's other tokens that the act makes useless
   * @returns null when the token was used or has expired meanwhile, and nothing was done
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
   * In place of those of its purpose before it: the newest alone works. Callers hold the owner's row.
   * @returns the token; null when there were too many already
   */
  async replace(userId: UserId, { purpose, lifeSeconds, email, most }: LimitedToken, tx: Db): Promise<string | null> {
    if ((await this.tokens.countWithin(userId, purpose, lifeSeconds, tx)) >= most) return null;
    await this.tokens.revokeAll(userId, [purpose], tx);
    const token = randomToken();
    await this.tokens.insert({ id: newId(), userId, purpose, tokenHash: sha256(token), lifeSeconds, email }, tx);
    return token;
  }

  /** After an act that has made them useless. */
  revoke(userId: UserId, purposes: readonly UserTokenPurpose[], tx: Db): Promise<void> {
    return this.tokens.revokeAll(userId, purposes, tx);
  }
}
