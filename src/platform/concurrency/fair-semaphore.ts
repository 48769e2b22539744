import { OverloadedError, KeyOverloadedError } from './overload.js';

export interface FairSemaphoreOptions {
  /** Maximum number of pieces that run at the same time. */
  readonly parallel: number;
  /** Maximum number of pieces of one key that run at the same time. Unlimited by default. */
  readonly maxPerKey?: number;
  /** Maximum number of waiting pieces. Beyond it, pieces are refused. */
  readonly maxQueued: number;
  /** Maximum number of waiting pieces of one key. By default, the maximum of all keys. */
  readonly maxQueuedPerKey?: number;
  /**
   * How long a piece waits, and the error when the queue is full or the wait takes too long. By default a piece waits
   * without a limit.
   */
  readonly timeout?: { readonly ms: number; readonly refusal: new () => Error };
  /**
   * Returns how much a key has used recently. The waiting key with the lowest use is served next. When the queue is
   * full, the key with the highest use loses a place. By default, keys are served in turn.
   */
  readonly used?: (key: string) => number;
}

/** Releases a slot. Further calls do nothing. */
export type Leave = () => void;

interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

interface KeyState {
  running: number;
  readonly waiting: Waiter[];
}

type KeyEntry = readonly [key: string, state: KeyState];

/**
 * A semaphore with a limited queue. Keys are served in turn, so that a key with much work delays only itself. When the
 * queue is full, a new piece takes the place of another key's last waiting piece. The key with the most waiting pieces
 * loses a place, if it has more pieces than the key of the new piece. Otherwise, with `used`, the key that has used the
 * most loses a place, if it has used more.
 */
export class FairSemaphore {
  /** The states in the order in which they are served. A state moves to the end when one of its pieces starts. */
  private readonly states = new Map<string, KeyState>();
  private running = 0;
  private waitingNow = 0;

  constructor(private readonly options: FairSemaphoreOptions) {}

  /** Returns the number of waiting pieces. */
  get waiting(): number {
    return this.waitingNow;
  }

  /**
   * Runs work in a slot.
   * @param key the key to which the work belongs, such as a tenant or an address
   * @param signal ends the wait, which then rejects with the signal's reason. Work that has started must check the
   * signal itself
   * @throws KeyOverloadedError when the key has its maximum number of waiting pieces
   * @throws OverloadedError when the queue is full
   * @throws with `timeout`, its refusal instead of these errors, and when the wait takes too long. All of these errors
   * are thrown before the work has started
   */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(key, signal);
    return ending(leave, work);
  }

  /** Runs work at once when a slot is free. @returns null when no slot is free. The work is then not started */
  runNow<T>(key: string, work: () => Promise<T>): Promise<T> | null {
    const leave = this.enterNow(key);
    return leave && ending(leave, work);
  }

  /** Waits for a slot like {@link run}. The slot is released when the returned function is called. */
  async enter(key: string, signal?: AbortSignal): Promise<Leave> {
    signal?.throwIfAborted();
    await this.slotOf(key, signal);
    return this.leaving(key);
  }

  /** Acquires a slot when one is free. @returns null when no slot is free */
  enterNow(key: string): Leave | null {
    return this.beginNow(key, this.stateOf(key)) ? this.leaving(key) : null;
  }

  private leaving(key: string): Leave {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.end(key);
    };
  }

  private stateOf(key: string): KeyState {
    return this.states.get(key) ?? { running: 0, waiting: [] };
  }

  private beginNow(key: string, state: KeyState): boolean {
    const isFree = this.running < this.options.parallel && state.waiting.length === 0 && this.mayRun(state);
    if (isFree) this.begin(key, state);
    return isFree;
  }

  private slotOf(key: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    const state = this.stateOf(key);
    if (this.beginNow(key, state)) return undefined;
    this.makeRoomFor(key, state);
    this.states.set(key, state);
    this.waitingNow += 1;
    return this.wait(key, state, signal);
  }

  private wait(key: string, state: KeyState, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const { timeout } = this.options;
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
          reject(timeout === undefined ? error : new timeout.refusal());
        },
      };
      const leave = (): void => {
        state.waiting.splice(state.waiting.indexOf(waiter), 1);
        this.waitingNow -= 1;
        this.forgetIdle(key, state);
      };
      const giveUp = (): void => {
        leave();
        settled();
        reject(signal?.reason as Error);
      };
      const timer =
        timeout === undefined
          ? undefined
          : setTimeout(() => {
              leave();
              waiter.refuse(new OverloadedError());
            }, timeout.ms);
      signal?.addEventListener('abort', giveUp, { once: true });
      state.waiting.push(waiter);
    });
  }

  private forgetIdle(key: string, state: KeyState): void {
    if (state.running === 0 && state.waiting.length === 0) this.states.delete(key);
  }

  private mayRun(state: KeyState): boolean {
    return state.running < (this.options.maxPerKey ?? Infinity);
  }

  private begin(key: string, state: KeyState): void {
    this.running += 1;
    state.running += 1;
    this.states.delete(key);
    this.states.set(key, state);
  }

  private makeRoomFor(key: string, state: KeyState): void {
    const { maxQueued, maxQueuedPerKey = Infinity } = this.options;
    if (state.waiting.length >= maxQueuedPerKey) throw this.refusalInPlaceOf(new KeyOverloadedError());
    if (this.waitingNow < maxQueued) return;
    const loser = this.largest(state.waiting.length + 1) ?? this.mostUsed(key);
    if (loser === undefined) throw this.refusalInPlaceOf(new OverloadedError());
    const [loserKey, loserState] = loser;
    this.waitingNow -= 1;
    loserState.waiting.pop()?.refuse(new OverloadedError());
    this.forgetIdle(loserKey, loserState);
  }

  /** Returns the key with the most waiting pieces, when it has more than `than`. */
  private largest(than: number): KeyEntry | undefined {
    let largest: KeyEntry | undefined;
    for (const one of this.states) {
      if (one[1].waiting.length > (largest?.[1].waiting.length ?? than)) largest = one;
    }
    return largest;
  }

  /** Returns the waiting key that has used the most, when it has used more than the named key. */
  private mostUsed(than: string): KeyEntry | undefined {
    const { used } = this.options;
    if (used === undefined) return undefined;
    let [most, found]: [number, KeyEntry | undefined] = [used(than), undefined];
    for (const one of this.states) {
      if (one[1].waiting.length > 0 && used(one[0]) > most) [most, found] = [used(one[0]), one];
    }
    return found;
  }

  private refusalInPlaceOf(error: Error): Error {
    const { timeout } = this.options;
    return timeout === undefined ? error : new timeout.refusal();
  }

  private end(key: string): void {
    this.running -= 1;
    const state = this.states.get(key);
    if (state !== undefined) {
      state.running -= 1;
      this.forgetIdle(key, state);
    }
    while (this.running < this.options.parallel) {
      const next = this.next();
      if (next === undefined) return;
      const [key, waiting] = next;
      const waiter = waiting.waiting.shift();
      this.waitingNow -= 1;
      this.begin(key, waiting);
      waiter?.begin();
    }
  }

  /**
   * Returns the key that is served next among the keys that wait and may run: the first one, or with `used` the one
   * that has used the least.
   */
  private next(): KeyEntry | undefined {
    const { used } = this.options;
    let [least, found]: [number, KeyEntry | undefined] = [Infinity, undefined];
    for (const one of this.states) {
      const [key, state] = one;
      if (state.waiting.length === 0 || !this.mayRun(state)) continue;
      if (used === undefined) return one;
      const usedOfIt = used(key);
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
