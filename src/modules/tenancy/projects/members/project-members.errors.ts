import { domainError } from '../../../../platform/http/domain-error.js';

export class ProjectMemberNotFound extends domainError(404, 'Project member not found') {}
export class UserNotInOrganization extends domainError(409, 'User is not an organization member') {}
export class AlreadyProjectMember extends domainError(409, 'User is already a project member') {}
export class RoleFollowsOrganization extends domainError(
  409,
  'Owners and admins of the organization keep that role in every project',
) {}
