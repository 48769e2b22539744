import { InsufficientProjectRole, type Role, roleAtLeast } from '../../../access/index.js';
import type { DomainErrorClass } from '../../../../platform/http/domain-error.js';
import { ProjectMemberNotFound, RoleFollowsOrganization } from './project-members.errors.js';

/**
 * The roles that can be given to a member. `owner` is not one of them, because only the organization's owner has this
 * role.
 */
export const GIVEN_ROLES = ['admin', 'operator', 'member', 'viewer'] as const satisfies readonly Role[];
export type GivenRole = (typeof GIVEN_ROLES)[number];

export interface MemberChange {
  /** The effective role of the caller. The routes require at least `admin`. */
  readonly callerRole: Role;
  readonly targetOrganizationRole: Role;
  /** Null: the target is no member of the project. */
  readonly targetRole: Role | null;
  /** Null: the target is to be removed. */
  readonly newRole: GivenRole | null;
}

/** Returns the error that refuses the change, or null when the change is allowed, even if it changes nothing. */
export function refusalOf(change: MemberChange): DomainErrorClass | null {
  const { callerRole, targetOrganizationRole, targetRole, newRole } = change;
  if (!roleAtLeast(callerRole, 'admin')) return InsufficientProjectRole;
  if (targetRole === null) return ProjectMemberNotFound;
  if (roleAtLeast(targetOrganizationRole, 'admin')) {
    return newRole === targetOrganizationRole ? null : RoleFollowsOrganization;
  }
  const isAboveCaller = !roleAtLeast(callerRole, targetRole) || (newRole !== null && !roleAtLeast(callerRole, newRole));
  return isAboveCaller ? InsufficientProjectRole : null;
}
