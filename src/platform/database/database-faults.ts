import pg from 'pg';
import { QueryFailedError, TypeORMError } from 'typeorm';
import { aggregatedErrors, errorCode, isError } from '../errors/index.js';

/** Error codes of the operating system for a host that does not answer or cannot be reached. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * Messages of the pool and its driver when no connection could be acquired. These errors have no code. All connections
 * are in use, the server did not answer in time, or it closed the connection before the first statement.
 */
const NO_CONNECTION =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout|Connection terminated unexpectedly|timeout expired)$/;

/** The driver's message for a statement that was not sent, because its connection had already ended. */
const NOT_SENT = /^Client (has encountered a connection error|was closed) and is not queryable$/;

/** Messages of a pool that has no free connection, and of a connection that was lost at any time. */
const LOST_CONNECTION = /timeout|terminated|not queryable/i;

/** System calls on sockets. Errors of other system calls concern files. */
const OF_A_SOCKET = /^(connect|getaddrinfo|read|write)$/;

/** The SQLSTATE of a statement that timed out or was cancelled. */
const CANCELED = '57014';

/** The SQLSTATE of a transaction that was ended because it was idle for too long. */
const IDLE_TOO_LONG = '25P03';

/**
 * SQLSTATEs with which the server rejects a connection: connection lost, not authorized, database missing or not
 * accepting connections, too many connections, server not running.
 */
const TURNED_AWAY = /^(08...|28...|3D000|53300|55000|57P0[1-3])$/;

/** SQLSTATEs of a statement that the server gave up and rolled back: it took too long, or memory was exhausted. */
const GIVEN_UP = new Set([CANCELED, '53200', '55P03']);

/** SQLSTATEs that say nothing about the data: connections, conflicts, resources, shutdowns. */
const PASSING = /^(08|40|53|55|57|58)/;

/** SQLSTATEs that the data causes: data exceptions and violated constraints. */
const OF_DATA = /^2[23]/;

/**
 * SQLSTATEs of a lack of time, memory or disk, and of values that cannot be computed. The same statement would fail the
 * same way.
 */
const LASTING = /^(57014|53100|53200|53400|22...|23...|54...)$/;

/**
 * Returns whether the database was unavailable, or gave up a statement for lack of time or memory. The statement then
 * had no effect, and may succeed later. A connection that is lost while a statement runs does not count, because the
 * outcome of the statement is unknown.
 */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof QueryFailedError) {
    if (error.query === 'START TRANSACTION') return true;
    const state = stateOf(error);
    if (state !== null) return GIVEN_UP.has(state);
    const cause: unknown = error.driverError;
    return isError(cause) && NOT_SENT.test(cause.message);
  }
  // TypeORM does not wrap errors that occur before a connection is open.
  if (error instanceof pg.DatabaseError) return TURNED_AWAY.test(error.code ?? '');
  const causes = aggregatedErrors(error);
  if (causes !== null) return causes.length > 0 && causes.every(isOutOfReach);
  if (!isError(error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return (UNREACHABLE.has(code ?? '') && OF_A_SOCKET.test(syscall ?? '')) || NO_CONNECTION.test(error.message);
}

/** Returns whether a statement was ended because it timed out or its caller cancelled it. */
export function isCanceled(error: unknown): boolean {
  return errorCode(error) === CANCELED;
}

/** Returns whether a statement or its transaction took too long. A smaller piece of the work may succeed. */
export function isTakenTooLong(error: unknown): boolean {
  const state = stateOf(error);
  return state === CANCELED || state === IDLE_TOO_LONG;
}

/**
 * Returns whether the data caused the failure, so that a retry would fail too. The data is not blamed for other errors.
 */
export function isDataFault(error: unknown): boolean {
  return OF_DATA.test(stateOf(error) ?? '');
}

/**
 * Returns whether the same statement would fail the same way, because of its own data or of what it needs, and not
 * because the database was unavailable, restarted or refused all connections.
 */
export function isLastingFault(error: unknown): boolean {
  return LASTING.test(stateOf(error) ?? '');
}

/**
 * Returns whether the same work may succeed when retried at once, because neither the work nor the service is at fault.
 */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof QueryFailedError) {
    const state = stateOf(error);
    return state === null || PASSING.test(state) || isTakenTooLong(error);
  }
  // TypeORM throws its other errors for a transaction or a connection that cannot be used.
  if (error instanceof TypeORMError) return true;
  return isError(error) && ('syscall' in error || LOST_CONNECTION.test(error.message));
}

/** Returns the SQLSTATE with which the server refused a statement, or null when the server did not answer. */
function stateOf(error: unknown): string | null {
  if (!(error instanceof QueryFailedError)) return null;
  const cause: unknown = error.driverError;
  return cause instanceof pg.DatabaseError ? (cause.code ?? '') : null;
}
