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
    token: { id: string; userId: string; purpose: UserTokenPurpose; tokenHash: Buffer; lifeSeconds: number },
    db?: Db,
  ): Promise<void> {
    await this.database.execute(
      `INSERT INTO user_tokens (id, user_id, purpose, token_hash, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [token.id, token.userId, token.purpose, token.tokenHash, token.lifeSeconds],
      db,
    );
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
