import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { DueAlertsRunner } from './due-alerts-runner.js';

const EVERY_MS = 1_000;

/**
 * Polls every second, in every process that runs workers, for alert events with an expired snooze or a notification to
 * evaluate again. The poll reads PostgreSQL only, so it works while the queue is down.
 */
@Injectable()
export class AlertPoller implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('alerts');
  private readonly stop = new AbortController();
  private timer?: NodeJS.Timeout;
  private looking?: Promise<void>;

  constructor(
    private readonly runner: DueAlertsRunner,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.process.runsWorkers) this.timer = setInterval(() => this.look(), EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    clearInterval(this.timer);
    await this.looking;
  }

  private look(): void {
    this.looking ??= this.lookWhileDue()
      .catch((error: unknown) => this.logger.warn(`a look for alert events that are due failed: ${String(error)}`))
      .finally(() => (this.looking = undefined));
  }

  private async lookWhileDue(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted && (await this.runner.run(signal)) > 0);
  }
}
