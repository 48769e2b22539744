import type { Db } from '../../platform/database/database.js';

/** A module's part of a password reset: what must end with the old credentials, in the same transaction. */
export abstract class OnCredentialsReset {
  abstract credentialsReset(userId: string, tx: Db): Promise<void>;
}
