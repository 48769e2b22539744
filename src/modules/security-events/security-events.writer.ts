import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { Database, type Db } from '../../platform/database/database.js';
import { newId } from '../../platform/ids/index.js';
import { Mailer } from '../../platform/mail/index.js';
import { SECURITY_EVENT_MAILS, type SecurityEventType } from './security-event-types.js';

export interface SecurityAct {
  readonly userId: string;
  readonly type: SecurityEventType;
  /** Null: not an act over HTTP. */
  readonly client: { readonly ip: string | null; readonly userAgent: string | null } | null;
  /** Nothing secret; shown to the account's owner. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Records security events with the act, and mails the ones an owner wants to know about. */
@Injectable()
export class SecurityEventsWriter {
  constructor(
    private readonly database: Database,
    private readonly mailer: Mailer,
    private readonly background: BackgroundWork,
  ) {}

  async record(act: SecurityAct, db?: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO security_events (id, user_id, type, ip, user_agent, detail) VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        newId(),
        act.userId,
        act.type,
        act.client?.ip ?? null,
        act.client?.userAgent ?? null,
        JSON.stringify(act.detail ?? {}),
      ],
      db,
    );
  }

  /**
   * After the commit: mails the owner in the background when the kind of event calls for it, with further lines of ours
   * that hold no words of others.
   */
  announce(act: SecurityAct, email: string, lines: readonly string[] = []): void {
    const subject = SECURITY_EVENT_MAILS[act.type];
    if (subject === null) return;
    this.background.start(`mail about ${act.type}`, () =>
      this.mailer.send({ to: email, subject, text: mailText(subject, act, lines) }),
    );
  }
}

function mailText(subject: string, { client }: SecurityAct, lines: readonly string[]): string {
  const where =
    client === null ? [] : [`Address: ${client.ip ?? 'unknown'}`, `Program: ${client.userAgent ?? 'unknown'}`, ''];
  return [
    `${subject}.`,
    '',
    ...where,
    ...(lines.length === 0 ? [] : [...lines, '']),
    'If this was you, you need not do anything. If not, change your password and look at the',
    'sessions and second factors of your account.',
    '',
  ].join('\n');
}
