import { TooManyPasskeys } from '../second-factors.errors.js';

/** More than anybody has authenticators; each is listed in every ceremony of its account. */
export const MOST_PASSKEYS = 50;

/** @param passkeys how many the account has. @throws TooManyPasskeys */
export function requireRoom(passkeys: number): void {
  if (passkeys >= MOST_PASSKEYS) throw new TooManyPasskeys();
}
