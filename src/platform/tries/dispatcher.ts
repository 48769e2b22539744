import { setTimeout as pause } from 'node:timers/promises';
import { type SlotLimits, Slots } from './slots.js';

/** What every claim tells about whose work it is; a lane is a destination. */
export interface ClaimedWork {
  readonly tenant: string;
  readonly lane: string;
}

/** How much of what is due one claim may take: `full` tenants and lanes are passed over. */
export interface FairShare {
  readonly batch: number;
  readonly ofLane: number;
  readonly fullTenants: readonly string[];
  readonly fullLanes: readonly string[];
}

/** Where claimed work comes from and what is done with it. */
export interface WorkSource<C extends ClaimedWork> {
  claimOfLane(lane: string, most: number): Promise<C[]>;
  claimFairly(share: FairShare): Promise<C[]>;
  /** Whether something is due outside the full tenants and lanes. */
  hasDue(share: FairShare): Promise<boolean>;
  run(claimed: C): Promise<unknown>;
  /** Undoes a claim under which nothing was done. */
  giveBack(claimed: C): Promise<unknown>;
}

export interface DispatcherOptions {
  readonly limits: SlotLimits;
  /** Due rows in one claim, and those of one lane among them. */
  readonly batch: number;
  readonly ofLane: number;
  /** Only processes that run workers go on by themselves; others do what they are asked for. */
  readonly goesOn: boolean;
  /** How long a stop waits for work under way; what is left then ends as an expired claim. */
  readonly stopMs: number;
  readonly onTrouble: (error: unknown) => void;
}

/** Looks again, when other workers had everything that was due, so often and after so long. */
const CONTENDED = { times: 5, ms: 30 };

/**
 * Claims what is due and runs it, within the limits of this process and of each tenant and lane. Whoever ends goes on
 * with what was left waiting, so one wake-up is enough to work a backlog off.
 */
export class Dispatcher<C extends ClaimedWork> {
  private readonly slots: Slots;
  private readonly running = new Set<Promise<void>>();
  private pumping?: Promise<number>;
  private hasMore = false;
  private stopping = false;

  constructor(
    private readonly source: WorkSource<C>,
    private readonly options: DispatcherOptions,
  ) {
    this.slots = new Slots(options.limits);
  }

  get inUse(): number {
    return this.slots.inUse;
  }

  /** Claims due work of one lane and begins it. Resolves once it is claimed. */
  async wake(tenant: string, lane: string): Promise<void> {
    while (!this.stopping) {
      const wanted = Math.min(this.slots.spare(tenant, lane), this.options.ofLane);
      if (wanted === 0) {
        this.slots.remember(tenant, lane);
        return;
      }
      // Taken before the claim, so that what is claimed meanwhile cannot overbook them.
      for (let slot = 0; slot < wanted; slot += 1) this.slots.take(tenant, lane);
      let claimed: C[] = [];
      try {
        claimed = await this.source.claimOfLane(lane, wanted);
      } finally {
        for (let slot = claimed.length; slot < wanted; slot += 1) this.slots.free(tenant, lane);
      }
      for (const work of claimed) void this.start(work);
      if (claimed.length < wanted) return;
    }
  }

  /**
   * Claims due work of all tenants in turn while there are slots, and begins it.
   * @returns how much
   */
  pump(): Promise<number> {
    this.pumping ??= this.claimWhileThereAreSlots().finally(() => (this.pumping = undefined));
    return this.pumping;
  }

  /** Resolves when everything begun so far has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Claims nothing more, and waits for what is under way, not for ever. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.pumping?.catch(() => undefined);
    const late = new AbortController();
    const limit = pause(this.options.stopMs, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([this.settled(), limit]);
    late.abort();
  }

  /** The slot is taken already. */
  private start(work: C): Promise<void> {
    const { onTrouble } = this.options;
    const ended = (this.stopping ? this.source.giveBack(work) : this.source.run(work))
      .then(() => undefined, onTrouble)
      .finally(() => {
        this.running.delete(ended);
        this.slots.free(work.tenant, work.lane);
        this.goOn();
      });
    this.running.add(ended);
    return ended;
  }

  private goOn(): void {
    if (this.stopping || !this.options.goesOn) return;
    const next = this.slots.next();
    if (next !== null) {
      this.wake(next.tenant, next.lane).catch((error: unknown) => {
        this.slots.remember(next.tenant, next.lane);
        this.options.onTrouble(error);
      });
    } else if (this.hasMore && this.pumping === undefined) {
      this.pump().catch(this.options.onTrouble);
    }
  }

  private async claimWhileThereAreSlots(): Promise<number> {
    let started = 0;
    for (let contended = 0; !this.stopping && contended < CONTENDED.times;) {
      const { tenants: fullTenants, lanes: fullLanes } = this.slots.full();
      this.hasMore = this.slots.spareInAll === 0 || fullTenants.length > 0 || fullLanes.length > 0;
      const batch = Math.min(this.options.batch, this.slots.spareInAll);
      if (batch === 0) break;
      const share = { batch, ofLane: this.options.ofLane, fullTenants, fullLanes };
      const claimed = await this.source.claimFairly(share);
      for (const work of claimed) {
        this.slots.take(work.tenant, work.lane);
        void this.start(work);
      }
      started += claimed.length;
      if (claimed.length > 0) continue;
      if (!(await this.source.hasDue(share))) break;
      contended += 1;
      await pause(CONTENDED.ms);
    }
    return started;
  }
}
