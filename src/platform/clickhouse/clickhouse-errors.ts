/** The server's own numbers of errors. */
const AUTHENTICATION = new Set(['192', '193', '194', '516']);
const ACCESS_DENIED = '497';
/** Time or memory of a statement is used up. */
const LIMITS = new Set(['159', '160', '241', '396']);
/** Not the server's: those of a connection that the other end has closed. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

/** The server says that user or password is wrong. */
export function isWrongPassword(error: unknown): boolean {
  return AUTHENTICATION.has(codeOf(error));
}

/** The user may not do that. */
export function isAccessDenied(error: unknown): boolean {
  return codeOf(error) === ACCESS_DENIED;
}

/** The connection has ended without a word of an answer. */
export function isClosedUnanswered(error: unknown): boolean {
  return CLOSED.has(codeOf(error));
}

/** The server has answered that it did not do what was asked. */
export function isOfServer(error: unknown): boolean {
  return /^\d+$/.test(codeOf(error));
}

/** The server has not even said that the time is over. */
export class SilentServer extends Error {
  constructor() {
    super('no answer in time');
  }
}

/** The server says that a statement has taken all the time or memory that it may take. */
export function isTooMuch(error: unknown): boolean {
  return LIMITS.has(codeOf(error));
}

/** One line for the log, of what may hold a whole statement with its values. */
export function shortReason(error: unknown): string {
  const { code, type, message } = error as { code?: unknown; type?: unknown; message?: unknown };
  if (typeof type === 'string' && type !== '') return `${type} (${String(code)})`;
  if (typeof code === 'string' && code !== '') return code;
  return typeof message === 'string' ? (message.split('\n')[0] ?? '').slice(0, 200) : 'unknown';
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? String(code) : '';
}
