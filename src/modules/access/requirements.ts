import { AdminRoleRequired, InsufficientProjectRole, MissingCapability, OwnerRoleRequired } from './access-errors.js';
import { hasCapability } from './capabilities.js';
import { type Role, roleAtLeast } from './roles.js';
import type { ProjectRequirement } from './scope.js';

/** Returns whether the role fulfils the requirement. */
export function isFulfilled(needed: ProjectRequirement, role: Role): boolean {
  return 'capability' in needed ? hasCapability(role, needed.capability) : roleAtLeast(role, needed.role);
}

/** @throws InsufficientProjectRole or MissingCapability when the role does not fulfil the requirement */
export function assertFulfilled(needed: ProjectRequirement, role: Role): void {
  if (isFulfilled(needed, role)) return;
  throw 'capability' in needed ? new MissingCapability(needed.capability) : new InsufficientProjectRole();
}

/** @throws AdminRoleRequired or OwnerRoleRequired when the role in an organization is lower than the needed one */
export function assertOrganizationRole(needed: Role, role: Role): void {
  if (!roleAtLeast(role, needed)) throw needed === 'owner' ? new OwnerRoleRequired() : new AdminRoleRequired();
}
