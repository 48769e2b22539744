import { Injectable, Logger } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import { JobQueue } from '../../../../platform/queue/index.js';
import type { DueDelivery } from '../deliveries/deliveries.repository.js';
import { alertDeliveryWakeJob } from './alert-deliveries.jobs.js';

/** Tells workers that something is due. Never fails: without it the next look finds the rows. */
@Injectable()
export class AlertDeliveryWakes {
  private readonly logger = new Logger('alert-deliveries');
  /** Destinations of each open transaction, with their projects: many alerts of one are one wake-up. */
  private readonly waking = new WeakMap<Db, Map<string, string>>();

  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
  ) {}

  /** Once the transaction that made them due has committed; one wake-up for each destination. */
  afterCommit({ projectId }: Pick<ProjectScope, 'projectId'>, due: readonly DueDelivery[], tx: Db): void {
    const known = this.waking.get(tx);
    const destinations = known ?? new Map<string, string>();
    for (const { destinationId } of due) destinations.set(destinationId, projectId);
    if (known !== undefined) return;
    this.waking.set(tx, destinations);
    this.database.afterCommit(tx, () => {
      for (const [destination, project] of destinations) this.wake(project, destination);
    });
  }

  private wake(projectId: string, destinationId: string): void {
    const payload = { project_id: projectId, destination_id: destinationId };
    // A fresh id: one of a wake-up that is still running would swallow this one.
    this.queue.add(alertDeliveryWakeJob, payload, { jobId: `wake-${newId()}` }).catch((error: unknown) => {
      this.logger.debug(`the queue did not take a wake-up: ${String(error)}`);
    });
  }
}
