/** Gives back what was taken, but for so many bytes that are kept; what is given back already stays so. */
export type Release = (keptBytes?: number) => void;

export interface ByteBudgetOptions {
  /** Of all together. */
  readonly capacity: number;
  /** Of one thing; more than that is taken as if it were that. */
  readonly largest: number;
  /** What one holder may have, of what it has now and what is free: the less is free, the more holders there should be room for. */
  readonly share: (held: number, free: number) => number;
  /** Takers that may wait at a time, of one holder no more than a quarter of them. */
  readonly mostWaiting: number;
  readonly patienceMs: number;
  /** What a taker is told whose turn does not come. */
  readonly refusal: () => Error;
}

interface Waiting {
  readonly holder: string;
  readonly bytes: number;
  /** Whether it is never refused. */
  readonly isPatient: boolean;
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
    const release = this.tryTake(holder, bytes);
    if (release !== null) return Promise.resolve(release);
    const { mostWaiting, patienceMs, refusal } = this.options;
    const impatient = this.waiting.filter(({ isPatient }) => !isPatient);
    const ofHolder = impatient.filter((one) => one.holder === holder).length;
    if (impatient.length >= mostWaiting || ofHolder >= mostWaiting / 4) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      const patience = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(refusal());
      }, patienceMs);
      const begin = (taken: Release): void => {
        clearTimeout(patience);
        resolve(taken);
      };
      const waiting: Waiting = { holder, bytes, isPatient: false, begin };
      this.waiting.push(waiting);
    });
  }

  /** Resolves when the bytes are free, however long that takes: for takers of whom there are few already. */
  takePatiently(holder: string, bytes: number): Promise<Release> {
    const release = this.tryTake(holder, bytes);
    if (release !== null) return Promise.resolve(release);
    return new Promise((begin) => this.waiting.push({ holder, bytes, isPatient: true, begin }));
  }

  /** Null when they are not free now. */
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

  /** Whoever waits longest of those that fit; the first one that only lacks common room is not overtaken. */
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
