import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import { schemaOf } from '../../../platform/http/validation/index.js';
import { INGESTION_KEY_ERRORS } from '../../entitlement/api-keys/index.js';
import {
  BillingInactive,
  BlockedByBilling,
  DailyLimitExceeded,
  MonthlyEventsExceeded,
  MonthlyRequestsExceeded,
} from '../../entitlement/quotas/index.js';
import { IdempotencyKeyInProgress } from '../../events/event-store/index.js';
import { AllEventsRefused, IdempotencyKeyReused, TooManyEvents } from '../../events/ingestion/index.js';
import { ProjectIsArchived } from '../../tenancy/projects/index.js';
import { IntakeResult } from './intake.dto.js';

const NONE = { type: 'integer', const: 0 };

/** Every event of a request is refused. The answer has the members of an `IntakeResponse` in addition to `detail`. */
export class AllIntakeEventsRefused extends AllEventsRefused {
  static override readonly members = {
    accepted: { ...NONE, description: 'When every event is refused: no event is stored' },
    rejected: { type: 'integer', minimum: 0, description: 'When every event is refused: the number of events' },
    duplicates: { ...NONE, description: 'When every event is refused: no event had been stored before' },
    results: {
      type: 'array',
      items: schemaOf(IntakeResult.name),
      description: 'When every event is refused: one for each event',
    },
  };
}

/** This refusal when the monthly quota is the reason for every event. Only the API document uses the class. */
class AllIntakeEventsOverQuota extends AllIntakeEventsRefused {
  static override readonly status = 403;
}

/** This refusal when the daily limit is the reason for every event. Only the API document uses the class. */
class AllIntakeEventsOverDailyLimit extends AllIntakeEventsRefused {
  static override readonly status = 429;
}

/** The refusals of every route that stores events. */
export const STORE_ERRORS = [
  ProjectIsArchived,
  BillingInactive,
  MonthlyEventsExceeded,
  MonthlyRequestsExceeded,
  BlockedByBilling,
  DailyLimitExceeded,
  AllIntakeEventsRefused,
  AllIntakeEventsOverQuota,
  AllIntakeEventsOverDailyLimit,
  ServiceOverloaded,
] as const;

/** The refusals of routes that receive a list of events with an API key. */
export const INTAKE_ERRORS = [
  ...INGESTION_KEY_ERRORS,
  ...STORE_ERRORS,
  IdempotencyKeyReused,
  IdempotencyKeyInProgress,
  TooManyEvents,
] as const;
