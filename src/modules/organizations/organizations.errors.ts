import { domainError } from '../../platform/http/domain-error.js';

export class SlugInUse extends domainError(409, 'Slug already in use') {}
export class OrganizationPlanLimit extends domainError(403, 'Plan limit reached: organizations') {}
