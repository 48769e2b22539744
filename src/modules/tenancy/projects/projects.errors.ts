import { domainError } from '../../../platform/http/domain-error.js';

export class ProjectPlanLimit extends domainError(403, 'Plan limit reached: projects') {}
export class ProjectIsArchived extends domainError(403, 'Project is archived') {}
export class ProjectNotArchived extends domainError(409, 'Project must be archived first') {}
