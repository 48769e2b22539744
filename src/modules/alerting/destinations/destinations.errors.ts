import { DomainError, domainError } from '../../../platform/http/domain-error.js';

export class DestinationNotFound extends domainError(404, 'Alert destination not found') {}
export class TooManyDestinations extends domainError(409, 'Project has too many alert destinations') {}
export class AlertDeliveryNotFound extends domainError(404, 'Alert delivery not found') {}
export class AlertDeliveryNotFailed extends domainError(409, 'Alert delivery has not failed') {}
export class DestinationIsDisabled extends domainError(409, 'Alert destination is disabled') {}
export class DestinationIsGone extends domainError(409, 'Alert destination has been deleted') {}
export class DestinationCredentialsUnavailable extends domainError(
  503,
  'Protected alert destination credentials are unavailable',
) {
  override readonly logLevel = 'warn' as const;
}

/** The destination did not accept a test; `detail` is the sanitized reason. */
export class DestinationTestFailed extends DomainError {
  static readonly status = 502;
  static readonly hasFreeText = true;
  static readonly detail = 'http_500: The receiver answered 500';

  constructor(reason: string = DestinationTestFailed.detail) {
    super(502, reason);
  }
}
