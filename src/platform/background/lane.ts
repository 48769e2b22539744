import { AsyncLocalStorage } from 'node:async_hooks';
import { FairSemaphore } from '../concurrency/index.js';

export interface LaneOptions {
  /** Pieces of work at the same time. */
  readonly parallel: number;
  /** Pieces that may wait. */
  readonly mostWaiting: number;
  /** Pieces that one share may have waiting. */
  readonly mostWaitingOfShare: number;
}

export interface Piece {
  /** For log lines and metrics: what kind of work it is. */
  readonly name: string;
  /** Pieces of one key have one place: another is left out while one waits or runs. */
  readonly key?: string | undefined;
  /** Who has brought it about, such as a client's address: shares take turns, and each has a bound of its own. */
  readonly share: string;
  readonly work: () => Promise<unknown>;
}

/** `folded`: one of its key was there already. `dropped`: there was no place for it, and it never began. */
export type LaneOutcome = 'done' | 'failed' | 'folded' | 'dropped';

/** Work that nobody waits for, a few pieces at a time, with a bound on what waits; beyond it nothing is kept. */
export class Lane {
  private readonly turns: FairSemaphore;
  private readonly keys = new Set<string>();
  private readonly open = new Set<Promise<void>>();

  constructor(
    options: LaneOptions,
    private readonly report: (outcome: LaneOutcome, name: string, error?: unknown) => void,
  ) {
    this.turns = new FairSemaphore(options);
  }

  get waiting(): number {
    return this.turns.waiting;
  }

  /** Waiting and running. */
  get size(): number {
    return this.open.size;
  }

  /** Never throws and never waits: what becomes of the piece is reported. @returns its end, which is never a failure */
  offer({ name, key, share, work }: Piece): Promise<void> {
    if (key !== undefined) {
      if (this.keys.has(key)) {
        this.report('folded', name);
        return Promise.resolve();
      }
      this.keys.add(key);
    }
    let hasBegun = false;
    // Whoever ends before it begins the work: it belongs to the request that offered it all the same.
    const inContext = AsyncLocalStorage.snapshot();
    const promise = this.turns
      .run(share, () => {
        hasBegun = true;
        return inContext(work);
      })
      .then(
        () => this.report('done', name),
        (error: unknown) => this.report(hasBegun ? 'failed' : 'dropped', name, error),
      )
      .finally(() => {
        if (key !== undefined) this.keys.delete(key);
        this.open.delete(promise);
      });
    this.open.add(promise);
    return promise;
  }

  /** Resolves when everything offered so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.open);
  }
}
