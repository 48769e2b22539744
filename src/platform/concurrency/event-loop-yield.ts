import { setImmediate } from 'node:timers/promises';

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
}
