import { setImmediate, setTimeout } from 'node:timers/promises';

/** Work yields to other requests of the process after this many milliseconds. */
export const YIELD_AFTER_MS = 10;

/** Yields the event loop between the pieces of one long task. */
export class EventLoopYield {
  private since = performance.now();

  /** Yields between two short pieces if the time is over. */
  async ifDue(): Promise<void> {
    if (performance.now() - this.since < YIELD_AFTER_MS) return;
    await setImmediate();
    this.since = performance.now();
  }

  /**
   * Yields after a piece that cannot be divided. After a long piece, other requests get as much time as it took: they
   * need several turns of the event loop, and would wait for such a piece in each of them.
   */
  async after(milliseconds: number): Promise<void> {
    if (milliseconds < YIELD_AFTER_MS) await setImmediate();
    else await setTimeout(milliseconds);
    this.since = performance.now();
  }
}
