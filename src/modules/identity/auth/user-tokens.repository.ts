import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import type { UserTokenPurpose } from './user-token.entity.js';

/**
 * The owner of a token: an account, or the hash of an address without an account. Requests for such an address write
 * equal rows.
 */
export type TokenOwner = { readonly userId: UserId } | { readonly strangerHash: Buffer };

export type NewUserToken = TokenOwner & {
  id: string;
  purpose: UserTokenPurpose;
  tokenHash: Buffer;
  lifeSeconds: number;
  /** The new address of an address change. Absent for the other purposes. */
  email?: string;
};

/** Stores mailed single-use tokens by hash. */
@Injectable()
export class UserTokensRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(token: NewUserToken, db?: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO user_tokens (id, user_id, stranger_hash, purpose, token_hash, expires_at, email)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6), $7)`,
      valuesOf(token),
      db,
    );
  }

  /**
   * Stores the token unless a token with the same owner and purpose was stored within the last `seconds`. Every owner
   * takes the same statement. Callers lock the account's row.
   * @returns false when such a recent token exists, which limits how often mails are sent
   */
  async insertUnlessMadeWithin(token: NewUserToken, seconds: number, tx: Db): Promise<boolean> {
    const affected = await this.database.execute(
      `INSERT INTO user_tokens (id, user_id, stranger_hash, purpose, token_hash, expires_at, email)
       SELECT $1::uuid, $2::uuid, $3::bytea, $4::text, $5::bytea, now() + make_interval(secs => $6), $7::text
       WHERE NOT EXISTS (
         SELECT FROM user_tokens WHERE (user_id = $2::uuid OR stranger_hash = $3::bytea) AND purpose = $4::text
           AND created_at > now() - make_interval(secs => $8))`,
      [...valuesOf(token), seconds],
      tx,
    );
    return affected === 1;
  }

  /** Returns the owner of a valid token without using it up, or null when the token is unknown, used or expired. */
  async find(tokenHash: Buffer, purpose: UserTokenPurpose): Promise<{ userId: UserId; email: string | null } | null> {
    const rows = await this.database.rows<{ userId: UserId; email: string | null }>(
      `SELECT user_id AS "userId", email FROM user_tokens
       WHERE token_hash = $1 /* tenant: whoever shows the token */ AND purpose = $2
         AND used_at IS NULL AND expires_at > now() AND user_id IS NOT NULL`,
      [tokenHash, purpose],
    );
    return rows[0] ?? null;
  }

  /** Uses up a valid token and returns its owner, or null when the token is unknown, used or expired. */
  async consume(tokenHash: Buffer, purpose: UserTokenPurpose, userId: UserId, tx: Db): Promise<string | null> {
    const rows = await this.database.rows<{ user_id: UserId }>(
      `UPDATE user_tokens SET used_at = now()
       WHERE token_hash = $1 AND purpose = $2 AND user_id = $3 AND used_at IS NULL AND expires_at > now()
       RETURNING user_id`,
      [tokenHash, purpose, userId],
      tx,
    );
    return rows[0]?.user_id ?? null;
  }

  /** Uses up the unused tokens of these purposes, because a change to the account has made them stale. */
  async revokeAll(userId: UserId, purposes: readonly UserTokenPurpose[], tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE user_tokens SET used_at = now() WHERE user_id = $1 AND purpose = ANY($2) AND used_at IS NULL',
      [userId, purposes],
      tx,
    );
  }

  /** Returns how many tokens of this purpose the account got within the last `seconds`. */
  async countWithin(userId: UserId, purpose: UserTokenPurpose, seconds: number, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM user_tokens
       WHERE user_id = $1 AND purpose = $2 AND created_at > now() - make_interval(secs => $3)`,
      [userId, purpose, seconds],
      tx,
    );
    return row?.count ?? 0;
  }

  /**
   * Returns whether a token of this purpose was stored within the last `seconds`. Callers use the result to limit how
   * often mails are sent.
   */
  async madeWithin(owner: string | TokenOwner, purpose: UserTokenPurpose, seconds: number, db?: Db): Promise<boolean> {
    const [column, value] =
      typeof owner === 'string'
        ? ['user_id', owner]
        : 'userId' in owner
          ? ['user_id', owner.userId]
          : ['stranger_hash', owner.strangerHash];
    const rows = await this.database.rows(
      `SELECT 1 FROM user_tokens
       WHERE ${column} = $1 /* tenant: the owner, or the stranger */ AND purpose = $2 AND created_at > now() - make_interval(secs => $3) LIMIT 1`,
      [value, purpose, seconds],
      db,
    );
    return rows.length > 0;
  }

  /** Deletes tokens that are no longer needed. @returns the number of deleted tokens */
  async maintain(): Promise<number> {
    const expired = await this.database.execute(
      `DELETE /* every tenant: what has expired */ FROM user_tokens WHERE expires_at < now() - interval '1 day'`,
    );
    // Tokens of addresses without an account are never mailed. They only limit how often requests are handled.
    const strangers = await this.database.execute(
      `DELETE /* every tenant: nobody's */ FROM user_tokens WHERE stranger_hash IS NOT NULL AND created_at < now() - interval '5 minutes'`,
    );
    return expired + strangers;
  }
}

function valuesOf(token: NewUserToken): unknown[] {
  return [
    token.id,
    'userId' in token ? token.userId : null,
    'strangerHash' in token ? token.strangerHash : null,
    token.purpose,
    token.tokenHash,
    token.lifeSeconds,
    token.email ?? null,
  ];
}
