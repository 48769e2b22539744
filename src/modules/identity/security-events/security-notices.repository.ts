import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { SecurityEventType } from './security-event-types.js';

/** An event whose mail is due. */
export interface DueNotice {
  readonly id: string;
  readonly type: SecurityEventType;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly noticeTo: string;
}

/** Between two mails of a kind to one account, and between two tries of one that did not go out. */
const PAUSE = `interval '1 minute'`;
const MOST_AT_ONCE = 500;
const MOST_ACCOUNTS = 200;

/** Which security events still have to be mailed. */
@Injectable()
export class SecurityNoticesRepository {
  constructor(private readonly database: Database) {}

  /** Takes what is due of an account, oldest first, for a minute: in parallel nobody else gets it, nor newer ones of its kind. */
  claim(userId: UserId): Promise<DueNotice[]> {
    return this.database.transaction(async (tx) => {
      // Held by a statement before, so that the next one sees what another process has just taken.
      await this.database.execute(
        'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
        [`security notices of ${userId}`],
        tx,
      );
      return this.claimAlone(userId, tx);
    });
  }

  /** They were mailed, or never can be. */
  async done(userId: UserId, ids: readonly string[]): Promise<void> {
    await this.database.execute('UPDATE security_events SET notice_to = NULL WHERE user_id = $1 AND id = ANY($2)', [
      userId,
      ids,
    ]);
  }

  /** Accounts with something due that nobody is mailing: first those never tried, then the ones whose last try is longest ago. */
  async accounts(): Promise<UserId[]> {
    const rows = await this.database.rows<{ user_id: UserId }>(
      `SELECT /* every tenant: who is due */ user_id FROM security_events
       WHERE notice_to IS NOT NULL AND (notice_at IS NULL OR notice_at <= now() - ${PAUSE})
       GROUP BY user_id ORDER BY bool_or(notice_at IS NULL) DESC, min(notice_at), min(created_at) LIMIT ${MOST_ACCOUNTS}`,
    );
    return rows.map((row) => row.user_id);
  }

  /** @returns how many were too old to be mailed still */
  giveUp(): Promise<number> {
    return this.database.execute(
      `UPDATE /* every tenant: what is too old */ security_events SET notice_to = NULL
       WHERE notice_to IS NOT NULL AND created_at < now() - interval '1 day'`,
    );
  }

  /** What was written for addresses without an account. */
  forgetNobodys(): Promise<number> {
    return this.database.execute("DELETE /* every tenant: nobody's */ FROM security_events WHERE user_id IS NULL");
  }

  private claimAlone(userId: UserId, tx: Db): Promise<DueNotice[]> {
    return this.database.rows<DueNotice>(
      `WITH due AS (
         SELECT id FROM security_events e
         WHERE user_id = $1 AND notice_to IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM security_events mailed
           WHERE mailed.user_id = e.user_id AND mailed.type = e.type
             AND mailed.created_at > now() - interval '2 days' AND mailed.notice_at > now() - ${PAUSE})
         ORDER BY created_at LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED
       ), claimed AS (
         UPDATE security_events e SET notice_at = now() FROM due WHERE e.id = due.id
         RETURNING e.id, e.type, e.ip, e.user_agent, e.detail, e.notice_to, e.created_at
       )
       SELECT id, type, ip, user_agent AS "userAgent", detail, notice_to AS "noticeTo" FROM claimed ORDER BY created_at, id`,
      [userId],
      tx,
    );
  }
}
