import pg from 'pg';
import { QueryFailedError, TypeORMError } from 'typeorm';
import { isError } from '../../../../platform/errors/index.js';

/** Classes of PostgreSQL errors that say nothing about the data: connections, conflicts, resources, shutdowns. */
const PASSING = /^(08|40|53|55|57|58)/;
/** Classes of PostgreSQL errors that the data causes: data exceptions and violated constraints. */
const OF_DATA = /^2[23]/;
/** Matches the messages of a pool that has no free connection, and of a lost connection. */
const UNREACHABLE = /timeout|terminated|not queryable/i;

/**
 * The codes of a statement that took too long, and of a transaction that was ended because it was idle for too long.
 */
const TOO_LONG: readonly (string | undefined)[] = ['57014', '25P03'];

/** Returns whether the work was ended because it took too long. A smaller piece of it may succeed. */
export function isTakenTooLong(error: unknown): boolean {
  return (
    error instanceof QueryFailedError &&
    error.driverError instanceof pg.DatabaseError &&
    TOO_LONG.includes(error.driverError.code)
  );
}

/**
 * Returns whether the data caused the failure, so that a retry would fail too. The data is not blamed for other errors.
 */
export function isDataFault(error: unknown): boolean {
  return (
    error instanceof QueryFailedError &&
    error.driverError instanceof pg.DatabaseError &&
    OF_DATA.test(error.driverError.code ?? '')
  );
}

/**
 * Returns whether the same work may succeed when retried at once, because neither the work nor the service is at fault.
 */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof QueryFailedError) {
    const cause: unknown = error.driverError;
    return !(cause instanceof pg.DatabaseError) || PASSING.test(cause.code ?? '') || isTakenTooLong(error);
  }
  // TypeORM throws its other errors for a transaction or a connection that cannot be used.
  if (error instanceof TypeORMError) return true;
  return isError(error) && ('syscall' in error || UNREACHABLE.test(error.message));
}
