/** The engine before 13 (Node 20 and 22) counts bytes of code that ran, the one since then (Node 24) calls. */
const COUNTS_BYTES = Number.parseInt(process.versions.v8, 10) < 13;
/** Of both: what they wait for by themselves. */
const BYTES = 132_000;
const CALLS = 3_000;

/**
 * The option of Node that lets the optimizer wait longer than usual: most code of a test is run a few times, and to optimize it
 * in the background takes more processors than it ever gives back.
 * @param {number} times as long
 */
export function lazyOptimizer(times) {
  return COUNTS_BYTES ? `--interrupt-budget=${BYTES * times}` : `--invocation-count-for-turbofan=${CALLS * times}`;
}
