import { domainError } from '../../../../platform/http/domain-error.js';

export class AdministrationDisabled extends domainError(404, 'Billing administration is disabled') {}
export class AdministrationNotConfigured extends domainError(500, 'Platform administration is not configured') {}
export class PlatformAdministratorRequired extends domainError(403, 'Platform administrator required') {}
