import { DomainError, domainError } from '../../../../platform/http/domain-error.js';

export class AlertRuleNotFound extends domainError(404, 'Alert rule not found') {}
export class TooManyAlertRules extends domainError(409, 'Project has too many alert rules') {}
export class DetectorNotAvailable extends domainError(422, 'Detector not available') {}
export class TooManyBacktests extends domainError(503, 'Too many back-tests at once') {
  override readonly headers = { 'Retry-After': '5' };
}

/** `reason` is what the rule says in `last_error`. */
export class AlertRuleFails extends DomainError {
  static readonly status = 409;
  static readonly detail = {
    code: 'evaluation_failed',
    reason: 'PostgreSQL refuses one of its patterns as too complex',
  };

  constructor(reason: string = AlertRuleFails.detail.reason) {
    super(AlertRuleFails.status, { ...AlertRuleFails.detail, reason });
  }
}
