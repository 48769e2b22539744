import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { Mailer } from '../../../platform/mail/index.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import { ServiceEventsWriter } from '../event-store/index.js';
import { normalizeEvent } from '../ingestion/index.js';
import { eventOf, mailOf } from './quota-notice-texts.js';
import { QuotaNoticesRepository, type UnfinishedNotice } from './quota-notices.repository.js';

/** The projects of one transaction. It must end within a second, or streams miss its events. */
const PROJECTS_PER_TRANSACTION = 100;
const MAILS_PER_CLAIM = 20;

/**
 * Warns organizations that have used 80 % or 100 % of the events or requests of the month: by mail to owners and admins,
 * and by an event in each project. A notice and its mails are stored by one statement, and events together with how far
 * they have come, so a process that dies leaves the rest to the next round. A mail is sent twice only when the process
 * dies between sending it and deleting its row.
 */
@Injectable()
export class QuotaNoticesService extends MaintenanceTask {
  constructor(
    private readonly database: Database,
    private readonly notices: QuotaNoticesRepository,
    private readonly events: ServiceEventsWriter,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    super();
  }

  /** @returns the number of events transactions and mails */
  async maintain(): Promise<number> {
    if (!this.config.quotas.sendsNotices) return 0;
    return this.database.apart(async () => {
      await this.notices.make();
      let done = 0;
      while (await this.database.transaction((tx) => this.storeEvents(tx))) done += 1;
      return done + (await this.sendMails());
    });
  }

  /** Stores the event of a notice in the next projects. @returns false when no notice is unfinished */
  private async storeEvents(tx: Db): Promise<boolean> {
    const notice = await this.notices.unfinished(tx);
    if (notice === null) return false;
    const projects = await this.notices.projectsOf(notice, PROJECTS_PER_TRANSACTION, tx);
    await this.events.store(
      notice.organizationId,
      projects.map((projectId) => ({ projectId, event: this.normalized(notice) })),
      tx,
    );
    const hasAllEvents = projects.length < PROJECTS_PER_TRANSACTION;
    await this.notices.moveOn(notice, projects.at(-1) ?? notice.after, hasAllEvents, tx);
    return true;
  }

  private normalized(notice: UnfinishedNotice): ReturnType<typeof normalizeEvent> {
    return normalizeEvent(eventOf(notice), newId(), this.clock.now(), (properties) => properties);
  }

  private async sendMails(): Promise<number> {
    let sent = 0;
    for (;;) {
      const due = await this.notices.claimMails(MAILS_PER_CLAIM);
      if (due.length === 0) return sent;
      for (const mail of due) {
        const { status, transient } = await this.mailer.send(mailOf(mail, this.config.quotas.upgradeUrl));
        if (status === 'failed' && transient === true) continue;
        await this.notices.deleteMail(mail);
        sent += 1;
      }
    }
  }
}
