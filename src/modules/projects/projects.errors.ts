import { domainError } from '../../platform/http/domain-error.js';

export class ProjectPlanLimit extends domainError(403, 'Plan limit reached: projects') {}
