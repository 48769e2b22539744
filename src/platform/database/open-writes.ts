/**
 * Classes of the advisory locks that transactions hold while they write rows of a table. The triggers of the tables
 * acquire them.
 */
export const OPEN_WRITES = { eventOutbox: 795_222_001, alertEvents: 795_222_002 } as const;

/** The longest time that readers wait for a transaction that is still writing. */
const LONGEST_WAIT = `interval '10 seconds'`;

/**
 * Returns SQL that lists the projects for which other transactions are writing rows of a kind. `key` is the key of the
 * project, and `since` is the start of the oldest of its transactions, but at most ten seconds ago. A transaction that
 * this role may not monitor counts as started ten seconds ago. Run this query before the query of the rows, because
 * locks are not part of a snapshot. The rows then include every transaction that ends in between.
 */
export function openWritesSql(kind: (typeof OPEN_WRITES)[keyof typeof OPEN_WRITES]): string {
  return `SELECT l.objid::bigint AS key,
      greatest(min(coalesce(s.xact_start, '-infinity')), clock_timestamp() - ${LONGEST_WAIT}) AS since
    FROM pg_locks l LEFT JOIN pg_stat_activity s ON s.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.classid = ${kind} AND l.objsubid = 2 AND l.pid <> pg_backend_pid()
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    GROUP BY 1`;
}

/** Returns SQL for the key of a project in {@link openWritesSql}. `project` is SQL. */
export function openWriteKeySql(project: string): string {
  return `(project_lock_key(${project})::bigint & 4294967295)`;
}
