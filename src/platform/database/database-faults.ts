import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** What the system says when there is nobody at the other end, or no way there. */
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
 * What the pool and its driver say, without a code, of a connection that was not to be had: all are taken, the server did
 * not answer in time, or it hung up before it was asked anything.
 */
const NO_CONNECTION =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout|Connection terminated unexpectedly|timeout expired)$/;

/** What the driver says of a connection whose end was known before the statement, which was not sent. */
const NOT_SENT = /^Client (has encountered a connection error|was closed) and is not queryable$/;

/** By which the server turns a connection away: lost, not let in, no such or a closed database, too many, not running. */
const TURNED_AWAY = /^(08...|28...|3D000|53300|55000|57P0[1-3])$/;

/** The calls of a socket, in contrast to those of files. */
const OF_A_SOCKET = /^(connect|getaddrinfo|read|write)$/;

/** Of a statement that was ended for its time, or because somebody asked for that. */
const CANCELED = '57014';

/** Of a statement that the server gave up and undid: it took too long, or there was no memory for it. */
const GIVEN_UP = new Set([CANCELED, '53200', '55P03']);

/**
 * Whether the database could not be had, or gave up a statement for want of time or memory: what was asked for at that
 * point has not happened, and may well happen later. A connection that is lost while a statement runs is none of these,
 * since nobody knows then what became of it.
 */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof QueryFailedError) {
    if (error.query === 'START TRANSACTION') return true;
    const cause: unknown = error.driverError;
    if (cause instanceof pg.DatabaseError) return GIVEN_UP.has(cause.code ?? '');
    return cause instanceof Error && NOT_SENT.test(cause.message);
  }
  // Whatever fails before there is a connection to ask anything by comes without TypeORM's wrapper.
  if (error instanceof pg.DatabaseError) return TURNED_AWAY.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isOutOfReach);
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return (UNREACHABLE.has(code ?? '') && OF_A_SOCKET.test(syscall ?? '')) || NO_CONNECTION.test(error.message);
}

/** Whether a statement was ended: its time was over, or whoever asked for it has left. */
export function isCanceled(error: unknown): boolean {
  return (error as { code?: unknown }).code === CANCELED;
}
