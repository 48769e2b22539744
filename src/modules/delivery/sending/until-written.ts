import { setTimeout as pause } from 'node:timers/promises';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/**
 * Writes the result of a try. The database may be away for a while: only the writing is repeated, for as long as the
 * claim lasts, never the try. `heldUntil` is on the clock of `performance.now()`.
 * @throws what the last writing threw, once the claim is over
 */
export async function untilWritten<T>(heldUntil: number, write: () => Promise<T>): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (performance.now() + waitMs >= heldUntil) throw error;
      await pause(waitMs);
    }
  }
}
