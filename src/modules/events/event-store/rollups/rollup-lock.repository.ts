/**
 * Tries to become the only transaction that builds rollups of a project. The lock is held until the end of the
 * transaction.
 */
export const OURS = `SELECT pg_try_advisory_xact_lock(hashtextextended('hour-rollups:' || $1, 0)) AS ours`;

/** The memory for each sort of the statement. A worker runs one such statement at a time. */
export const WORK_MEMORY = '32MB';
