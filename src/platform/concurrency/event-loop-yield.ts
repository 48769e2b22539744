import { setImmediate, setTimeout } from 'node:timers/promises';

/** Long work yields to the other requests of the process after this many milliseconds. */
export const YIELD_AFTER_MS = 10;

/** Yields the event loop between the pieces of a long task. */
export class EventLoopYield {
  private since = performance.now();

  /** Yields after a short piece if the time limit has passed since the last yield. */
  async ifDue(): Promise<void> {
    if (performance.now() - this.since < YIELD_AFTER_MS) return;
    await setImmediate();
    this.since = performance.now();
  }

  /**
   * Yields after a piece that could not be divided. After a long piece, other requests get as much time as the piece
   * took, because they need several event-loop turns and would otherwise wait for such a piece in each turn.
   */
  async after(milliseconds: number): Promise<void> {
    if (milliseconds < YIELD_AFTER_MS) await setImmediate();
    else await setTimeout(milliseconds);
    this.since = performance.now();
  }
}
