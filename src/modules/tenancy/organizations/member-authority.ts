import { type Role, roleAtLeast, type UserId } from '../../access/index.js';

/** Roles that a member can be given. The role of the owner cannot be given. */
export const GRANTABLE_ROLES = ['admin', 'operator', 'member', 'viewer'] as const satisfies readonly Role[];
export type GrantableRole = (typeof GRANTABLE_ROLES)[number];

export interface Member {
  readonly userId: UserId;
  readonly role: Role;
}

/** Only admins and the owner act on members. Only the owner acts on an admin, and nobody acts on the owner. */
function standsAbove(caller: Member, target: Member): boolean {
  return roleAtLeast(caller.role, 'admin') && !roleAtLeast(target.role, caller.role);
}

/** Returns whether there is a role that the caller may give to this member. */
export function canChangeRole(caller: Member, target: Member): boolean {
  return standsAbove(caller, target);
}

/** Nobody gives a role that is equal to or above their own. */
export function canGrant(caller: Member, role: GrantableRole): boolean {
  return roleAtLeast(caller.role, 'admin') && !roleAtLeast(role, caller.role);
}

/** Everybody except the owner may leave. */
export function canRevoke(caller: Member, target: Member): boolean {
  if (caller.userId === target.userId) return target.role !== 'owner';
  return standsAbove(caller, target);
}
