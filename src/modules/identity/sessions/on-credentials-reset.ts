import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';

/** A way into the account that a password reset met. */
export interface WayIn {
  /** In the words of a mail; never a name that somebody chose. */
  readonly kind: 'passkey' | 'authenticator app' | 'sign-in provider';
  readonly addedAt: Date;
  /** It was added without a proof, and the reset has removed it. */
  readonly removed: boolean;
  /** For the security log: what tells it from others of its kind. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A module's part of a password reset: what must end with the old credentials, in the same transaction. */
export abstract class OnCredentialsReset {
  /** @returns the ways in that are the module's: those that stay and those it has removed */
  abstract credentialsReset(userId: UserId, tx: Db): Promise<readonly WayIn[]>;
}
