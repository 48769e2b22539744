import pg from 'pg';
import { QueryFailedError } from 'typeorm';
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

/**
 * SQLSTATEs with which the server rejects a connection: connection lost, not authorized, database missing or not
 * accepting connections, too many connections, server not running.
 */
const TURNED_AWAY = /^(08...|28...|3D000|53300|55000|57P0[1-3])$/;

/** System calls on sockets. Errors of other system calls concern files. */
const OF_A_SOCKET = /^(connect|getaddrinfo|read|write)$/;

/** The SQLSTATE of a statement that timed out or was cancelled. */
const CANCELED = '57014';

/** SQLSTATEs of a statement that the server gave up and rolled back: it took too long, or memory was exhausted. */
const GIVEN_UP = new Set([CANCELED, '53200', '55P03']);

/**
 * Returns whether the database was unavailable, or gave up a statement for lack of time or memory. The statement then
 * had no effect, and may succeed later. A connection that is lost while a statement runs does not count, because the
 * outcome of the statement is unknown.
 */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof QueryFailedError) {
    if (error.query === 'START TRANSACTION') return true;
    const cause: unknown = error.driverError;
    if (cause instanceof pg.DatabaseError) return GIVEN_UP.has(cause.code ?? '');
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
