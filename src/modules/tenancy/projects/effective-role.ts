import { type Role, roleAtLeast } from '../../access/index.js';

/**
 * Returns the role that applies in the project. Owners and admins of the organization have that role in every project;
 * everybody else has their project role. Null: no access.
 */
export function effectiveRole(organizationRole: Role | null, projectRole: Role | null): Role | null {
  if (organizationRole === null) return null;
  return roleAtLeast(organizationRole, 'admin') ? organizationRole : projectRole;
}
