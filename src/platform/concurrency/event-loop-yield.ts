import { setImmediate, setTimeout } from 'node:timers/promises';

/** Requests of the same process have their turn after so long, in milliseconds. */
export const YIELD_AFTER_MS = 10;

/** Lets others in between the pieces of one work that takes long together. */
export class EventLoopYield {
  private since = performance.now();

  /** Between two pieces, each of which is short. */
  async ifDue(): Promise<void> {
    if (performance.now() - this.since < YIELD_AFTER_MS) return;
    await setImmediate();
    this.since = performance.now();
  }

  /**
   * Behind a piece that cannot be divided. After one that was not short, others have as long as it took: what they do takes
   * several turns of the event loop, and would wait for such a piece in each.
   */
  async after(milliseconds: number): Promise<void> {
    if (milliseconds < YIELD_AFTER_MS) await setImmediate();
    else await setTimeout(milliseconds);
    this.since = performance.now();
  }
}
