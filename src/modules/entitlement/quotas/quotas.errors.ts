import { DomainError, domainError } from '../../../platform/http/domain-error.js';

type Headers = Readonly<Record<string, string>>;

/** A refusal by billing reports its reason in `X-Service-*` headers. */
export class BillingInactive extends domainError(403, 'Organization billing is not active.') {
  constructor(override readonly headers: Headers = {}) {
    super();
  }
}

export class MonthlyEventsExceeded extends domainError(403, 'Monthly quota exceeded (events)') {
  constructor(override readonly headers: Headers = {}) {
    super();
  }
}

export class MonthlyRequestsExceeded extends DomainError {
  static readonly status = 403;
  static readonly detail = 'Monthly request quota exceeded.';

  /** A deployment may set its own message in `REQUEST_QUOTA_MESSAGE`. The API document shows that message too. */
  constructor(
    sentence: string = MonthlyRequestsExceeded.detail,
    override readonly headers: Headers = {},
  ) {
    super(MonthlyRequestsExceeded.status, sentence);
  }
}

export class BlockedByBilling extends domainError(403, 'Blocked by billing enforcement.') {
  constructor(override readonly headers: Headers = {}) {
    super();
  }
}

export class DailyLimitExceeded extends domainError(429, 'Daily limit exceeded') {
  constructor(override readonly headers: Headers = {}) {
    super();
  }
}
