import { TooManyPasskeys } from '../second-factors.errors.js';

/**
 * Maximum number of passkeys per account, more than anybody has authenticators. The options of each ceremony list every
 * passkey of the account. Beyond the maximum a registration is refused.
 */
export const MOST_PASSKEYS = 50;

/**
 * @param passkeys the number of passkeys that the account has
 * @throws TooManyPasskeys when no further passkey may be added
 */
export function requireRoom(passkeys: number): void {
  if (passkeys >= MOST_PASSKEYS) throw new TooManyPasskeys();
}
