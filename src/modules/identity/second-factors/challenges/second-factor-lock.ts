import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { AccountAct } from '../account-acts.js';

const LIMIT = 20;
const WINDOW_SECONDS = 900;
const LOCK_SECONDS = 900;

/**
 * One count of failures over all second factors of an account, apart from the password's: the 20th within 15 minutes
 * locks the second factor for 15 minutes. Callers hold the account's row, so parallel answers are counted one by one.
 */
@Injectable()
export class SecondFactorLock {
  constructor(private readonly database: Database) {}

  /** Seconds until answers are heard again; null: not locked. */
  async secondsLeft(userId: UserId, db?: Db): Promise<number | null> {
    const rows = await this.database.rows<{ seconds: number }>(
      `SELECT extract(epoch FROM locked_until - now())::float8 AS seconds
       FROM second_factor_failures WHERE user_id = $1 AND locked_until > now()`,
      [userId],
      db,
    );
    return rows[0]?.seconds ?? null;
  }

  /** Counts one more; the one that locks also ends every half-finished sign-in of the account. */
  async countFailure({ tx, user, note }: AccountAct, method: string): Promise<void> {
    await note('second_factor_failed', { method });
    const [row] = await this.database.rows<{ failures: number }>(
      `INSERT INTO second_factor_failures AS f (user_id, failed_at) VALUES ($1, ARRAY[now()])
       ON CONFLICT (user_id) DO UPDATE SET failed_at =
         ARRAY(SELECT t FROM unnest(f.failed_at) t WHERE t > now() - make_interval(secs => $2)) || now()
       RETURNING cardinality(failed_at) AS failures`,
      [user.id, WINDOW_SECONDS],
      tx,
    );
    if (row === undefined || row.failures < LIMIT) return;
    await this.database.execute(
      `UPDATE second_factor_failures SET failed_at = '{}', locked_until = now() + make_interval(secs => $2)
       WHERE user_id = $1`,
      [user.id, LOCK_SECONDS],
      tx,
    );
    await this.database.execute('DELETE FROM sign_in_challenges WHERE user_id = $1', [user.id], tx);
    await note('second_factor_locked');
  }

  /** After a good answer. */
  async reset({ tx, user }: AccountAct): Promise<void> {
    await this.database.execute('DELETE FROM second_factor_failures WHERE user_id = $1', [user.id], tx);
  }
}
