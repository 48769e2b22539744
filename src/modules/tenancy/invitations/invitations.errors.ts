import { type DomainErrorClass, domainError } from '../../../platform/http/domain-error.js';
import type { InvitationStatus } from './invitation-states.js';

export class InvitationNotFound extends domainError(404, 'Invitation not found') {}
export class InvitationPending extends domainError(409, 'Invitation already pending') {}
export class AlreadyMember extends domainError(409, 'User is already a member') {}
export class InvitationLimit extends domainError(429, 'Invitation limit reached') {
  constructor(override readonly headers: Readonly<Record<string, string>> = {}) {
    super();
  }
}
export class ResendTooSoon extends domainError(429, 'Please wait before resending this invitation') {
  constructor(override readonly headers: Readonly<Record<string, string>> = {}) {
    super();
  }
}
export class InvitationOfAnother extends domainError(403, 'Invitation belongs to another account') {}
export class InvalidInvitationToken extends domainError(403, 'Invalid invitation token') {}
export class InvitationAccepted extends domainError(409, 'Invitation already accepted') {}
export class InvitationDeclined extends domainError(409, 'Invitation already declined') {}
export class InvitationRevoked extends domainError(409, 'Invitation has been revoked') {}
export class InvitationExpired extends domainError(409, 'Invitation has expired') {}
export class InviterWithoutRight extends domainError(409, 'Inviter may no longer invite') {}

/** The error for an operation on an invitation that is no longer pending, by the status of the invitation. */
export const OVER: Readonly<Record<Exclude<InvitationStatus, 'pending'>, DomainErrorClass>> = {
  accepted: InvitationAccepted,
  declined: InvitationDeclined,
  revoked: InvitationRevoked,
  expired: InvitationExpired,
};

/** The reason codes of refusals in audit events. */
export const INVITATION_REFUSALS = [
  'already_pending',
  'already_member',
  'daily_limit_reached',
  'resend_cooldown',
  'wrong_account',
  'invalid_token',
  'already_accepted',
  'already_declined',
  'revoked',
  'expired',
  'inviter_without_right',
] as const;
export type InvitationRefusal = (typeof INVITATION_REFUSALS)[number];

/**
 * The reason code of each error that refuses an operation. Other errors, such as invalid input, are not recorded as
 * refusals.
 */
export const REASON_CODES: ReadonlyMap<unknown, InvitationRefusal> = new Map<unknown, InvitationRefusal>([
  [InvitationPending, 'already_pending'],
  [AlreadyMember, 'already_member'],
  [InvitationLimit, 'daily_limit_reached'],
  [ResendTooSoon, 'resend_cooldown'],
  [InvitationOfAnother, 'wrong_account'],
  [InvalidInvitationToken, 'invalid_token'],
  [InvitationAccepted, 'already_accepted'],
  [InvitationDeclined, 'already_declined'],
  [InvitationRevoked, 'revoked'],
  [InvitationExpired, 'expired'],
  [InviterWithoutRight, 'inviter_without_right'],
]);
