import { setTimeout as pause } from 'node:timers/promises';
import { type SendingLane, type SlotLimits, Slots } from './slots.js';

/** A lane, and the maximum number of its rows that may be claimed. */
export interface LaneShare extends SendingLane {
  readonly most: number;
}

/** Finds due work, claims it and runs it. */
export interface WorkSource<C extends SendingLane> {
  /**
   * Returns at most `most` lanes that have due work: one of each tenant, then another of each, and so on.
   * @param after the last tenant of the previous query; this query begins with the tenants that did not fit into that
   * result
   */
  dueLanes(most: number, after: string | null): Promise<SendingLane[]>;
  /** Claims the oldest due work of each lane, no more than `batch` in all. */
  claim(lanes: readonly LaneShare[], batch: number): Promise<C[]>;
  run(claimed: C): Promise<unknown>;
  /** Undoes a claim under which nothing was done. */
  giveBack(claimed: C): Promise<unknown>;
}

export interface DispatcherOptions {
  readonly limits: SlotLimits;
  /** The maximum number of due rows in one claim. `ofLane` is the maximum for one lane. */
  readonly batch: number;
  readonly ofLane: number;
  /** True in processes with workers: they claim more when work ends. Other processes claim only when called. */
  readonly goesOn: boolean;
  /** How long `stop` waits for running work, in milliseconds. Work that still runs then ends as an expired claim. */
  readonly stopMs: number;
  readonly onTrouble: (error: unknown) => void;
}

/** After this time a round starts no more work, because a caller waits for its end. */
const ROUND_MS = 30_000;
/** The maximum number of lanes that one query for due work returns. Further lanes come with the next query. */
const LANES_OF_A_LOOK = 500;

/**
 * Claims due work and runs it, within the limits of this process and of each tenant and lane. A wake-up puts a lane
 * into the queue. One loop claims work for the queued lanes while slots are free, one tenant after another. A lane that
 * gave as many rows as it was allowed stays in the queue: one wake-up is enough for a whole backlog, and no backlog
 * keeps other tenants waiting.
 */
export class Dispatcher<C extends SendingLane> {
  private readonly slots: Slots;
  private readonly running = new Set<Promise<void>>();
  private claiming?: Promise<number>;
  private looking?: Promise<void>;
  /** The last tenant of the last query for due work, when its result was full; null when the result had every lane. */
  private seenTo: string | null = null;
  private stopping = false;
  /** How many runs have ended since the process began. */
  private ended = 0;

  constructor(
    private readonly source: WorkSource<C>,
    private readonly options: DispatcherOptions,
  ) {
    this.slots = new Slots(options.limits);
  }

  get inUse(): number {
    return this.slots.inUse;
  }

  /** Queues these lanes: their due work is claimed and run as slots become free. */
  wake(lanes: readonly SendingLane[]): void {
    for (const lane of lanes) this.slots.remember(lane);
    this.claimInTurn().catch(this.options.onTrouble);
  }

  /**
   * Queries for due work of every tenant, claims it and runs it while there are free slots.
   * @returns how many runs were started
   */
  async pump(): Promise<number> {
    await this.look();
    return this.claimInTurn();
  }

  /**
   * Runs due work until none is left or the time of a round is over. Work started before the call counts too.
   * @returns how many runs have ended
   */
  async round(): Promise<number> {
    const [before, until] = [this.ended, performance.now() + ROUND_MS];
    for (let isThereMore = true; isThereMore && performance.now() < until;) {
      const started = await this.pump();
      isThereMore = started > 0 || this.running.size > 0;
      await this.settled();
    }
    return this.ended - before;
  }

  /**
   * Runs work that the caller has claimed. The limits do not apply, because a person waits for the result. Resolves
   * when the work has ended.
   */
  run(claimed: C): Promise<void> {
    this.slots.take(claimed);
    return this.start(claimed);
  }

  /** Resolves when all work that is running now has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  /** Stops claiming, and waits up to `stopMs` for running work. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.claiming?.catch(() => undefined);
    const late = new AbortController();
    const limit = pause(this.options.stopMs, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([this.settled(), limit]);
    late.abort();
  }

  private look(): Promise<void> {
    this.looking ??= this.source
      .dueLanes(LANES_OF_A_LOOK, this.seenTo)
      .then((lanes) => {
        this.seenTo = lanes.length < LANES_OF_A_LOOK ? null : (lanes.at(-1)?.tenant ?? null);
        for (const lane of lanes) this.slots.remember(lane);
      })
      .finally(() => (this.looking = undefined));
    return this.looking;
  }

  /** Runs one loop at a time. Lanes that are queued while it runs are part of its next claim. */
  private claimInTurn(): Promise<number> {
    if (this.claiming !== undefined) return this.claiming;
    const lanes = this.reserve();
    if (lanes.length === 0) return Promise.resolve(0);
    return (this.claiming = this.claimWhileThereAreSlots(lanes));
  }

  private async claimWhileThereAreSlots(first: readonly LaneShare[]): Promise<number> {
    let started = 0;
    try {
      for (let lanes = first; lanes.length > 0; lanes = this.reserve()) started += await this.claim(lanes);
    } finally {
      this.claiming = undefined;
    }
    // When all started work has ended by now, nothing else calls `goOn`. Lanes without a claim wait for the next poll.
    if (started > 0 || this.slots.isWaitedFor) this.goOn();
    return started;
  }

  /** Takes the next lanes from the queue, with slots reserved before the claim, so that no other work takes them. */
  private reserve(): LaneShare[] {
    const reserved: LaneShare[] = [];
    while (!this.stopping && reserved.length < this.options.batch) {
      const lane = this.slots.next();
      if (lane === null) break;
      const most = Math.min(this.slots.spare(lane), this.options.ofLane);
      for (let slot = 0; slot < most; slot += 1) this.slots.take(lane);
      reserved.push({ ...lane, most });
    }
    return reserved;
  }

  private async claim(lanes: readonly LaneShare[]): Promise<number> {
    const { batch } = this.options;
    const claimed = await this.source.claim(lanes, batch).catch((error: unknown) => {
      this.release(lanes, [], true);
      throw error;
    });
    this.release(lanes, claimed, claimed.length >= batch);
    for (const work of claimed) void this.start(work);
    return claimed.length;
  }

  /**
   * Frees the slots for which nothing was claimed. Lanes that may have more due rows go to the end of the queue. After
   * a claim that reached the batch size, these are all lanes.
   */
  private release(lanes: readonly LaneShare[], claimed: readonly C[], isCut: boolean): void {
    for (const share of lanes) {
      const got = claimed.filter(({ lane }) => lane === share.lane).length;
      for (let slot = got; slot < share.most; slot += 1) this.slots.free(share);
      if (isCut || got === share.most) this.slots.remember(share);
    }
  }

  /** Runs work whose slot is taken already. */
  private start(work: C): Promise<void> {
    const { onTrouble } = this.options;
    const ended = (this.stopping ? this.source.giveBack(work) : this.source.run(work))
      .then(() => undefined, onTrouble)
      .finally(() => {
        this.running.delete(ended);
        this.ended += 1;
        this.slots.free(work);
        this.goOn();
      });
    this.running.add(ended);
    return ended;
  }

  private goOn(): void {
    if (this.stopping || !this.options.goesOn) return;
    const next = this.slots.isWaitedFor || this.seenTo === null ? this.claimInTurn() : this.pump();
    next.catch(this.options.onTrouble);
  }
}
