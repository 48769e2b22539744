/** A reason why the embedded database cannot run: one sentence that tells the operator what to do. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}

/** The alternative that every error offers. */
export const OWN_SERVER_HINT = 'set DATABASE_URL to a PostgreSQL server of your own';
