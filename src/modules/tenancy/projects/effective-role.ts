import { type Role, roleAtLeast } from '../../access/index.js';

/**
 * Returns the role that applies in the project, or null for no access. Owners and admins of the organization have their
 * organization role in every project. Everybody else has their project role.
 */
export function effectiveRole(organizationRole: Role | null, projectRole: Role | null): Role | null {
  if (organizationRole === null) return null;
  return roleAtLeast(organizationRole, 'admin') ? organizationRole : projectRole;
}
