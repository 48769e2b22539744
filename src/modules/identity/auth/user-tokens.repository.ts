import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import type { UserTokenPurpose } from './user-token.entity.js';

/** Whom a token is for: an account, or an address that has none, for which as much is written. */
export type TokenOwner = { readonly userId: UserId } | { readonly strangerHash: Buffer };

export type NewUserToken = TokenOwner & {
  id: string;
  purpose: UserTokenPurpose;
  tokenHash: Buffer;
  lifeSeconds: number;
  /** The address to change to, for that purpose alone. */
  email?: string;
};

/** Mailed single-use tokens, by hash. */
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
   * By one statement, whoever the owner is; callers hold the owner's row.
   * @returns false when a token of the purpose was made within the last seconds, which keeps mails apart
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

  /** Whose living token this is, without using it up; null when it is unknown, used or expired. */
  async find(tokenHash: Buffer, purpose: UserTokenPurpose): Promise<{ userId: UserId; email: string | null } | null> {
    const rows = await this.database.rows<{ userId: UserId; email: string | null }>(
      `SELECT user_id AS "userId", email FROM user_tokens
       WHERE token_hash = $1 /* tenant: whoever shows the token */ AND purpose = $2
         AND used_at IS NULL AND expires_at > now() AND user_id IS NOT NULL`,
      [tokenHash, purpose],
    );
    return rows[0] ?? null;
  }

  /** The owner of a living token, which is used up by this; null when it is unknown, used or expired. */
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

  /** Uses up what an account still holds of these purposes, since an act has made it stale. */
  async revokeAll(userId: UserId, purposes: readonly UserTokenPurpose[], tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE user_tokens SET used_at = now() WHERE user_id = $1 AND purpose = ANY($2) AND used_at IS NULL',
      [userId, purposes],
      tx,
    );
  }

  /** How many tokens of this purpose were made within the last seconds. */
  async countWithin(userId: UserId, purpose: UserTokenPurpose, seconds: number, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM user_tokens
       WHERE user_id = $1 AND purpose = $2 AND created_at > now() - make_interval(secs => $3)`,
      [userId, purpose, seconds],
      tx,
    );
    return row?.count ?? 0;
  }

  /** Was a token of this purpose made within the last seconds? Keeps mails apart. */
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

  /** Deletes what can no longer be used. @returns how many */
  async maintain(): Promise<number> {
    const expired = await this.database.execute(
      `DELETE /* every tenant: what has expired */ FROM user_tokens WHERE expires_at < now() - interval '1 day'`,
    );
    // Nobody has been mailed those of strangers; they only keep requests apart.
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
