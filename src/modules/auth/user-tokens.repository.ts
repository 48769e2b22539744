import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../platform/database/database.js';
import { Upkeep } from '../../platform/upkeep/upkeep.js';
import type { UserTokenPurpose } from './user-token.entity.js';

/** Mailed single-use tokens, by hash. */
@Injectable()
export class UserTokensRepository extends Upkeep {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(
    token: {
      id: string;
      userId: string;
      purpose: UserTokenPurpose;
      tokenHash: Buffer;
      lifeSeconds: number;
      /** The address to change to, for that purpose alone. */
      email?: string;
    },
    db?: Db,
  ): Promise<void> {
    await this.database.execute(
      `INSERT INTO user_tokens (id, user_id, purpose, token_hash, expires_at, email)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), $6)`,
      [token.id, token.userId, token.purpose, token.tokenHash, token.lifeSeconds, token.email ?? null],
      db,
    );
  }

  /** Whose living token this is, without using it up; null when it is unknown, used or expired. */
  async find(tokenHash: Buffer, purpose: UserTokenPurpose): Promise<{ userId: string; email: string | null } | null> {
    const rows = await this.database.rows<{ userId: string; email: string | null }>(
      `SELECT user_id AS "userId", email FROM user_tokens
       WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()`,
      [tokenHash, purpose],
    );
    return rows[0] ?? null;
  }

  /** The owner of a living token, which is used up by this; null when it is unknown, used or expired. */
  async consume(tokenHash: Buffer, purpose: UserTokenPurpose, userId: string, tx: Db): Promise<string | null> {
    const rows = await this.database.rows<{ user_id: string }>(
      `UPDATE user_tokens SET used_at = now()
       WHERE token_hash = $1 AND purpose = $2 AND user_id = $3 AND used_at IS NULL AND expires_at > now()
       RETURNING user_id`,
      [tokenHash, purpose, userId],
      tx,
    );
    return rows[0]?.user_id ?? null;
  }

  /** Uses up what an account still holds of these purposes, since an act has made it stale. */
  async revokeAll(userId: string, purposes: readonly UserTokenPurpose[], tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE user_tokens SET used_at = now() WHERE user_id = $1 AND purpose = ANY($2) AND used_at IS NULL',
      [userId, purposes],
      tx,
    );
  }

  /** How many tokens of this purpose were made within the last seconds. */
  async countWithin(userId: string, purpose: UserTokenPurpose, seconds: number, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM user_tokens
       WHERE user_id = $1 AND purpose = $2 AND created_at > now() - make_interval(secs => $3)`,
      [userId, purpose, seconds],
      tx,
    );
    return row?.count ?? 0;
  }

  /** Was a token of this purpose made within the last seconds? Keeps mails apart. */
  async madeWithin(userId: string, purpose: UserTokenPurpose, seconds: number, db?: Db): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM user_tokens
       WHERE user_id = $1 AND purpose = $2 AND created_at > now() - make_interval(secs => $3) LIMIT 1`,
      [userId, purpose, seconds],
      db,
    );
    return rows.length > 0;
  }

  /** Deletes what can no longer be used. @returns how many */
  async upkeep(): Promise<number> {
    return this.database.execute(`DELETE FROM user_tokens WHERE expires_at < now() - interval '1 day'`);
  }
}
