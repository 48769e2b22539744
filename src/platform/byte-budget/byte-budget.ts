/** Gives back what was taken; further calls do nothing. */
export type Release = () => void;

export interface ByteBudgetOptions {
  /** Of all together. */
  readonly capacity: number;
  /** Of one holder at a time; more than that is taken as if it were that. */
  readonly share: number;
  /** Takers that may wait at a time, of one holder no more than a quarter of them. */
  readonly mostWaiting: number;
  readonly patienceMs: number;
  /** What a taker is told whose turn does not come. */
  readonly refusal: () => Error;
}

interface Waiting {
  readonly holder: string;
  readonly bytes: number;
  readonly begin: (release: Release) => void;
}

/**
 * Bytes that may be in memory at a time. Takers come in turn, but who has all of a holder's share waits without holding
 * up the others: no tenant takes more than the share.
 */
export class ByteBudget {
  private free: number;
  private readonly held = new Map<string, number>();
  private readonly waiting: Waiting[] = [];

  constructor(private readonly options: ByteBudgetOptions) {
    this.free = options.capacity;
  }

  /** Resolves when the bytes are free. @throws the refusal when too many wait or it takes too long */
  take(holder: string, bytes: number): Promise<Release> {
    const { mostWaiting, patienceMs, refusal } = this.options;
    const release = this.tryTake(holder, bytes);
    if (release !== null) return Promise.resolve(release);
    const ofHolder = this.waiting.filter((one) => one.holder === holder).length;
    if (this.waiting.length >= mostWaiting || ofHolder >= mostWaiting / 4) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      const patience = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(refusal());
      }, patienceMs);
      const waiting: Waiting = {
        holder,
        bytes,
        begin: (taken) => {
          clearTimeout(patience);
          resolve(taken);
        },
      };
      this.waiting.push(waiting);
    });
  }

  /** Null when they are not free now. */
  tryTake(holder: string, bytes: number): Release | null {
    const taken = Math.min(bytes, this.options.share);
    const held = this.held.get(holder) ?? 0;
    if (taken > this.free || held + taken > this.options.share) return null;
    this.free -= taken;
    this.held.set(holder, held + taken);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.giveBack(holder, taken);
    };
  }

  private giveBack(holder: string, bytes: number): void {
    this.free += bytes;
    const left = (this.held.get(holder) ?? bytes) - bytes;
    if (left > 0) this.held.set(holder, left);
    else this.held.delete(holder);
    this.goOn();
  }

  /** Whoever waits longest of those that fit; the first one that only lacks common room is not overtaken. */
  private goOn(): void {
    for (let at = 0; at < this.waiting.length;) {
      const next = this.waiting[at];
      if (next === undefined) return;
      const release = this.tryTake(next.holder, next.bytes);
      if (release !== null) {
        this.waiting.splice(at, 1);
        next.begin(release);
      } else if (this.hasShareFor(next)) return;
      else at += 1;
    }
  }

  private hasShareFor({ holder, bytes }: Waiting): boolean {
    const { share } = this.options;
    return (this.held.get(holder) ?? 0) + Math.min(bytes, share) <= share;
  }
}
