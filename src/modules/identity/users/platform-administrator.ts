import { emailKeyOf } from './email-key.js';
import type { User } from './user.entity.js';

/** Returns whether the user is a platform administrator: the address is verified and in the configured list. */
export function isPlatformAdministrator(user: User, platformAdminEmails: readonly string[]): boolean {
  return user.emailVerifiedAt !== null && platformAdminEmails.some((email) => emailKeyOf(email) === user.emailKey);
}
