import { DomainError, domainError } from '../../../platform/http/domain-error.js';
import { EnumField, TextField, UuidField } from '../../../platform/http/validation/index.js';
import { REASON_CODES, type ReasonCode } from './attempts/readiness.js';

const RECOVERY_REFUSALS = ['duplicate_replay', ...REASON_CODES] as const;

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

export class SigningUnavailable extends domainError(503, 'Webhook signing secrets are unavailable') {
  override readonly logLevel = 'warn' as const;
}

export class RecoveryRefusal {
  @EnumField(RECOVERY_REFUSALS, { description: 'As readiness says, or that it was replayed before' })
  code!: ReasonCode | 'duplicate_replay';

  @TextField({ description: 'The same in words' })
  reason!: string;

  @UuidField({ optional: true, nullable: true, description: 'The attempt that an earlier replay has made' })
  replay_attempt_id?: string | null;

  @UuidField({ optional: true, nullable: true, description: 'The attempt that an earlier drain has made' })
  drain_attempt_id?: string | null;
}

/**
 * A replay or drain was refused. `code` is a reason code of readiness, or `duplicate_replay`. When an earlier replay or
 * drain has made an attempt, the body names that attempt.
 */
export class RecoveryRefused extends DomainError {
  static readonly status = 409;
  static readonly answer = RecoveryRefusal;
  static readonly detail = { code: 'duplicate_replay', reason: 'The attempt has been replayed already' } as const;

  constructor(detail: RecoveryRefusal = RecoveryRefused.detail) {
    super(409, { ...detail });
  }
}
