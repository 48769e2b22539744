import { type Role, roleAtLeast, type UserId } from '../../access/index.js';

/** The roles that can be given to a member. The role of the owner cannot be given. */
export const GRANTABLE_ROLES = ['admin', 'operator', 'member', 'viewer'] as const satisfies readonly Role[];
export type GrantableRole = (typeof GRANTABLE_ROLES)[number];

export interface Member {
  readonly userId: UserId;
  readonly role: Role;
}

/**
 * Returns whether the caller may act on the member. Only admins and the owner act on members, only the owner acts on an
 * admin, and nobody acts on the owner.
 */
function standsAbove(caller: Member, target: Member): boolean {
  return roleAtLeast(caller.role, 'admin') && !roleAtLeast(target.role, caller.role);
}

/** Returns whether the caller may change the role of this member. */
export function canChangeRole(caller: Member, target: Member): boolean {
  return standsAbove(caller, target);
}

/** Returns whether the caller may give this role. Nobody may give a role that is equal to or above their own. */
export function canGrant(caller: Member, role: GrantableRole): boolean {
  return roleAtLeast(caller.role, 'admin') && !roleAtLeast(role, caller.role);
}

/** Returns whether the caller may end this membership. Everybody except the owner may end their own. */
export function canRevoke(caller: Member, target: Member): boolean {
  if (caller.userId === target.userId) return target.role !== 'owner';
  return standsAbove(caller, target);
}
