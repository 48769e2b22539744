import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { SECURITY_EVENT_MAILS, type SecurityEventType } from './security-event-types.js';
import { SecurityNoticesService } from './security-notices.service.js';

export interface SecurityAct {
  /**
   * Null when the address has no account. The event is written so that the request costs the same, and is shown to
   * nobody.
   */
  readonly userId: UserId | null;
  readonly type: SecurityEventType;
  /** Null when the action did not come over HTTP. */
  readonly client: { readonly ip: string | null; readonly userAgent: string | null } | null;
  /** Shown to the account's owner, so it must hold no secrets. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** The address that is mailed when it is not the account's current address. */
  readonly noticeTo?: string;
}

/** Records security events. The row of an event that requires a mail also stores the address of that mail. */
@Injectable()
export class SecurityEventsWriter {
  constructor(
    private readonly database: Database,
    private readonly notices: SecurityNoticesService,
  ) {}

  async record(act: SecurityAct, db?: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO security_events (id, user_id, type, ip, user_agent, detail, notice_to)
       VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 THEN coalesce($8, (SELECT email FROM users WHERE id = $2)) END)`,
      [
        newId(),
        act.userId,
        act.type,
        act.client?.ip ?? null,
        act.client?.userAgent ?? null,
        JSON.stringify(act.detail ?? {}),
        SECURITY_EVENT_MAILS[act.type] !== null,
        act.noticeTo ?? null,
      ],
      db,
    );
  }

  /**
   * Starts sending the mail about an event. Callers call this after the commit. Without the call the mail is sent up to
   * a minute later.
   */
  announce({ userId, type }: SecurityAct): void {
    if (userId !== null && SECURITY_EVENT_MAILS[type] !== null) this.notices.soon(userId);
  }
}
