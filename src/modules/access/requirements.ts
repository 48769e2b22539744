import { InsufficientProjectRole, MissingCapability } from './access-errors.js';
import { hasCapability } from './capabilities.js';
import { type Role, roleAtLeast } from './roles.js';
import type { ProjectRequirement } from './scope.js';

/** @throws InsufficientProjectRole or MissingCapability when the role is not what is needed */
export function assertFulfilled(needed: ProjectRequirement, role: Role): void {
  if ('capability' in needed) {
    if (!hasCapability(role, needed.capability)) throw new MissingCapability(needed.capability);
  } else if (!roleAtLeast(role, needed.role)) {
    throw new InsufficientProjectRole();
  }
}
