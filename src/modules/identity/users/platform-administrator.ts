import { emailKeyOf } from './email-key.js';
import type { User } from './user.entity.js';

/** Whether a person is among the platform's administrators, by the address they have confirmed. */
export function isPlatformAdministrator(user: User, platformAdminEmails: readonly string[]): boolean {
  return user.emailVerifiedAt !== null && platformAdminEmails.some((email) => emailKeyOf(email) === user.emailKey);
}
