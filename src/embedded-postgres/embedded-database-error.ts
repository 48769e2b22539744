/** A reason why the embedded database cannot run, written as one sentence that tells the operator what to do. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}

/** What every refusal offers as the other way out. */
export const OWN_SERVER_HINT = 'set DATABASE_URL to a PostgreSQL server of your own';

/** The `code` of a system error (`ENOENT`, `EACCES`, ...), or null when the value is not one. */
export function errorCode(error: unknown): string | null {
  // By shape: a test sandbox has an Error of its own, which the system's errors are no instance of.
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

export function errorMessage(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
