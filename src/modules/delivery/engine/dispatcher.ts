import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { claimOwner, Slots } from '../../../platform/tries/index.js';
import type { ClaimKind } from '../attempts/attempt-states.js';
import { type ClaimedAttempt, type Claimant, ClaimsRepository } from './claims.repository.js';
import { Sender } from './sender.js';

/** Sends at a time in this process. They wait for the network, so there may be many; see {@link Slots}. */
const LIMITS = { all: 200, tenant: 50, lane: 10 };
/** Due rows of one channel in one claim. */
const OF_CHANNEL = 3;
/** Looks again, when other workers had everything that was due, so often and after so long. */
const CONTENDED = { times: 5, ms: 30 };
/** How long a stop waits for sends in flight; what is left then ends as an expired claim. */
const STOP_MS = 15_000;

/**
 * Claims what is due and sends it, within the limits of this process and of each tenant and channel. Whoever ends a
 * send goes on with what was left waiting, so one wake-up is enough to work a backlog off.
 */
@Injectable()
export class Dispatcher implements BeforeApplicationShutdown {
  /** Of this process, in claims and audits. */
  readonly owner = claimOwner();
  private readonly logger = new Logger('delivery');
  private readonly slots = new Slots(LIMITS);
  private readonly running = new Set<Promise<void>>();
  private readonly leaseSeconds: number;
  private readonly batch: number;
  /** Only processes that run workers go on by themselves; others do what they are asked for. */
  private readonly goesOn: boolean;
  private pumping?: Promise<number>;
  private hasMore = false;
  private stopping = false;

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly sender: Sender,
    metrics: Metrics,
    @Inject(CONFIG) config: Config,
  ) {
    this.leaseSeconds = config.deliveryRetries.leaseSeconds;
    this.batch = config.deliveryRetries.batchSize;
    this.goesOn = config.process.runsWorkers;
    metrics.gauge('delivery_in_flight', 'Sends under way in this process', [], (gauge) => {
      gauge.set(this.slots.inUse);
    });
  }

  claimant(kind: ClaimKind, owner = this.owner, leaseSeconds = this.leaseSeconds): Claimant {
    return { owner, kind, leaseSeconds };
  }

  /** Claims due attempts of one channel and begins to send them. Resolves once they are claimed. */
  async wake(projectId: string, channelId: string): Promise<void> {
    while (!this.stopping) {
      const wanted = Math.min(this.slots.spare(projectId, channelId), OF_CHANNEL);
      if (wanted === 0) {
        this.slots.remember(projectId, channelId);
        return;
      }
      // Taken before the claim, so that what is claimed meanwhile cannot overbook them.
      for (let slot = 0; slot < wanted; slot += 1) this.slots.take(projectId, channelId);
      let claimed: ClaimedAttempt[] = [];
      try {
        claimed = await this.claims.claimOfChannel(this.claimant('worker'), channelId, wanted);
      } finally {
        for (let slot = claimed.length; slot < wanted; slot += 1) this.slots.free(projectId, channelId);
      }
      for (const attempt of claimed) this.start(attempt);
      if (claimed.length < wanted) return;
    }
  }

  /**
   * Claims due attempts of all tenants in turn while there are slots, and begins to send them.
   * @returns how many
   */
  pump(): Promise<number> {
    this.pumping ??= this.claimWhileThereAreSlots().finally(() => (this.pumping = undefined));
    return this.pumping;
  }

  /** One attempt by its id, which somebody waits for; nothing when it is not to be had. Resolves once it is claimed. */
  async begin(id: string, kind: ClaimKind): Promise<void> {
    const claimed = this.stopping ? null : await this.claims.claimOne(this.claimant(kind), id);
    if (claimed !== null) void this.send(claimed);
  }

  /** Sends what the caller has claimed, past the limits: somebody waits for it. Resolves when the result is written. */
  send(claimed: ClaimedAttempt): Promise<void> {
    this.slots.take(claimed.projectId, claimed.channelId);
    return this.start(claimed);
  }

  /** Resolves when every send begun so far has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.pumping?.catch(() => undefined);
    const late = new AbortController();
    await Promise.race([this.settled(), pause(STOP_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
  }

  /** The slot is taken already. */
  private start(claimed: ClaimedAttempt): Promise<void> {
    const work = this.stopping ? this.sender.giveBack(claimed) : this.sender.run(claimed, claimed.claimOwner);
    const ended = work
      .then(() => undefined)
      .catch((error: unknown) => this.logger.error(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        this.running.delete(ended);
        this.slots.free(claimed.projectId, claimed.channelId);
        this.goOn();
      });
    this.running.add(ended);
    return ended;
  }

  private goOn(): void {
    if (this.stopping || !this.goesOn) return;
    const report = (error: unknown): void => this.logger.warn(`a look for due deliveries failed: ${String(error)}`);
    const next = this.slots.next();
    if (next !== null) {
      this.wake(next.tenant, next.lane).catch((error: unknown) => {
        this.slots.remember(next.tenant, next.lane);
        report(error);
      });
    } else if (this.hasMore && this.pumping === undefined) {
      this.pump().catch(report);
    }
  }

  private async claimWhileThereAreSlots(): Promise<number> {
    let started = 0;
    for (let contended = 0; !this.stopping && contended < CONTENDED.times;) {
      const { tenants: fullProjects, lanes: fullChannels } = this.slots.full();
      this.hasMore = this.slots.spareInAll === 0 || fullProjects.length > 0 || fullChannels.length > 0;
      const batch = Math.min(this.batch, this.slots.spareInAll);
      if (batch === 0) break;
      const share = { batch, ofChannel: OF_CHANNEL, fullProjects, fullChannels };
      const claimed = await this.claims.claimFairly(this.claimant('worker'), share);
      for (const attempt of claimed) {
        this.slots.take(attempt.projectId, attempt.channelId);
        void this.start(attempt);
      }
      started += claimed.length;
      if (claimed.length > 0) continue;
      if (!(await this.claims.hasDue(share))) break;
      contended += 1;
      await pause(CONTENDED.ms);
    }
    return started;
  }
}
