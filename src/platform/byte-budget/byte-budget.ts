/** Releases the reserved bytes except `keptBytes`. A later call cannot reserve released bytes again. */
export type Release = (keptBytes?: number) => void;

export interface ByteBudgetOptions {
  /** Bytes of all holders together. */
  readonly capacity: number;
  /** Maximum number of bytes of one reservation. A larger one counts as this many. */
  readonly largest: number;
  /**
   * Returns the maximum bytes of one holder, from the bytes that it holds and the bytes that are free. The result
   * should shrink with the free bytes, so that more holders have room.
   */
  readonly share: (held: number, free: number) => number;
  /** Maximum number of waiting callers. At most a quarter of them may be of one holder. */
  readonly maxQueued: number;
  readonly timeoutMs: number;
  /** Makes the error for a caller that cannot wait or has waited too long. */
  readonly refusal: () => Error;
}

interface Waiting {
  readonly holder: string;
  readonly bytes: number;
  /** Whether the caller is never refused. */
  readonly waitsWithoutTimeout: boolean;
  readonly begin: (release: Release) => void;
}

/**
 * Limits the bytes that are in memory at a time. Callers are served in order. A caller whose holder has used up its
 * share does not delay the callers of other holders, so that no tenant takes more than its share.
 */
export class ByteBudget {
  private free: number;
  private readonly held = new Map<string, number>();
  private readonly waiting: Waiting[] = [];

  constructor(private readonly options: ByteBudgetOptions) {
    this.free = options.capacity;
  }

  /** The bytes that are reserved now. */
  get inUse(): number {
    return this.options.capacity - this.free;
  }

  /**
   * Waits until the bytes are free and reserves them. @throws the refusal when too many callers wait, or this one has
   * waited too long
   */
  take(holder: string, bytes: number): Promise<Release> {
    const release = this.tryTake(holder, bytes);
    if (release !== null) return Promise.resolve(release);
    const { maxQueued, timeoutMs, refusal } = this.options;
    const withTimeout = this.waiting.filter(({ waitsWithoutTimeout }) => !waitsWithoutTimeout);
    const ofHolder = withTimeout.filter((one) => one.holder === holder).length;
    if (withTimeout.length >= maxQueued || ofHolder >= maxQueued / 4) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(refusal());
      }, timeoutMs);
      const begin = (taken: Release): void => {
        clearTimeout(timer);
        resolve(taken);
      };
      const waiting: Waiting = { holder, bytes, waitsWithoutTimeout: false, begin };
      this.waiting.push(waiting);
    });
  }

  /**
   * Waits for the bytes without a time limit and reserves them. Use it for callers whose number is limited otherwise.
   */
  takeWithoutTimeout(holder: string, bytes: number): Promise<Release> {
    const release = this.tryTake(holder, bytes);
    if (release !== null) return Promise.resolve(release);
    return new Promise((begin) => this.waiting.push({ holder, bytes, waitsWithoutTimeout: true, begin }));
  }

  /** Reserves the bytes, or returns null when they are not free now. */
  tryTake(holder: string, bytes: number): Release | null {
    const taken = Math.min(bytes, this.options.largest);
    if (taken > this.free || !this.hasShareFor(holder, taken)) return null;
    const held = this.held.get(holder) ?? 0;
    this.free -= taken;
    this.held.set(holder, held + taken);
    let left = taken;
    return (keptBytes = 0) => {
      const given = left - keptBytes;
      if (given <= 0) return;
      left = keptBytes;
      this.giveBack(holder, given);
    };
  }

  private giveBack(holder: string, bytes: number): void {
    this.free += bytes;
    const left = (this.held.get(holder) ?? bytes) - bytes;
    if (left > 0) this.held.set(holder, left);
    else this.held.delete(holder);
    this.goOn();
  }

  /**
   * Serves the waiting callers whose bytes fit, in the order of their arrival. A caller that waits only for common
   * capacity, and not for its holder's share, is not overtaken.
   */
  private goOn(): void {
    for (let at = 0; at < this.waiting.length;) {
      const next = this.waiting[at];
      if (next === undefined) return;
      const release = this.tryTake(next.holder, next.bytes);
      if (release !== null) {
        this.waiting.splice(at, 1);
        next.begin(release);
      } else if (this.hasShareFor(next.holder, Math.min(next.bytes, this.options.largest))) return;
      else at += 1;
    }
  }

  private hasShareFor(holder: string, bytes: number): boolean {
    const held = this.held.get(holder) ?? 0;
    return held + bytes <= this.options.share(held, this.free);
  }
}
