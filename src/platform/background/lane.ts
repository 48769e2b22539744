import { AsyncLocalStorage } from 'node:async_hooks';
import { FairTurns, OverloadedError } from '../concurrency/index.js';

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
  /** Whose work it is: shares take turns. */
  readonly share?: string | undefined;
  readonly work: () => Promise<unknown>;
}

/** `folded`: one of its key was there already. `dropped`: the lane was full. */
export type LaneOutcome = 'done' | 'failed' | 'folded' | 'dropped';

/** Work that nobody waits for, a few pieces at a time, with a bound on what waits; beyond it nothing is kept. */
export class Lane {
  private readonly turns: FairTurns;
  private readonly keys = new Set<string>();
  private readonly open = new Set<Promise<void>>();

  constructor(
    private readonly options: LaneOptions,
    private readonly report: (outcome: LaneOutcome, name: string, error?: unknown) => void,
  ) {
    this.turns = new FairTurns(options);
  }

  get waiting(): number {
    return this.turns.waiting;
  }

  /** Waiting and running. */
  get size(): number {
    return this.open.size;
  }

  get isFull(): boolean {
    return this.turns.waiting >= this.options.mostWaiting;
  }

  /** Never throws and never waits: what becomes of the piece is reported. */
  offer({ name, key, share = '', work }: Piece): void {
    if (key !== undefined) {
      if (this.keys.has(key)) {
        this.report('folded', name);
        return;
      }
      this.keys.add(key);
    }
    // Whoever ends before it begins the work: it belongs to the request that offered it all the same.
    const inContext = AsyncLocalStorage.snapshot();
    const promise = this.turns
      .run(share, () => inContext(work))
      .then(
        () => this.report('done', name),
        (error: unknown) => this.report(error instanceof OverloadedError ? 'dropped' : 'failed', name, error),
      )
      .finally(() => {
        if (key !== undefined) this.keys.delete(key);
        this.open.delete(promise);
      });
    this.open.add(promise);
  }

  /** Resolves when everything offered so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.open);
  }
}
