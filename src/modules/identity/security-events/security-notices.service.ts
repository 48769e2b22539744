import { Injectable, Logger } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { Mailer } from '../../../platform/mail/index.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import { SecurityNoticesRepository } from './security-notices.repository.js';
import { noticeMails } from './notice-mails.js';

/**
 * Mails the owners of accounts about what happened to them. What is due stands in `security_events`, written with the act,
 * so that a process that dies and a mail server that is away only delay it: maintenance looks for what is left over. An
 * account gets one mail a minute about each kind of event, which tells how often it happened.
 */
@Injectable()
export class SecurityNoticesService extends MaintenanceTask {
  private readonly logger = new Logger('security notices');

  constructor(
    private readonly due: SecurityNoticesRepository,
    private readonly mailer: Mailer,
    private readonly background: BackgroundWork,
  ) {
    super();
  }

  /** Without waiting for it. Where there is no room for it now, maintenance finds it. */
  soon(userId: UserId): void {
    this.background.start('notice', {
      name: 'security notice',
      key: userId,
      share: userId,
      work: () => this.send(userId),
    });
  }

  /** @returns of how many accounts something was left over */
  async maintain(): Promise<number> {
    const lost = await this.due.giveUp();
    if (lost > 0) this.logger.error(`${lost} security notices could not be mailed within a day and are given up`);
    await this.due.forgetNobodys();
    const accounts = await this.due.accounts();
    for (const userId of accounts) this.soon(userId);
    return accounts.length;
  }

  private async send(userId: UserId): Promise<void> {
    for (;;) {
      const notices = await this.due.claim(userId);
      if (notices.length === 0) return;
      for (const { mail, ids } of noticeMails(notices)) {
        const { status, transient } = await this.mailer.send(mail);
        if (status !== 'failed' || transient !== true) await this.due.done(userId, ids);
      }
    }
  }
}
