import { Injectable, Logger } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { JobQueue } from '../../../platform/queue/index.js';
import { deliveryWakeJob, dlqDrainJob } from './delivery.jobs.js';

export interface DueAttempt {
  readonly attemptId: string;
  readonly projectId: string;
  readonly channelId: string;
}

/** Tells workers that something is due. Never fails: without it the next look finds the row. */
@Injectable()
export class DeliveryWakes {
  private readonly logger = new Logger('delivery');

  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
  ) {}

  /** Once the transaction that inserted the attempt has committed. */
  afterCommit(due: DueAttempt, tx: Db): void {
    this.database.afterCommit(tx, () => void this.wake(due));
  }

  /** @returns whether the queue took it */
  wake({ attemptId, projectId, channelId }: DueAttempt): Promise<boolean> {
    const payload = { project_id: projectId, channel_id: channelId };
    return this.taken(this.queue.add(deliveryWakeJob, payload, { jobId: `${attemptId}-1` }));
  }

  /** @returns whether the queue took it */
  drain({ attemptId, projectId, channelId }: DueAttempt): Promise<boolean> {
    const payload = { attempt_id: attemptId, project_id: projectId, channel_id: channelId };
    return this.taken(this.queue.add(dlqDrainJob, payload, { jobId: `${attemptId}-1` }));
  }

  private taken(added: Promise<void>): Promise<boolean> {
    return added.then(
      () => true,
      (error: unknown) => {
        this.logger.debug(`the queue did not take a wake-up: ${String(error)}`);
        return false;
      },
    );
  }
}
