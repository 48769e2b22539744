import { OverloadedError, ShareExhaustedError } from './overload.js';

export interface FairSemaphoreOptions {
  /** Pieces of work at the same time. */
  readonly parallel: number;
  /** Pieces of one share at the same time; by default any number. */
  readonly parallelOfShare?: number;
  /** Pieces that may wait for their turn. */
  readonly mostWaiting: number;
  /** Pieces of one share that may wait; by default as many as may wait at all. */
  readonly mostWaitingOfShare?: number;
  /** How long a piece waits, and what it is told when there is no place or its turn does not come; by default it waits for ever. */
  readonly patience?: { readonly ms: number; readonly refusal: new () => Error };
  /**
   * How much a share has used lately. The waiting share that has used least has the next turn, and where there is no place
   * for all, the one that has used most loses its own; by default shares take turns.
   */
  readonly used?: (share: string) => number;
}

/** Gives a place back; further calls do nothing. */
export type Leave = () => void;

interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

interface Share {
  running: number;
  readonly waiting: Waiter[];
}

type NamedShare = readonly [name: string, share: Share];

/**
 * A semaphore with a bounded queue whose shares take turns, so that whoever brings much waits for themselves alone. When
 * the queue is full, a share that has less waiting takes the last place of the one that has most, and a share that has
 * used less takes one of a share that has used more.
 */
export class FairSemaphore {
  /** In the order of their turns: a share that has had one goes to the end. */
  private readonly shares = new Map<string, Share>();
  private running = 0;
  private waitingNow = 0;

  constructor(private readonly options: FairSemaphoreOptions) {}

  /** How many wait for their turn. */
  get waiting(): number {
    return this.waitingNow;
  }

  /**
   * @param share whose work it is
   * @param signal ends the waiting: what it gives as its reason is thrown. Work that has begun looks at it by itself
   * @throws ShareExhaustedError when as much of the share waits as may
   * @throws OverloadedError when as much waits as may at all
   * @throws the refusal of the patience in place of both, and when that is over; all before the work has begun
   */
  async run<T>(share: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(share, signal);
    return ending(leave, work);
  }

  /** As {@link run}, where a turn is free. @returns null when none is: nothing has begun then */
  runNow<T>(share: string, work: () => Promise<T>): Promise<T> | null {
    const leave = this.enterNow(share);
    return leave && ending(leave, work);
  }

  /** As {@link run}, for work that ends when the returned function is called. */
  async enter(share: string, signal?: AbortSignal): Promise<Leave> {
    signal?.throwIfAborted();
    await this.turnOf(share, signal);
    return this.leaving(share);
  }

  /** As {@link enter}, where a turn is free. @returns null when none is */
  enterNow(share: string): Leave | null {
    return this.beginNow(share, this.shareOf(share)) ? this.leaving(share) : null;
  }

  private leaving(share: string): Leave {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.end(share);
    };
  }

  private shareOf(name: string): Share {
    return this.shares.get(name) ?? { running: 0, waiting: [] };
  }

  private beginNow(name: string, share: Share): boolean {
    const isFree = this.running < this.options.parallel && share.waiting.length === 0 && this.mayRun(share);
    if (isFree) this.begin(name, share);
    return isFree;
  }

  private turnOf(name: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    const share = this.shareOf(name);
    if (this.beginNow(name, share)) return undefined;
    this.makeRoomFor(name, share);
    this.shares.set(name, share);
    this.waitingNow += 1;
    return this.wait(name, share, signal);
  }

  private wait(name: string, share: Share, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const { patience } = this.options;
      const settled = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        begin: () => {
          settled();
          resolve();
        },
        refuse: (error) => {
          settled();
          reject(patience === undefined ? error : new patience.refusal());
        },
      };
      const leave = (): void => {
        share.waiting.splice(share.waiting.indexOf(waiter), 1);
        this.waitingNow -= 1;
        this.forgetIdle(name, share);
      };
      const giveUp = (): void => {
        leave();
        settled();
        reject(signal?.reason as Error);
      };
      const timer =
        patience === undefined
          ? undefined
          : setTimeout(() => {
              leave();
              waiter.refuse(new OverloadedError());
            }, patience.ms);
      signal?.addEventListener('abort', giveUp, { once: true });
      share.waiting.push(waiter);
    });
  }

  private forgetIdle(name: string, share: Share): void {
    if (share.running === 0 && share.waiting.length === 0) this.shares.delete(name);
  }

  private mayRun(share: Share): boolean {
    return share.running < (this.options.parallelOfShare ?? Infinity);
  }

  private begin(name: string, share: Share): void {
    this.running += 1;
    share.running += 1;
    this.shares.delete(name);
    this.shares.set(name, share);
  }

  private makeRoomFor(name: string, share: Share): void {
    const { mostWaiting, mostWaitingOfShare = Infinity } = this.options;
    if (share.waiting.length >= mostWaitingOfShare) throw this.refusalInPlaceOf(new ShareExhaustedError());
    if (this.waitingNow < mostWaiting) return;
    const loser = this.largest(share.waiting.length + 1) ?? this.mostUsed(name);
    if (loser === undefined) throw this.refusalInPlaceOf(new OverloadedError());
    const [loserName, loserShare] = loser;
    this.waitingNow -= 1;
    loserShare.waiting.pop()?.refuse(new OverloadedError());
    this.forgetIdle(loserName, loserShare);
  }

  /** The share that has most waiting, where that is more than `than`. */
  private largest(than: number): NamedShare | undefined {
    let largest: NamedShare | undefined;
    for (const one of this.shares) {
      if (one[1].waiting.length > (largest?.[1].waiting.length ?? than)) largest = one;
    }
    return largest;
  }

  /** The waiting share that has used most, where that is more than the named one has. */
  private mostUsed(than: string): NamedShare | undefined {
    const { used } = this.options;
    if (used === undefined) return undefined;
    let [most, found]: [number, NamedShare | undefined] = [used(than), undefined];
    for (const one of this.shares) {
      if (one[1].waiting.length > 0 && used(one[0]) > most) [most, found] = [used(one[0]), one];
    }
    return found;
  }

  private refusalInPlaceOf(error: Error): Error {
    const { patience } = this.options;
    return patience === undefined ? error : new patience.refusal();
  }

  private end(name: string): void {
    this.running -= 1;
    const share = this.shares.get(name);
    if (share !== undefined) {
      share.running -= 1;
      this.forgetIdle(name, share);
    }
    while (this.running < this.options.parallel) {
      const next = this.next();
      if (next === undefined) return;
      const [name, waiting] = next;
      const waiter = waiting.waiting.shift();
      this.waitingNow -= 1;
      this.begin(name, waiting);
      waiter?.begin();
    }
  }

  /** Whose turn is next: the first one that waits and may run, or of these the one that has used least. */
  private next(): NamedShare | undefined {
    const { used } = this.options;
    let [least, found]: [number, NamedShare | undefined] = [Infinity, undefined];
    for (const one of this.shares) {
      const [name, share] = one;
      if (share.waiting.length === 0 || !this.mayRun(share)) continue;
      if (used === undefined) return one;
      const usedOfIt = used(name);
      if (usedOfIt < least) [least, found] = [usedOfIt, one];
    }
    return found;
  }
}

async function ending<T>(leave: Leave, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    leave();
  }
}
