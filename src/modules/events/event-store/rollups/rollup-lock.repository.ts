/** Whether this transaction is the one that makes rollups of a project, the parameter, until it ends. */
export const OURS = `SELECT pg_try_advisory_xact_lock(hashtextextended('hour-rollups:' || $1, 0)) AS ours`;

/** For the sorts of one statement, one in a worker at a time. */
export const WORK_MEMORY = '32MB';
