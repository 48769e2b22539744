import { setImmediate } from 'node:timers/promises';

/** Requests of the same process have their turn after so long. */
export const BREATH_MS = 10;

/** Lets others in between the pieces of one work that takes long together. */
export class Breath {
  private since = performance.now();

  /** Between two pieces, each of which is short. */
  async take(): Promise<void> {
    if (performance.now() - this.since < BREATH_MS) return;
    await setImmediate();
    this.since = performance.now();
  }
}
