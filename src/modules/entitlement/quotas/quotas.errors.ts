import { DomainError, domainError } from '../../../platform/http/domain-error.js';

type Headers = Readonly<Record<string, string>>;

/** SERVICE 7.2 and 7.3: each refusal tells in `X-Service-*` headers what stands in the way. */
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

  /** A deployment may have a sentence of its own (`REQUEST_QUOTA_MESSAGE`), which its API document says as well. */
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
