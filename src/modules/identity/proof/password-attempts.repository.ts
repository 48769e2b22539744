import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';

/** The length of the counting window and of a lock. */
const WINDOW = `interval '15 minutes'`;

export type Reservation =
  | {
      readonly outcome: 'granted';
      /** The time of the attempt as PostgreSQL prints it, which keeps microseconds. */
      readonly at: string;
      readonly isLast: boolean;
    }
  | { readonly outcome: 'locked'; readonly secondsLeft: number };

/**
 * Counts password attempts in PostgreSQL, so that all instances share the counts. All times come from the database
 * clock.
 */
@Injectable()
export class PasswordAttemptsRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  /**
   * Counts an attempt before its password is compared. At most `maxAttempts` attempts are granted per window, also when
   * attempts run in parallel. The last granted attempt sets the lock. A correct password deletes the row.
   */
  async reserve(subjectHash: Buffer, maxAttempts: number): Promise<Reservation> {
    const [granted] = await this.database.rows<{ at: string; is_last: boolean }>(
      `INSERT INTO password_attempts AS a (subject_hash, attempted_at, expires_at)
       VALUES ($1, ARRAY[clock_timestamp()], clock_timestamp() + ${WINDOW})
       ON CONFLICT (subject_hash) DO UPDATE SET (attempted_at, locked_until, expires_at) = (
         SELECT recent || n.at, CASE WHEN cardinality(recent) + 1 >= $2 THEN n.at + ${WINDOW} END, n.at + ${WINDOW}
         FROM (SELECT clock_timestamp() AS at) n,
              LATERAL (SELECT ARRAY(SELECT t FROM unnest(a.attempted_at) t WHERE t > n.at - ${WINDOW} ORDER BY t) AS recent) r
       )
       WHERE a.locked_until IS NULL OR a.locked_until <= clock_timestamp()
       RETURNING attempted_at[cardinality(attempted_at)]::text AS at, locked_until IS NOT NULL AS is_last`,
      [subjectHash, maxAttempts],
    );
    if (granted !== undefined) return { outcome: 'granted', at: granted.at, isLast: granted.is_last };
    const [lock] = await this.database.rows<{ seconds: number }>(
      `SELECT ceil(extract(epoch FROM locked_until - clock_timestamp()))::int AS seconds
       FROM password_attempts WHERE subject_hash = $1`,
      [subjectHash],
    );
    return { outcome: 'locked', secondsLeft: Math.max(1, lock?.seconds ?? 1) };
  }

  /** Deletes the counted attempts after a correct password. */
  async clear(subjectHash: Buffer): Promise<void> {
    await this.database.execute('DELETE FROM password_attempts WHERE subject_hash = $1', [subjectHash]);
  }

  /** Takes back an attempt whose password was never compared. */
  async release(subjectHash: Buffer, at: string, maxAttempts: number): Promise<void> {
    await this.database.execute(
      `UPDATE password_attempts SET
         attempted_at = array_remove(attempted_at, $2::timestamptz),
         locked_until = CASE WHEN cardinality(array_remove(attempted_at, $2::timestamptz)) >= $3 THEN locked_until END
       WHERE subject_hash = $1`,
      [subjectHash, at, maxAttempts],
    );
  }

  async maintain(): Promise<number> {
    return this.database.execute('DELETE FROM password_attempts WHERE expires_at < now()');
  }
}
