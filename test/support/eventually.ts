import { setTimeout as delay } from 'node:timers/promises';
import { HANG_TIMEOUT_MS } from './bounds.mjs';

/**
 * The wait between two polls begins short and grows, because each poll may cost a connection and a test run waits for
 * minutes in total.
 */
const [FIRST_POLL_MS, LONGEST_POLL_MS] = [5, 200];

/**
 * Polls until the condition holds. After the time limit it fails with the last answer, or with the text that `says`
 * makes of it.
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  holds: (answer: T) => boolean,
  says: (answer: T) => string = (answer) => `still ${JSON.stringify(answer)}`,
): Promise<T> {
  const deadline = performance.now() + HANG_TIMEOUT_MS;
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_POLL_MS)) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (performance.now() > deadline) throw new Error(says(answer));
    await delay(pauseMs);
  }
}

/** Tries until the attempt does not throw. After the time limit it throws the last error. */
export async function eventuallyPasses<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + HANG_TIMEOUT_MS;
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_POLL_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await delay(pauseMs);
  }
}
