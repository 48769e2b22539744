import { domainError, type DomainErrorClass } from '../../../platform/http/domain-error.js';
import type { MoveFault } from './machine/alert-machine.js';

export class AlertEventNotFound extends domainError(404, 'Alert event not found') {}
export class SilenceNotFound extends domainError(404, 'Silence not found') {}
export class AlertEventIsAcknowledged extends domainError(409, 'Alert event is already acknowledged') {}
export class AlertEventIsSnoozed extends domainError(409, 'Alert event is already snoozed') {}
export class AlertEventIsResolved extends domainError(409, 'Alert event is resolved') {}
export class AlertEventIsNotResolved extends domainError(409, 'Alert event is not resolved') {}
export class NewerAlertEventIsUnresolved extends domainError(
  409,
  'A newer alert event of the same fingerprint is unresolved',
) {}
export class AssigneeIsNoMember extends domainError(409, 'User is not a project member') {}
export class SilenceHasExpired extends domainError(409, 'Silence has expired') {}
export class TooManySilences extends domainError(409, 'Project has too many silences') {}

export const MOVE_ERRORS: Readonly<Record<MoveFault, DomainErrorClass>> = {
  is_acknowledged: AlertEventIsAcknowledged,
  is_snoozed: AlertEventIsSnoozed,
  is_resolved: AlertEventIsResolved,
  is_unresolved: AlertEventIsNotResolved,
};
