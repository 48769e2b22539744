/** V8 before version 13 (Node 20 and 22) counts the executed bytes of code. Later versions (Node 24) count calls. */
const COUNTS_BYTES = Number.parseInt(process.versions.v8, 10) < 13;
/** The default thresholds of both versions. */
const BYTES = 132_000;
const CALLS = 3_000;

/**
 * Returns the option of Node that delays the optimizer. Most code of a test runs only a few times, so that optimizing
 * it in the background costs more processor time than it saves.
 * @param {number} times the factor of the delay
 */
export function lazyOptimizer(times) {
  return COUNTS_BYTES ? `--interrupt-budget=${BYTES * times}` : `--invocation-count-for-turbofan=${CALLS * times}`;
}

/**
 * Options of Node for a process of a test, which lives for seconds. A start allocates some 150 MB, and collecting them
 * takes a fifth of its processor time. With this heap the garbage collector has nothing to do.
 */
export const SHORT_LIFE = [lazyOptimizer(8), '--min-semi-space-size=16', '--initial-old-space-size=256'];
