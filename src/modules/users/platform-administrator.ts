import type { User } from './user.entity.js';

/** Whether a person is among the platform's administrators, by the address they have confirmed (in lower case). */
export function isPlatformAdministrator(user: User, platformAdminEmails: readonly string[]): boolean {
  return user.emailVerifiedAt !== null && platformAdminEmails.includes(user.emailKey);
}
