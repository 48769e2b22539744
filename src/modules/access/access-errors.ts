import { DomainError, domainError } from '../../platform/http/domain-error.js';
import type { Capability } from './capabilities.js';

/** The deployment has REQUIRE_MFA, and the caller has no second factor yet. */
export class SecondFactorMissing extends domainError(403, 'Second factor required') {}
export class OrganizationNotFound extends domainError(404, 'Organization not found') {}
export class NotAnOrganizationMember extends domainError(403, 'Not an organization member') {}
export class AdminRoleRequired extends domainError(403, 'Admin role required') {}
export class OwnerRoleRequired extends domainError(403, 'Owner role required') {}
export class AdministrationDisabled extends domainError(404, 'Billing administration is disabled') {}
export class AdministrationNotConfigured extends domainError(500, 'Platform administration is not configured') {}
export class PlatformAdministratorRequired extends domainError(403, 'Platform administrator required') {}
export class ProjectNotFound extends domainError(404, 'Project not found') {}
export class NotAProjectMember extends domainError(403, 'Not a project member') {}
export class InsufficientProjectRole extends domainError(403, 'Insufficient project role') {}

export class MissingCapability extends DomainError {
  constructor(capability: Capability) {
    super(403, `Missing delivery capability: ${capability}`);
  }
}
/**
 * A route for API keys or operators was called without a valid credential. The response has no WWW-Authenticate
 * challenge, because no HTTP authentication scheme applies.
 */
export class CredentialMissing extends domainError(401, 'Not authenticated') {}
