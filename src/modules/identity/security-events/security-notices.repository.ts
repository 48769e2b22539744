import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { SecurityEventType } from './security-event-types.js';

/** A security event whose mail is due. */
export interface DueNotice {
  readonly id: string;
  readonly type: SecurityEventType;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly noticeTo: string;
}

/** Minimum time between two mails of one event type to one account, and between two attempts to send a mail. */
const PAUSE = `interval '1 minute'`;
const MOST_AT_ONCE = 500;
const MOST_ACCOUNTS = 200;

/** Stores which security events still have to be mailed. */
@Injectable()
export class SecurityNoticesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims the due events of an account for one minute, oldest first. During that minute no other process claims these
   * events or newer events of the same types.
   */
  claim(userId: UserId): Promise<DueNotice[]> {
    return this.database.transaction(async (tx) => {
      // The lock is taken in a statement of its own, so that the next statement sees what another process has just
      // claimed.
      await this.database.execute(
        'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
        [`security notices of ${userId}`],
        tx,
      );
      return this.claimAlone(userId, tx);
    });
  }

  /** Marks events as mailed, or as undeliverable. */
  async done(userId: UserId, ids: readonly string[]): Promise<void> {
    await this.database.execute('UPDATE security_events SET notice_to = NULL WHERE user_id = $1 AND id = ANY($2)', [
      userId,
      ids,
    ]);
  }

  /**
   * Returns accounts with due events that no process is mailing. Accounts with events that were never attempted come
   * first, then those with the oldest last attempt.
   */
  async accounts(): Promise<UserId[]> {
    const rows = await this.database.rows<{ user_id: UserId }>(
      `SELECT /* every tenant: who is due */ user_id FROM security_events
       WHERE notice_to IS NOT NULL AND (notice_at IS NULL OR notice_at <= now() - ${PAUSE})
       GROUP BY user_id ORDER BY bool_or(notice_at IS NULL) DESC, min(notice_at), min(created_at) LIMIT ${MOST_ACCOUNTS}`,
    );
    return rows.map((row) => row.user_id);
  }

  /** Gives up mails of events that are older than a day. @returns the number of such events */
  giveUp(): Promise<number> {
    return this.database.execute(
      `UPDATE /* every tenant: what is too old */ security_events SET notice_to = NULL
       WHERE notice_to IS NOT NULL AND created_at < now() - interval '1 day'`,
    );
  }

  /** Deletes the events of addresses without an account. @returns the number of deleted events */
  forgetNobodys(): Promise<number> {
    return this.database.execute(
      "DELETE /* every tenant: nobody's */ FROM security_events WHERE user_id IS NULL AND type <> 'sso_refused'",
    );
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
