/** What transactions tell of while they are writing it, as the triggers of the tables do. */
export const OPEN_WRITES = { eventOutbox: 795_222_001, alertEvents: 795_222_002 } as const;

/** Nobody waits longer for a transaction. */
const LONGEST_WAIT = `interval '10 seconds'`;

/**
 * The transactions that are writing rows of a kind, as a query of `key`, that of their project, and `since`, when the
 * longest of them began. Those of a role that we may not watch count from ten seconds ago. Locks are no part of a
 * snapshot: ask before the rows, so that what ends in between is seen.
 */
export function openWritesSql(kind: (typeof OPEN_WRITES)[keyof typeof OPEN_WRITES]): string {
  return `SELECT l.objid::bigint AS key,
      greatest(min(coalesce(s.xact_start, '-infinity')), clock_timestamp() - ${LONGEST_WAIT}) AS since
    FROM pg_locks l LEFT JOIN pg_stat_activity s ON s.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.classid = ${kind} AND l.objsubid = 2 AND l.pid <> pg_backend_pid()
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    GROUP BY 1`;
}

/** The key of a project in {@link openWritesSql}; `project` is SQL. */
export function openWriteKeySql(project: string): string {
  return `(project_lock_key(${project})::bigint & 4294967295)`;
}
