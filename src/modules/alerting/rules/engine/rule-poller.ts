import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { JobQueue } from '../../../../platform/queue/index.js';
import { QueueDrainNotifier } from '../../../events/ingestion/index.js';
import { BEAT_EVERY_MS, HeartbeatsWriter, type Watched } from '../../heartbeats/index.js';
import { RULE_PARTS, ruleEvaluationsJob, type RulePart } from './rule-evaluations.job.js';
import { RuleRunner } from './rule-runner.js';

const EVERY_MS = 1_000;
/** A poll is a few index lookups. Only one poll in this many is recorded as a run of the job. */
const RECORD_EACH = 10;

/**
 * Polls for work every second in every process that runs workers. Each part has its own timer, so that slow windows do
 * not delay events. Sends heartbeats: for evaluation while both parts make progress, and for ingestion in processes
 * that serve the API. Polling needs only PostgreSQL, so rules are evaluated while the queue is unavailable.
 */
@Injectable()
export class RulePoller implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('alert-rules');
  private readonly timers: NodeJS.Timeout[] = [];
  /** Holds the work that is under way. */
  private readonly running = new Map<RulePart | Watched, Promise<void>>();
  private readonly looks = new Map<RulePart, number>();
  private stopped = false;

  constructor(
    private readonly queue: JobQueue,
    private readonly runner: RuleRunner,
    private readonly heartbeats: HeartbeatsWriter,
    private readonly drained: QueueDrainNotifier,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.queue.runsEvery(ruleEvaluationsJob, EVERY_MS * RECORD_EACH, () => this.runner.countDue());
    const { runsApi, runsWorkers } = this.config.process;
    if (runsApi) this.often(BEAT_EVERY_MS, 'ingestion', () => this.heartbeats.beat('ingestion'));
    if (!runsWorkers) return;
    this.drained.listen(() => this.once('draining', () => this.heartbeats.beat('draining')));
    this.often(BEAT_EVERY_MS, 'evaluation', async () => {
      if (this.runner.isMoving) await this.heartbeats.beat('evaluation');
    });
    for (const part of RULE_PARTS) this.often(EVERY_MS, part, () => this.look(part));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.running.values());
  }

  private often(everyMs: number, what: RulePart | Watched, work: () => Promise<void>): void {
    this.once(what, work);
    this.timers.push(setInterval(() => this.once(what, work), everyMs));
  }

  /** Starts work unless the same work is still running. */
  private once(what: RulePart | Watched, work: () => Promise<void>): void {
    if (this.stopped || this.running.has(what)) return;
    const run = work()
      .catch((error: unknown) => this.logger.warn(`a turn of ${what} failed: ${String(error)}`))
      .finally(() => this.running.delete(what));
    this.running.set(what, run);
  }

  private async look(part: RulePart): Promise<void> {
    const looks = (this.looks.get(part) ?? 0) + 1;
    this.looks.set(part, looks);
    if (looks % RECORD_EACH === 1) await this.queue.runNow(ruleEvaluationsJob, { part });
    else while (!this.stopped && (await this.runner.run(part)) > 0);
  }
}
