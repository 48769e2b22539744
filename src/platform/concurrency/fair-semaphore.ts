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
}

interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

interface Share {
  running: number;
  readonly waiting: Waiter[];
}

/**
 * A semaphore with a bounded queue whose shares take turns, so that whoever brings much waits for themselves alone. When
 * the queue is full, a share that has less waiting takes the last place of the one that has most.
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
    signal?.throwIfAborted();
    await this.turnOf(share, signal);
    return this.ending(share, work);
  }

  /** As {@link run}, where a turn is free. @returns null when none is: nothing has begun then */
  runNow<T>(share: string, work: () => Promise<T>): Promise<T> | null {
    if (!this.beginNow(share, this.shareOf(share))) return null;
    return this.ending(share, work);
  }

  private async ending<T>(share: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.end(share);
    }
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
    this.makeRoomFor(share);
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

  private makeRoomFor(share: Share): void {
    const { mostWaiting, mostWaitingOfShare = Infinity } = this.options;
    if (share.waiting.length >= mostWaitingOfShare) throw this.refusalInPlaceOf(new ShareExhaustedError());
    if (this.waitingNow < mostWaiting) return;
    let largest = share;
    for (const other of this.shares.values()) if (other.waiting.length > largest.waiting.length) largest = other;
    if (largest.waiting.length <= share.waiting.length + 1) throw this.refusalInPlaceOf(new OverloadedError());
    this.waitingNow -= 1;
    largest.waiting.pop()?.refuse(new OverloadedError());
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
    for (const [next, waiting] of this.shares) {
      if (this.running >= this.options.parallel) return;
      if (!this.mayRun(waiting)) continue;
      const waiter = waiting.waiting.shift();
      if (waiter === undefined) continue;
      this.waitingNow -= 1;
      this.begin(next, waiting);
      waiter.begin();
    }
  }
}
