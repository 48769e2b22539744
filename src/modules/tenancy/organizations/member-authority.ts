import { type Role, roleAtLeast, type UserId } from '../../access/index.js';

/** Roles a member can be given; the owner's is not among them. */
export const GRANTABLE_ROLES = ['admin', 'operator', 'member', 'viewer'] as const satisfies readonly Role[];
export type GrantableRole = (typeof GRANTABLE_ROLES)[number];

export interface Member {
  readonly userId: UserId;
  readonly role: Role;
}

/** Admins and the owner act on members; on an admin the owner alone, on the owner nobody (DECISIONS 3). */
function standsAbove(caller: Member, target: Member): boolean {
  return roleAtLeast(caller.role, 'admin') && !roleAtLeast(target.role, caller.role);
}

/** Whether there is a role the caller may give this member. */
export function canChangeRole(caller: Member, target: Member): boolean {
  return standsAbove(caller, target);
}

/** Nobody makes another their equal or better. */
export function canGrant(caller: Member, role: GrantableRole): boolean {
  return roleAtLeast(caller.role, 'admin') && !roleAtLeast(role, caller.role);
}

/** Everybody but the owner may leave. */
export function canRevoke(caller: Member, target: Member): boolean {
  if (caller.userId === target.userId) return target.role !== 'owner';
  return standsAbove(caller, target);
}
