import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/**
 * PostgreSQL error codes for a lack of time, memory or disk, or for values that cannot be computed. The next attempt
 * would fail the same way.
 */
const BY_ITSELF = /^(57014|53100|53200|53400|22...|23...|54...)$/;

/**
 * Returns whether a rollup failed because of its own data, and not because the database was unavailable, restarted or
 * refused all connections.
 */
export function isByItself(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const cause: unknown = error.driverError;
  return cause instanceof pg.DatabaseError && BY_ITSELF.test(cause.code ?? '');
}
