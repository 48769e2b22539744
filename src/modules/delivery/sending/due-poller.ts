import { Logger } from '@nestjs/common';
import type { Config } from '../../../config/index.js';
import type { JobDefinition, JobQueue } from '../../../platform/queue/index.js';

/**
 * Polls for due rows at a fixed interval in every process that runs workers. The poll reads PostgreSQL only, so every
 * due row is sent even while the queue is down.
 */
export class DuePoller {
  private readonly logger: Logger;
  private timer?: NodeJS.Timeout;
  private looking?: Promise<void>;
  private stopped = false;

  /** @param countDue returns how many rows are due and not claimed */
  constructor(
    private readonly job: JobDefinition<{ wait: boolean }, { processed: number }>,
    private readonly queue: JobQueue,
    private readonly config: Pick<Config, 'deliveryRetries' | 'process'>,
    private readonly countDue: () => Promise<number>,
  ) {
    this.logger = new Logger(job.name);
  }

  start(): void {
    const everyMs = this.config.deliveryRetries.pollSeconds * 1_000;
    this.queue.runsEvery(this.job, everyMs, this.countDue);
    if (!this.config.process.runsWorkers) return;
    this.look();
    this.timer = setInterval(() => this.look(), everyMs);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.looking;
  }

  private look(): void {
    if (this.stopped) return;
    this.looking ??= this.queue
      .runNow(this.job, { wait: false })
      .then(
        () => undefined,
        (error: unknown) => this.logger.warn(`a look for what is due failed: ${String(error)}`),
      )
      .finally(() => (this.looking = undefined));
  }
}
