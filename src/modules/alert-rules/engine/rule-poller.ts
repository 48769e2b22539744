import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { JobQueue } from '../../../platform/queue/index.js';
import { BEAT_EVERY_MS, Heartbeats } from '../windows/heartbeats.js';
import { ruleEvaluationsJob } from './rule-evaluations.job.js';
import { RuleRound } from './rule-round.js';

const EVERY_MS = 1_000;
/** A look is three index look-ups; only each so manieth is written down as a run of the job. */
const RECORD_EACH = 10;

/**
 * Looks for work every second in every process that runs workers, and says for the processes that take events that they
 * do. It asks PostgreSQL alone, so the queue may be away.
 */
@Injectable()
export class RulePoller implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('alert-rules');
  private readonly timers: NodeJS.Timeout[] = [];
  private looking?: Promise<void>;
  private beating?: Promise<void>;
  private looks = 0;
  private stopped = false;

  constructor(
    private readonly queue: JobQueue,
    private readonly round: RuleRound,
    private readonly heartbeats: Heartbeats,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.queue.runsEvery(ruleEvaluationsJob, EVERY_MS * RECORD_EACH);
    if (this.config.process.runsApi) {
      this.beat();
      this.timers.push(setInterval(() => this.beat(), BEAT_EVERY_MS));
    }
    if (this.config.process.runsWorkers) {
      this.look();
      this.timers.push(setInterval(() => this.look(), EVERY_MS));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all([this.looking, this.beating]);
  }

  private look(): void {
    if (this.stopped) return;
    this.looking ??= this.lookOnce()
      .catch((error: unknown) => this.logger.warn(`a look for rules to evaluate failed: ${String(error)}`))
      .finally(() => (this.looking = undefined));
  }

  private async lookOnce(): Promise<void> {
    this.looks += 1;
    if (this.looks % RECORD_EACH === 1) await this.queue.runNow(ruleEvaluationsJob, {});
    else while (!this.stopped && (await this.round.run()) > 0);
  }

  private beat(): void {
    this.beating ??= this.heartbeats
      .beat('ingestion')
      .catch((error: unknown) => this.logger.debug(`a heartbeat failed: ${String(error)}`))
      .finally(() => (this.beating = undefined));
  }
}
