/** Error codes of the server. */
const AUTHENTICATION = new Set(['192', '193', '194', '516']);
const ACCESS_DENIED = '497';
/** Error codes for a statement that has used up its time or memory. */
const LIMITS = new Set(['159', '160', '241', '396']);
/** Error codes of a connection that the server has closed. They come from the operating system, not from the server. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

/** Returns whether the server rejected the user or password. */
export function isWrongPassword(error: unknown): boolean {
  return AUTHENTICATION.has(codeOf(error));
}

/** Returns whether the user lacks the privilege for the statement. */
export function isAccessDenied(error: unknown): boolean {
  return codeOf(error) === ACCESS_DENIED;
}

/** Returns whether the connection ended before any part of an answer. */
export function isClosedUnanswered(error: unknown): boolean {
  return CLOSED.has(codeOf(error));
}

/** Returns whether ClickHouse itself reported the error. False for errors of the connection. */
export function isOfServer(error: unknown): boolean {
  return /^\d+$/.test(codeOf(error));
}

/** Thrown when no answer arrives within the time limit, not even a timeout error of the server. */
export class SilentServer extends Error {
  constructor() {
    super('no answer in time');
  }
}

/** Returns whether the server stopped a statement that had used up its time or memory. */
export function isTooMuch(error: unknown): boolean {
  return LIMITS.has(codeOf(error));
}

/** Returns one line for the log. The whole message may contain a statement with its values, so it is not used. */
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
