import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { type AlertKey, AlertEventsRepository } from '../events/alert-events.repository.js';
import { AlertLifecycleService } from './alert-lifecycle.service.js';
import { AlertNotifier } from './alert-notifier.js';

/**
 * At most this many alert events of one project are evaluated in one run, so that no backlog keeps other projects
 * waiting.
 */
const SHARE_OF_A_PROJECT = 100;
const MOST_ALERTS = 1_000;
/** How long an alert event is skipped after it failed. */
const AGAIN_AFTER_MS = 60_000;

/** Ends expired snoozes, and sends suppressed notifications once nothing suppresses them any more. */
@Injectable()
export class DueAlertsRunner {
  private readonly logger = new Logger('alerts');
  /** The ids of failed alert events, and until when they are skipped, on the clock of `performance.now()`. */
  private readonly failed = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly events: AlertEventsRepository,
    private readonly lifecycle: AlertLifecycleService,
    private readonly notifier: AlertNotifier,
  ) {}

  /**
   * Evaluates due alert events, the oldest of each project first, round robin over projects. An alert event that is
   * suppressed again is no longer due: calls until 0 is returned reach every alert event.
   * @param signal ends the run early
   * @returns how many alert events were evaluated
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

  /** Evaluates one alert event in a separate transaction, so that its failure does not affect others. */
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

/** Does the work of `AlertPoller` once with each maintenance, for deployments in which no process polls. */
@Injectable()
export class DueAlertsMaintenance extends MaintenanceTask {
  constructor(private readonly runner: DueAlertsRunner) {
    super();
  }

  maintain(): Promise<number> {
    return this.runner.run();
  }
}
