import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import { JobQueue } from '../../../../platform/queue/index.js';
import { deliveryWakeJob, dlqDrainJob } from './delivery.jobs.js';

export interface DueAttempt {
  readonly attemptId: string;
  readonly projectId: string;
  readonly channelId: string;
}

/**
 * The first wake-up goes out at once. Those that follow before the queue has taken it, and for this long after, go
 * together: a burst is a few jobs, and fewer the slower the queue is.
 */
const GATHER_MS = 20;
const MOST_LANES = 100;

/** Tells workers that something is due. Never fails: without it the next look finds the row. */
@Injectable()
export class DeliveryWakes implements BeforeApplicationShutdown {
  private readonly logger = new Logger('delivery');
  /** Channels to be told of, with their projects. */
  private readonly waiting = new Map<string, string>();
  private isGathering = false;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
  ) {}

  /** Once the transaction that inserted attempts for these channels has committed. */
  afterCommit(projectId: string, channelIds: readonly string[], tx: Db): void {
    if (channelIds.length === 0) return;
    this.database.afterCommit(tx, () => {
      for (const channelId of channelIds) this.waiting.set(channelId, projectId);
      if (!this.isGathering) void this.sendUntilAllIsTold();
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

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.send();
  }

  private async sendUntilAllIsTold(): Promise<void> {
    this.isGathering = true;
    while (this.waiting.size > 0 && !this.stopped) {
      await this.send();
      await pause(GATHER_MS);
    }
    this.isGathering = false;
  }

  private async send(): Promise<void> {
    const lanes = [...this.waiting].map(([channelId, projectId]) => ({ project_id: projectId, channel_id: channelId }));
    this.waiting.clear();
    const jobs: Promise<boolean>[] = [];
    for (let at = 0; at < lanes.length; at += MOST_LANES) {
      jobs.push(this.taken(this.queue.add(deliveryWakeJob, { lanes: lanes.slice(at, at + MOST_LANES) })));
    }
    await Promise.all(jobs);
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
