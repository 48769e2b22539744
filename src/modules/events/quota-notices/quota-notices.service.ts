import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { Mailer } from '../../../platform/mail/index.js';
import { ServiceEventsWriter } from '../event-store/index.js';
import { normalizeEvent } from '../ingestion/index.js';
import { eventOf, mailOf } from './quota-notice-texts.js';
import { type QuotaNotice, QuotaNoticesRepository } from './quota-notices.repository.js';

/** Maximum number of projects in one transaction. It must end within a second, or streams miss its events. */
const PROJECTS_PER_TRANSACTION = 100;
/**
 * After this time, the remaining mails wait for the next round, so that a slow mail server does not delay new notices.
 */
const MAX_MAILING_MS = 20_000;

/**
 * Warns organizations that have used 80 % or 100 % of the events or requests of the month: by mail to owners and
 * admins, and by an event in each project. One statement stores a notice and its mails. Each transaction with events
 * also stores how far the notice has come. So the next round continues after a process that died. A mail is sent twice
 * only when the process dies after sending the mail and before deleting its row.
 */
@Injectable()
export class QuotaNoticesService {
  constructor(
    private readonly database: Database,
    private readonly notices: QuotaNoticesRepository,
    private readonly events: ServiceEventsWriter,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Stores the due notices, their events and their mails. Events and mails do not wait for each other. A failure of one
   * notice does not stop the others, but the round then rejects.
   * @returns the number of transactions with events, plus the number of mails
   */
  async run(): Promise<number> {
    if (!this.config.quotas.sendsNotices) return 0;
    return this.database.apart(async () => {
      await this.notices.make();
      const failures: unknown[] = [];
      const noteFailure = (error: unknown): number => {
        failures.push(error);
        return 0;
      };
      const [events, mails] = await Promise.all([
        this.storeEvents(noteFailure).catch(noteFailure),
        this.sendMails().catch(noteFailure),
      ]);
      if (failures.length === 1) throw failures[0];
      if (failures.length > 1) throw new AggregateError(failures, `${failures.length} parts of the notices failed`);
      return events + mails;
    });
  }

  /** @returns the number of transactions */
  private async storeEvents(noteFailure: (error: unknown) => void): Promise<number> {
    let done = 0;
    for (const notice of await this.notices.unfinished()) {
      try {
        while (await this.database.transaction((tx) => this.storeNext(notice, tx))) done += 1;
      } catch (error) {
        noteFailure(error);
      }
    }
    return done;
  }

  /**
   * Stores the event of a notice in the next projects. @returns false when no event is missing, or the notice is locked
   */
  private async storeNext(unlocked: QuotaNotice, tx: Db): Promise<boolean> {
    const notice = await this.notices.lock(unlocked, tx);
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

  private normalized(notice: QuotaNotice): ReturnType<typeof normalizeEvent> {
    return normalizeEvent(eventOf(notice), newId(), this.clock.now(), (properties) => properties);
  }

  /** Ends at the first transient failure, because the mail server is probably down. The next round tries again. */
  private async sendMails(): Promise<number> {
    const endsAt = performance.now() + MAX_MAILING_MS;
    await this.notices.deleteObsoleteMails();
    let sent = 0;
    while (performance.now() < endsAt) {
      const mail = await this.notices.claimMail();
      if (mail === null) break;
      const { status, transient } = await this.mailer.send(mailOf(mail, this.config.quotas.upgradeUrl));
      if (status === 'failed' && transient === true) break;
      await this.notices.deleteMail(mail);
      sent += 1;
    }
    return sent;
  }
}
