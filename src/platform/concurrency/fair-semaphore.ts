import { OverloadedError, ShareExhaustedError } from './overload.js';

export interface FairSemaphoreOptions {
  /** Maximum number of pieces that run at the same time. */
  readonly parallel: number;
  /** Maximum number of pieces of one share that run at the same time. Unlimited by default. */
  readonly parallelOfShare?: number;
  /** Maximum number of waiting pieces. Beyond it, pieces are refused. */
  readonly mostWaiting: number;
  /** Maximum number of waiting pieces of one share. By default, the maximum of all shares. */
  readonly mostWaitingOfShare?: number;
  /**
   * How long a piece waits, and the error when the queue is full or the wait takes too long. By default a piece waits
   * without a limit.
   */
  readonly patience?: { readonly ms: number; readonly refusal: new () => Error };
  /**
   * Returns how much a share has used recently. The waiting share that has used least is next, and when the queue is
   * full, the share that has used most loses a place. By default shares take turns.
   */
  readonly used?: (share: string) => number;
}

/** Releases a slot. Further calls do nothing. */
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
 * A semaphore with a limited queue whose shares take turns, so that a share with much work delays only itself. When the
 * queue is full, a share with fewer waiting pieces takes the last place of the share with the most, and a share that
 * has used less takes a place of one that has used more.
 */
export class FairSemaphore {
  /** The shares in the order of their turns. A share moves to the end when one of its pieces starts. */
  private readonly shares = new Map<string, Share>();
  private running = 0;
  private waitingNow = 0;

  constructor(private readonly options: FairSemaphoreOptions) {}

  /** Returns the number of waiting pieces. */
  get waiting(): number {
    return this.waitingNow;
  }

  /**
   * Runs work in a slot.
   * @param share the share to which the work belongs
   * @param signal ends the wait, which then throws the signal's reason. Work that has started must check the signal
   * itself
   * @throws ShareExhaustedError when the share has its maximum of waiting pieces
   * @throws OverloadedError when the queue is full
   * @throws the refusal of `patience` in place of both, and when the wait takes too long. Each of these errors is
   * thrown before the work has started
   */
  async run<T>(share: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(share, signal);
    return ending(leave, work);
  }

  /** Runs work at once when a slot is free. @returns null when none is: the work has not started then */
  runNow<T>(share: string, work: () => Promise<T>): Promise<T> | null {
    const leave = this.enterNow(share);
    return leave && ending(leave, work);
  }

  /** Waits for a slot like {@link run}. The slot is released when the returned function is called. */
  async enter(share: string, signal?: AbortSignal): Promise<Leave> {
    signal?.throwIfAborted();
    await this.turnOf(share, signal);
    return this.leaving(share);
  }

  /** Acquires a slot when one is free. @returns null when none is */
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

  /** Returns the share with the most waiting pieces, when it has more than `than`. */
  private largest(than: number): NamedShare | undefined {
    let largest: NamedShare | undefined;
    for (const one of this.shares) {
      if (one[1].waiting.length > (largest?.[1].waiting.length ?? than)) largest = one;
    }
    return largest;
  }

  /** Returns the waiting share that has used the most, when it has used more than the named share. */
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

  /**
   * Returns the share whose turn is next: of the shares that wait and may run, the first, or the one that has used
   * least.
   */
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
