import pg from 'pg';
import { QueryFailedError, TypeORMError } from 'typeorm';

/** Classes of PostgreSQL errors that say nothing about the data: connections, conflicts, resources, shutdowns. */
const PASSING = /^(08|40|53|55|57|58)/;
/** Classes that say what PostgreSQL was given does not fit: data exceptions and broken constraints. */
const OF_DATA = /^2[23]/;
/** What a pool says that has no connection to give, or a connection that is gone. */
const UNREACHABLE = /timeout|terminated|not queryable/i;

/** A statement that took too long, and a transaction that was ended while the database waited for us. */
const TOO_LONG: readonly (string | undefined)[] = ['57014', '25P03'];

/** Whether the work was ended for the time it took: less of it may get through. */
export function isTakenTooLong(error: unknown): boolean {
  return (
    error instanceof QueryFailedError &&
    error.driverError instanceof pg.DatabaseError &&
    TOO_LONG.includes(error.driverError.code)
  );
}

/** Whether the work fails for the data it works on, and will again; of anything else that data is not to blame. */
export function isDataFault(error: unknown): boolean {
  return (
    error instanceof QueryFailedError &&
    error.driverError instanceof pg.DatabaseError &&
    OF_DATA.test(error.driverError.code ?? '')
  );
}

/** Whether the same work may well succeed at once: nothing is wrong with it, nor with us. */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof QueryFailedError) {
    const cause: unknown = error.driverError;
    return !(cause instanceof pg.DatabaseError) || PASSING.test(cause.code ?? '') || isTakenTooLong(error);
  }
  // Not a query: a transaction or a connection that is in no state to be used.
  if (error instanceof TypeORMError) return true;
  return error instanceof Error && ('syscall' in error || UNREACHABLE.test(error.message));
}
