import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** Given up for want of time, memory or disk, or for values that cannot be computed: the next try fails alike. */
const BY_ITSELF = /^(57014|53100|53200|53400|22...|23...|54...)$/;

/** Whether a rollup failed for what is in it, in contrast to a database that was away, restarted or refused everybody. */
export function isByItself(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const cause: unknown = error.driverError;
  return cause instanceof pg.DatabaseError && BY_ITSELF.test(cause.code ?? '');
}
