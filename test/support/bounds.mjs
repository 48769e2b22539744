/**
 * The time limit of every wait for a condition: a process that starts or ends, an answer, a row. It only ends waits
 * that hang. A machine may be three times slower than usual and stand still for seconds, so no wait has a smaller
 * limit.
 */
export const HANG_TIMEOUT_MS = 300_000;

/**
 * The time limit of one test. It is longer than {@link HANG_TIMEOUT_MS}, so that a wait that hangs fails first and
 * reports its condition.
 */
export const TEST_TIMEOUT_MS = 2 * HANG_TIMEOUT_MS;
