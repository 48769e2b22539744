import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/**
 * Stores the wrong second-factor answers of an account, and until when its second factor is locked. All times come from
 * the database clock.
 */
@Injectable()
export class SecondFactorFailuresRepository {
  constructor(private readonly database: Database) {}

  /** Returns the seconds until the lock ends, or null when the account is not locked. */
  async secondsLeft(userId: UserId, db?: Db): Promise<number | null> {
    const rows = await this.database.rows<{ seconds: number }>(
      `SELECT extract(epoch FROM locked_until - now())::float8 AS seconds
       FROM second_factor_failures WHERE user_id = $1 AND locked_until > now()`,
      [userId],
      db,
    );
    return rows[0]?.seconds ?? null;
  }

  /** Records a failure. @returns the number of failures within the last `windowSeconds` */
  async add(userId: UserId, windowSeconds: number, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ failures: number }>(
      `INSERT INTO second_factor_failures AS f (user_id, failed_at) VALUES ($1, ARRAY[now()])
       ON CONFLICT (user_id) DO UPDATE SET failed_at =
         ARRAY(SELECT t FROM unnest(f.failed_at) t WHERE t > now() - make_interval(secs => $2)) || now()
       RETURNING cardinality(failed_at) AS failures`,
      [userId, windowSeconds],
      tx,
    );
    return row?.failures ?? 0;
  }

  /** Locks the second factor for some seconds and resets the count. */
  async lock(userId: UserId, seconds: number, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE second_factor_failures SET failed_at = '{}', locked_until = now() + make_interval(secs => $2)
       WHERE user_id = $1`,
      [userId, seconds],
      tx,
    );
  }

  async remove(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM second_factor_failures WHERE user_id = $1', [userId], tx);
  }
}
