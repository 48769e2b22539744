import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { JobQueue } from '../../../platform/queue/index.js';
import { alertDeliveriesJob } from './alert-deliveries.jobs.js';

/**
 * Looks for due alert deliveries again and again in every process that runs workers. This is what makes sure that
 * nothing is left lying, whatever becomes of the queue; it asks PostgreSQL alone.
 */
@Injectable()
export class AlertDeliveryPoller implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('alert-deliveries');
  private timer?: NodeJS.Timeout;
  private looking?: Promise<void>;
  private stopped = false;

  constructor(
    private readonly queue: JobQueue,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    const everyMs = this.config.deliveryRetries.pollSeconds * 1_000;
    this.queue.runsEvery(alertDeliveriesJob, everyMs);
    if (!this.config.process.runsWorkers) return;
    this.look();
    this.timer = setInterval(() => this.look(), everyMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.looking;
  }

  private look(): void {
    if (this.stopped) return;
    this.looking ??= this.queue
      .runNow(alertDeliveriesJob, { wait: false })
      .then(
        () => undefined,
        (error: unknown) => this.logger.warn(`a look for due alert deliveries failed: ${String(error)}`),
      )
      .finally(() => (this.looking = undefined));
  }
}
