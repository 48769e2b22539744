import { domainError } from '../../../../platform/http/domain-error.js';

export class OrganizationIdRequired extends domainError(
  400,
  'organization_id is required for user-authenticated billing status requests',
) {}
