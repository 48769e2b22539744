import { AsyncLocalStorage } from 'node:async_hooks';
import { FairSemaphore } from '../concurrency/index.js';

export interface LaneOptions {
  /** Maximum number of pieces that run at the same time. */
  readonly parallel: number;
  /** Maximum number of waiting pieces. Beyond it, pieces are dropped. */
  readonly maxQueued: number;
  /** Maximum number of waiting pieces of one share. */
  readonly maxQueuedPerKey: number;
}

export interface Piece {
  /** The kind of work, for log lines and metrics. */
  readonly name: string;
  /** While a piece with the same key waits or runs, a further one is skipped. */
  readonly key?: string | undefined;
  /** Who caused the work, such as a client's address. Shares get slots in turn, and each share has its own limit. */
  readonly share: string;
  readonly work: () => Promise<unknown>;
}

/**
 * `folded`: a piece with the same key was already waiting or running. `dropped`: there was no place for the piece, and
 * it never started.
 */
export type LaneOutcome = 'done' | 'failed' | 'folded' | 'dropped';

/**
 * Runs work that no caller waits for, a few pieces at a time. The number of waiting pieces is limited, and further
 * pieces are dropped.
 */
export class Lane {
  private readonly slots: FairSemaphore;
  private readonly keys = new Set<string>();
  private readonly open = new Set<Promise<void>>();

  constructor(
    options: LaneOptions,
    private readonly report: (outcome: LaneOutcome, name: string, error?: unknown) => void,
  ) {
    this.slots = new FairSemaphore(options);
  }

  get waiting(): number {
    return this.slots.waiting;
  }

  /** The number of pieces that wait or run. */
  get size(): number {
    return this.open.size;
  }

  /**
   * Adds a piece. Never throws and never waits; the outcome is reported. @returns a promise that resolves when the
   * piece has ended, and never rejects
   */
  offer({ name, key, share, work }: Piece): Promise<void> {
    if (key !== undefined) {
      if (this.keys.has(key)) {
        this.report('folded', name);
        return Promise.resolve();
      }
      this.keys.add(key);
    }
    let hasBegun = false;
    // The work runs in the context of the request that offered it. Without this, it would run in the context of the
    // piece whose end starts it.
    const inContext = AsyncLocalStorage.snapshot();
    const promise = this.slots
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

  /** Waits until everything offered so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.open);
  }
}
