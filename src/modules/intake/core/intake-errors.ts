import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import { INGESTION_KEY_ERRORS } from '../../entitlement/api-keys/index.js';
import {
  BillingInactive,
  BlockedByBilling,
  DailyLimitExceeded,
  MonthlyEventsExceeded,
  MonthlyRequestsExceeded,
} from '../../entitlement/quotas/index.js';
import { IdempotencyKeyInProgress } from '../../events/event-store/index.js';
import {
  AllEventsOverDailyLimit,
  AllEventsOverQuota,
  AllEventsRefused,
  IdempotencyKeyReused,
  TooManyEvents,
} from '../../events/ingestion/index.js';
import { ProjectIsArchived } from '../../tenancy/projects/index.js';

/** The refusals that every route of the intake has. */
export const INTAKE_ERRORS = [
  ...INGESTION_KEY_ERRORS,
  ProjectIsArchived,
  BillingInactive,
  MonthlyEventsExceeded,
  MonthlyRequestsExceeded,
  BlockedByBilling,
  DailyLimitExceeded,
  IdempotencyKeyReused,
  IdempotencyKeyInProgress,
  AllEventsRefused,
  AllEventsOverQuota,
  AllEventsOverDailyLimit,
  TooManyEvents,
  ServiceOverloaded,
];
