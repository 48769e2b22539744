import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { type AlertKey, AlertEventsRepository } from '../events/alert-events.repository.js';
import { AlertLifecycleService } from './alert-lifecycle.service.js';
import { AlertNotifier } from './alert-notifier.js';

/** In one turn a project has no more than its share, so that no backlog keeps the others waiting. */
const SHARE_OF_A_PROJECT = 100;
const MOST_ALERTS = 1_000;
/** What failed is left alone for so long. */
const AGAIN_AFTER_MS = 60_000;

/** Ends snoozes that are over, and tells of what was held back once nothing holds it back any more. */
@Injectable()
export class DueAlertsRunner {
  private readonly logger = new Logger('alerts');
  /** Alert events by id, and until when they are left alone, on the clock of `performance.now()`. */
  private readonly failed = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly events: AlertEventsRepository,
    private readonly lifecycle: AlertLifecycleService,
    private readonly notifier: AlertNotifier,
  ) {}

  /**
   * One turn: the oldest of each project, the projects one after the other. What silences hold back again is not due
   * any more, so whoever calls until nothing is left comes to everything.
   * @param signal ends the turn early
   * @returns how many alert events were looked at
   */
  async run(signal?: AbortSignal): Promise<number> {
    for (const [id, until] of this.failed) if (until <= performance.now()) this.failed.delete(id);
    const due = await this.events.due([...this.failed.keys()], SHARE_OF_A_PROJECT, MOST_ALERTS);
    let done = 0;
    for (const alert of due) {
      if (signal?.aborted === true) break;
      if (await this.lookAt(alert)) done += 1;
    }
    return done;
  }

  /** In a transaction of its own, so that one that fails keeps no other from its turn. */
  private async lookAt(key: AlertKey): Promise<boolean> {
    try {
      return await this.database.transaction(async (tx) => {
        const held = await this.events.lockDue(key, tx);
        if (held === null) return false;
        const alert = await this.lifecycle.wake(held, tx);
        if (alert.status === 'resolved') await this.notifier.notifyResolved(alert, held.now, tx);
        else await this.notifier.notify(alert, held.now, tx);
        return true;
      });
    } catch (error) {
      this.failed.set(key.id, performance.now() + AGAIN_AFTER_MS);
      this.logger.warn(`what is due for alert event ${key.id} failed: ${String(error)}`);
      return false;
    }
  }
}

/** What `AlertPoller` does, where nothing polls: a turn with each maintenance. */
@Injectable()
export class DueAlertsMaintenance extends MaintenanceTask {
  constructor(private readonly runner: DueAlertsRunner) {
    super();
  }

  maintain(): Promise<number> {
    return this.runner.run();
  }
}
