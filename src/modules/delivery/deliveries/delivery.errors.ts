import { DomainError, domainError } from '../../../platform/http/domain-error.js';

export class ChannelNotFound extends domainError(404, 'Notification channel not found') {}
export class AttemptNotFound extends domainError(404, 'Delivery attempt not found') {}
export class ProtectedHeaderNotFound extends domainError(404, 'Protected header not found') {}
export class TooManyChannels extends domainError(409, 'Project has too many channels') {}
export class DuplicateProtectedHeader extends domainError(409, 'Protected header already exists') {}
export class ChannelHasEvidence extends domainError(
  409,
  'Notification channel cannot be deleted while delivery evidence exists. Disable the channel instead.',
) {}
export class ProtectedHeadersUnavailable extends domainError(503, 'Protected webhook headers are unavailable') {
  override readonly logLevel = 'warn' as const;
}

/** `code` is a reason code of readiness, or `duplicate_replay`; an earlier replay or drain is named by its attempt. */
export class RecoveryRefused extends DomainError {
  static readonly status = 409;
  static readonly detail = { code: 'duplicate_replay', reason: 'The attempt has been replayed already' };

  constructor(detail: Readonly<Record<string, unknown>> = RecoveryRefused.detail) {
    super(409, detail);
  }
}
