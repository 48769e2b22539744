import { domainError } from '../../../platform/http/domain-error.js';

export class SlugInUse extends domainError(409, 'Slug already in use') {}
export class OrganizationPlanLimit extends domainError(403, 'Plan limit reached: organizations') {}
export class MemberNotFound extends domainError(404, 'Member not found') {}
export class OwnerRoleIsFixed extends domainError(409, 'Owner role cannot be changed') {}
export class AlreadyOwner extends domainError(409, 'User is the owner already') {}
export class OwnerIsDisabled extends domainError(409, 'Account is disabled') {}
export class OwnerStays extends domainError(409, 'Owner cannot be removed') {}
