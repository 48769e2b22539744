export { MembersReader } from './members.reader.js';
export { GRANTABLE_ROLES, type GrantableRole } from './member-authority.js';
export { MembershipChangesService } from './membership-changes.service.js';
export { MembershipNotifier } from './membership.notifier.js';
export { type NewOrganization, OnOrganizationCreated } from './organization-creation.service.js';
export {
  type EndingOrganization,
  OnOrganizationDeleted,
  onOrganizationDeleted,
} from './organization-deletion.service.js';
export { OrganizationAuthorization } from './organization.authorization.js';
export { OrganizationAdministrationService, OrganizationNotDeletable } from './organization-administration.service.js';
export { type ListedByOperators, OrganizationDirectoryReader } from './organization-directory.reader.js';
export { OrganizationChangesNotifier } from './organization-changes.notifier.js';
export { type BillingHold, BILLING_HOLDS, BILLING_STATES, Organization } from './organization.entity.js';
export { SLUG_PATTERN } from './organizations.dto.js';
export { SlugInUse } from './organizations.errors.js';
export { OrganizationsModule } from './organizations.module.js';
export { OrganizationsReader } from './organizations.reader.js';
export { type PaidPlan, PAID_PLANS, PLAN_LIMITS, type Plan, PLANS } from './plans.js';
