export { OrganizationMember } from './organization-member.entity.js';
export { Organization } from './organization.entity.js';
export { SLUG_PATTERN } from './organizations.dto.js';
export { SlugInUse } from './organizations.errors.js';
export { OrganizationsModule } from './organizations.module.js';
export { OrganizationsRepository } from './organizations.repository.js';
export { highestPlan, PLAN_LIMITS, type Plan, PLANS } from './plans.js';
