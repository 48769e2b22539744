import { Injectable, Logger } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { Mailer } from '../../../platform/mail/index.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import { SecurityNoticesRepository } from './security-notices.repository.js';
import { noticeMails } from './notice-mails.js';

/**
 * Mails account owners about security events. Due mails are stored in `security_events` in the transaction of the
 * action, so that a stopped process or an unreachable mail server only delays them: maintenance sends the rest. An
 * account gets one mail per minute and event type, which says how often the event happened.
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

  /**
   * Starts sending the due mails of an account in the background. When the background queue is full, maintenance sends
   * the mails later.
   */
  soon(userId: UserId): void {
    this.background.start('notice', {
      name: 'security notice',
      key: userId,
      share: userId,
      work: () => this.send(userId),
    });
  }

  /** @returns the number of accounts that still had due mails */
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
