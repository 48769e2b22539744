/** The server's own numbers of errors. */
const AUTHENTICATION = new Set(['192', '193', '194', '516']);
const ACCESS_DENIED = '497';

/** The server says that user or password is wrong. */
export function isWrongPassword(error: unknown): boolean {
  return AUTHENTICATION.has(codeOf(error));
}

/** The user may not do that. */
export function isAccessDenied(error: unknown): boolean {
  return codeOf(error) === ACCESS_DENIED;
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
