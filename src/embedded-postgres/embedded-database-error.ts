/** A reason why the embedded database cannot run: one sentence that tells the operator what to do. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}

/** The alternative that every error offers. */
export const OWN_SERVER_HINT = 'set DATABASE_URL to a PostgreSQL server of your own';

/** Returns the `code` of a system error (`ENOENT`, `EACCES`, ...), or null when the value is none. */
export function errorCode(error: unknown): string | null {
  // Checks the shape: a test sandbox has its own Error class, of which the system's errors are no instances.
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

export function errorMessage(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
