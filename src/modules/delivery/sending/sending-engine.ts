import {
  type BeforeApplicationShutdown,
  type FactoryProvider,
  Logger,
  type OnApplicationBootstrap,
  type Type,
} from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { JobQueue } from '../../../platform/queue/index.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { claimOwner } from './claim-owner.js';
import type { Claimant, ClaimedRow, Held } from './outbox-table.js';
import { Dispatcher } from './dispatcher.js';
import { DuePoller } from './due-poller.js';
import { DueTimers } from './due-timers.js';
import { ExpiredClaims } from './expired-claims.js';
import type { Outbox } from './outbox.js';
import { Sender } from './sender.js';
import { SendingMetrics } from './sending-metrics.js';
import type { SendingLane } from './slots.js';
import { WakeUps } from './wake-ups.js';

/** One claim takes at most this many due rows of one lane. */
const OF_LANE = 3;
const STOP_MS = 15_000;
/** One poll sets timers for at most this many rows. */
const MAX_ARMED = 1_000;

/**
 * Sends the due rows of one outbox, each at least once. The engine claims rows, one lane after another, sends them
 * within the limits of this process, of each project and of each lane, stores the outcomes, and ends claims whose
 * holders died.
 */
export class SendingEngine<X extends Held, C extends X & ClaimedRow>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  /** The name of this process in claims and audits. */
  private readonly owner = claimOwner();
  private readonly leaseSeconds: number;
  private readonly expired: ExpiredClaims<X, C>;
  private readonly dispatcher: Dispatcher<C>;
  private readonly wakeUps: WakeUps<C>;
  private readonly poller: DuePoller;
  private readonly timers: DueTimers;
  private readonly horizonSeconds: number;

  constructor(
    private readonly outbox: Outbox<X, C>,
    database: Database,
    queue: JobQueue,
    metrics: Metrics,
    private readonly config: Config,
  ) {
    const { profile, claims } = outbox;
    const { leaseSeconds, batchSize: batch, pollSeconds } = config.deliveryRetries;
    const logger = new Logger(profile.log.context);
    const backlog = () => claims.backlog();
    const measured = new SendingMetrics(metrics, profile.metrics, {
      inFlight: () => this.dispatcher.inUse,
      backlog,
    });
    const sender = new Sender(outbox, measured, ({ tenant, lane, series }, { delaySeconds }) => {
      if (delaySeconds !== null) this.timers.arm({ tenant, lane }, delaySeconds);
      // The next row of the series has waited for this row to end.
      else if (series !== null) this.onDue({ tenant, lane });
    });
    // A poll sets timers for the next two intervals, so that no attempt comes due between two polls without a timer.
    this.horizonSeconds = 2 * pollSeconds;
    this.timers = new DueTimers((lane) => this.onDue(lane), this.horizonSeconds * 1_000);
    this.leaseSeconds = leaseSeconds;
    this.expired = new ExpiredClaims(outbox, database, measured);
    this.wakeUps = new WakeUps(profile, database, queue);
    this.poller = new DuePoller(profile.look, queue, config, async () => (await backlog()).due);
    this.dispatcher = new Dispatcher<C>(
      {
        dueLanes: (most, after) => claims.dueLanes(most, after),
        claim: (lanes, most) => claims.claim(this.claimant('worker'), lanes, most),
        run: (claimed) => sender.run(claimed),
        giveBack: (claimed) => sender.giveBack(claimed),
      },
      {
        limits: profile.limits,
        batch,
        ofLane: OF_LANE,
        goesOn: config.process.runsWorkers,
        stopMs: STOP_MS,
        onTrouble: (error) => logger.warn(`${profile.log.trouble}: ${String(error)}`),
      },
    );
  }

  onApplicationBootstrap(): void {
    this.poller.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.timers.stop();
    await Promise.all([this.poller.stop(), this.dispatcher.stop(), this.wakeUps.stop()]);
  }

  /** Returns this process as the claimant, for claims that a caller makes. */
  claimant<K extends string>(kind: K): Claimant & { readonly kind: K } {
    return { owner: this.owner, kind, leaseSeconds: this.leaseSeconds };
  }

  /** Wakes workers for these lanes once the transaction that inserted rows for them has committed. */
  wakeAfterCommit(lanes: readonly SendingLane[], tx: Db): void {
    this.wakeUps.afterCommit(lanes, tx);
  }

  /** Wakes workers for a lane. @returns whether the queue accepted the job */
  wakeWorkers(lane: SendingLane): Promise<boolean> {
    return this.wakeUps.now([lane]);
  }

  /** Queues these lanes in this process and returns at once: a receiver that hangs must not hold up the caller. */
  lineUp(lanes: readonly SendingLane[]): void {
    this.dispatcher.wake(lanes);
  }

  /**
   * Ends expired claims and starts to send due rows. With `wait` it sends until no row is due, or for 30 seconds, and
   * resolves when all started sends have ended.
   * @returns how many claims were ended plus how many sends were started; with `wait`, how many sends have ended
   */
  async look({ wait }: { readonly wait: boolean }): Promise<number> {
    const ended = await this.endExpired();
    if (!wait && this.config.process.runsWorkers) await this.armTimers();
    return ended + (await (wait ? this.dispatcher.round() : this.dispatcher.pump()));
  }

  /** Sets timers for retries that other processes have scheduled, or that this process scheduled before a restart. */
  private async armTimers(): Promise<void> {
    const soon = await this.outbox.claims.dueSoon(this.horizonSeconds, MAX_ARMED);
    for (const { inSeconds, ...lane } of soon) this.timers.arm(lane, inSeconds);
  }

  /** A process without workers sends nothing by itself. It wakes one that has workers. */
  private onDue(lane: SendingLane): void {
    if (this.config.process.runsWorkers) this.dispatcher.wake([lane]);
    else void this.wakeUps.now([lane]);
  }

  /** Ends claims whose holders died. @returns how many claims were ended */
  endExpired(): Promise<number> {
    return this.expired.settle();
  }

  /** Sends a row that the caller has claimed, regardless of the limits. Resolves when the result is stored. */
  send(claimed: C): Promise<void> {
    return this.dispatcher.run(claimed);
  }

  /**
   * Claims a row and starts to send it, regardless of the limits. Resolves when the row is claimed, before the send has
   * ended. Claims nothing while the process is stopping.
   */
  async begin(claim: () => Promise<C | null>): Promise<void> {
    const claimed = this.dispatcher.isStopping ? null : await claim();
    if (claimed !== null) void this.dispatcher.run(claimed);
  }
}

/** Returns a provider of the engine of an outbox, for the module of that outbox. */
export function sendingEngineOf<X extends Held, C extends X & ClaimedRow>(
  token: symbol,
  outbox: Type<Outbox<X, C>>,
): FactoryProvider<SendingEngine<X, C>> {
  return {
    provide: token,
    inject: [outbox, Database, JobQueue, Metrics, CONFIG],
    useFactory: (of: Outbox<X, C>, database: Database, queue: JobQueue, metrics: Metrics, config: Config) =>
      new SendingEngine(of, database, queue, metrics, config),
  };
}
