import { type Role, roleAtLeast } from '../../access/index.js';

/** Owners and admins of the organization are that in every project; others have their project role. */
export function effectiveRole(organizationRole: Role | null, projectRole: Role | null): Role | null {
  if (organizationRole === null) return null;
  return roleAtLeast(organizationRole, 'admin') ? organizationRole : projectRole;
}
