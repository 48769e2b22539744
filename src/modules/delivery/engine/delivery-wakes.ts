import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { JobQueue } from '../../../platform/queue/index.js';
import { deliveryWakeJob, dlqDrainJob } from './delivery.jobs.js';

export interface DueAttempt {
  readonly attemptId: string;
  readonly projectId: string;
  readonly channelId: string;
}

/** The first wake-up goes out at once, those that follow within this time together: a burst is a few jobs. */
const GATHER_MS = 20;
const MOST_LANES = 30;

/** Tells workers that something is due. Never fails: without it the next look finds the row. */
@Injectable()
export class DeliveryWakes implements BeforeApplicationShutdown {
  private readonly logger = new Logger('delivery');
  /** Channels to be told of, with their projects. */
  private readonly waiting = new Map<string, string>();
  private gathering?: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
  ) {}

  /** Once the transaction that inserted the attempt has committed. */
  afterCommit({ projectId, channelId }: DueAttempt, tx: Db): void {
    this.database.afterCommit(tx, () => {
      this.waiting.set(channelId, projectId);
      if (this.gathering === undefined) this.flush();
    });
  }

  /** @returns whether the queue took it */
  wake({ projectId, channelId }: DueAttempt): Promise<boolean> {
    const lanes = [{ project_id: projectId, channel_id: channelId }];
    return this.taken(this.queue.add(deliveryWakeJob, { lanes }));
  }

  /** @returns whether the queue took it */
  drain({ attemptId, projectId, channelId }: DueAttempt): Promise<boolean> {
    const payload = { attempt_id: attemptId, project_id: projectId, channel_id: channelId };
    return this.taken(this.queue.add(dlqDrainJob, payload, { jobId: `${attemptId}-1` }));
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.gathering);
    this.send();
  }

  private flush(): void {
    this.gathering = undefined;
    if (this.waiting.size === 0) return;
    this.send();
    this.gathering = setTimeout(() => this.flush(), GATHER_MS);
    this.gathering.unref();
  }

  private send(): void {
    const lanes = [...this.waiting].map(([channelId, projectId]) => ({ project_id: projectId, channel_id: channelId }));
    this.waiting.clear();
    for (let at = 0; at < lanes.length; at += MOST_LANES) {
      void this.taken(this.queue.add(deliveryWakeJob, { lanes: lanes.slice(at, at + MOST_LANES) }));
    }
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
