import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';

/** A factor or sign-in provider that an account had when its password was reset. */
export interface WayIn {
  /** The kind as the mail to the owner names it. The mail never shows a name that a user chose. */
  readonly kind: 'passkey' | 'authenticator app' | 'sign-in provider';
  readonly addedAt: Date;
  /** Whether the reset has removed the factor because it was added without a proof. */
  readonly removed: boolean;
  /** Stored in the security log. Distinguishes the factor from others of its kind. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Implemented by a module that has to end something together with the old credentials. Runs in the transaction of the
 * password reset.
 */
export abstract class OnCredentialsReset {
  /**
   * @returns the factors and sign-in providers that the module manages: those that stay and those that it has removed
   */
  abstract credentialsReset(userId: UserId, tx: Db): Promise<readonly WayIn[]>;
}
