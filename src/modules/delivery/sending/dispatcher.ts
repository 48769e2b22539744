import { setTimeout as pause } from 'node:timers/promises';
import { type Lane, type SlotLimits, Slots } from './slots.js';

/** A lane of which up to `most` may be claimed. */
export interface LaneShare extends Lane {
  readonly most: number;
}

/** Where claimed work comes from and what is done with it. */
export interface WorkSource<C extends Lane> {
  /**
   * Lanes in which something is due: one of each tenant, then another of each, and so on.
   * @param after the tenant behind which to begin, so that those that found no place are the first of the next look
   */
  dueLanes(most: number, after: string | null): Promise<Lane[]>;
  /** Claims the oldest of each lane, no more than `batch` in all. */
  claim(lanes: readonly LaneShare[], batch: number): Promise<C[]>;
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

/** A round begins nothing more after so long: somebody waits for it. */
const ROUND_MS = 30_000;
/** Lanes found by one look; those beyond come with the next. */
const LANES_OF_A_LOOK = 500;

/**
 * Claims what is due and runs it, within the limits of this process and of each tenant and lane. Whoever says that a
 * lane has work puts it in line, and one loop claims for the lanes in turn, a tenant after the other, while there are
 * slots. A lane that had as much as was asked for stays in line, so one wake-up is enough to work a backlog off, and
 * no backlog keeps others from their turn.
 */
export class Dispatcher<C extends Lane> {
  private readonly slots: Slots;
  private readonly running = new Set<Promise<void>>();
  private claiming?: Promise<number>;
  private looking?: Promise<void>;
  /** The last tenant of a look that did not see everything. */
  private seenTo: string | null = null;
  private stopping = false;
  /** How much has ended since the process began. */
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

  /** Puts these lanes in line: what is due in them is claimed and run as there are slots. */
  wake(lanes: readonly Lane[]): void {
    for (const lane of lanes) this.slots.remember(lane);
    this.claimInTurn().catch(this.options.onTrouble);
  }

  /**
   * Looks for what is due, whomever it belongs to, and claims and runs it while there are slots.
   * @returns how much was begun
   */
  async pump(): Promise<number> {
    await this.look();
    return this.claimInTurn();
  }

  /**
   * Sees to what is due until nothing is left or it has taken long enough, by whomever it was begun: what this process is
   * sending already counts as well.
   * @returns how much has ended
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

  /** Runs what the caller has claimed, past the limits: somebody waits for it. Resolves when it has ended. */
  run(claimed: C): Promise<void> {
    this.slots.take(claimed);
    return this.start(claimed);
  }

  /** Resolves when everything begun so far has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  /** Claims nothing more, and waits for what is under way, not for ever. */
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

  /** One loop at a time: what is put in line meanwhile goes with its next claim. */
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
    // When all started work has ended by now, nothing else calls `goOn`. Lanes that gave nothing wait for the next poll.
    if (started > 0 || this.slots.isWaitedFor) this.goOn();
    return started;
  }

  /** The next lanes in turn, with slots taken before the claim, so that what begins meanwhile cannot overbook them. */
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

  /** Frees the slots that got nothing. Lanes that may have more, all of them after a cut, go to the end of the line. */
  private release(lanes: readonly LaneShare[], claimed: readonly C[], isCut: boolean): void {
    for (const share of lanes) {
      const got = claimed.filter(({ lane }) => lane === share.lane).length;
      for (let slot = got; slot < share.most; slot += 1) this.slots.free(share);
      if (isCut || got === share.most) this.slots.remember(share);
    }
  }

  /** The slot is taken already. */
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
