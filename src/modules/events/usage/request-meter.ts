import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import type { ProjectId } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { type RequestCount, UsageRepository } from './usage.repository.js';
import { errorMessage } from '../../../platform/errors/index.js';

/** Interval at which request counts are stored. Requests may be counted with a delay of up to 5 seconds. */
const FLUSH_MS = 2_000;
/**
 * Beyond this number of different rows, new rows are dropped, so that memory does not fill up while the database is
 * unavailable.
 */
const MAX_ROWS = 100_000;

/**
 * Counts successful requests of API keys and webhooks in memory, and adds them to `usage_daily` in batches. Metering
 * never makes a request fail.
 */
@Injectable()
export class RequestMeter implements OnModuleInit, BeforeApplicationShutdown {
  private counts = new Map<string, RequestCount>();
  private flushing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private readonly logger = new Logger('metering');

  constructor(
    private readonly usage: UsageRepository,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  get enabled(): boolean {
    return this.config.metering.enabled;
  }

  onModuleInit(): void {
    if (this.enabled) this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  /** @param sender `apiKeyId` is null for a webhook */
  record(sender: { projectId: ProjectId; apiKeyId: string | null }): void {
    const day = this.clock.now().toISOString().slice(0, 10);
    this.add({ day, projectId: sender.projectId, apiKeyId: sender.apiKeyId, requests: 1 });
  }

  /** Writes the counts. Counts that cannot be written are kept for the next flush. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async write(): Promise<void> {
    if (this.counts.size === 0) return;
    const counts = [...this.counts.values()];
    this.counts = new Map();
    try {
      await this.usage.addRequests(counts);
    } catch (error) {
      this.logger.warn(`request counts were not written and are kept: ${errorMessage(error)}`);
      for (const count of counts) this.add(count);
    }
  }

  private add(count: RequestCount): void {
    const key = `${count.day} ${count.projectId} ${count.apiKeyId ?? ''}`;
    const requests = (this.counts.get(key)?.requests ?? 0) + count.requests;
    if (this.counts.size >= MAX_ROWS && !this.counts.has(key)) return;
    this.counts.set(key, { ...count, requests });
  }
}
