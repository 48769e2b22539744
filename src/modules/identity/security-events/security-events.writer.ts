import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { SECURITY_EVENT_MAILS, type SecurityEventType } from './security-event-types.js';
import { SecurityNoticesService } from './security-notices.service.js';

export interface SecurityAct {
  /** Null: of an address without an account. It is written all the same, so that it costs the same, and shown to nobody. */
  readonly userId: UserId | null;
  readonly type: SecurityEventType;
  /** Null: not an act over HTTP. */
  readonly client: { readonly ip: string | null; readonly userAgent: string | null } | null;
  /** Nothing secret; shown to the account's owner. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Who is mailed, where it is not the account's present address. */
  readonly noticeTo?: string;
}

/** Records security events with the act; who is to be mailed about them stands with the record. */
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

  /** After the commit: has the mail about it sent at once, which is otherwise a minute late. */
  announce({ userId, type }: SecurityAct): void {
    if (userId !== null && SECURITY_EVENT_MAILS[type] !== null) this.notices.soon(userId);
  }
}
