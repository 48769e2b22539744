import { domainError } from '../../../../platform/http/domain-error.js';
import type { FindingFault } from './finding-life.js';

export class FindingNotFound extends domainError(404, 'Finding not found') {}
export class FindingIsAcknowledged extends domainError(409, 'Finding is already acknowledged') {}
export class FindingIsResolved extends domainError(409, 'Finding is resolved') {}
export class FindingIsDismissed extends domainError(409, 'Finding is dismissed') {}
export class FindingIsAlreadyDismissed extends domainError(409, 'Finding is already dismissed') {}

/** The errors of refused actions on findings, by fault. */
export const FAULT_ERRORS = {
  already_acknowledged: FindingIsAcknowledged,
  resolved: FindingIsResolved,
  dismissed: FindingIsDismissed,
  already_dismissed: FindingIsAlreadyDismissed,
} as const satisfies Record<FindingFault, unknown>;
