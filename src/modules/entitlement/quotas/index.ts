export { type Allowance, isNearLimit, remainingOf } from './allowance.js';
export {
  blockReason,
  type BlockReason,
  type IngestionAllowances,
  monthlyEventLimit,
  PASSING_STATUSES,
} from './ingestion-decision.js';
export {
  type IngestionRefusal,
  IngestionRefusalsService,
  reasonOfStatus,
  type RefusalReason,
} from './ingestion-refusals.service.js';
export { monthOf } from './month.js';
export { OrganizationAllowancesReader } from './organization-allowances.reader.js';
export {
  BillingInactive,
  BlockedByBilling,
  DailyLimitExceeded,
  MonthlyEventsExceeded,
  MonthlyRequestsExceeded,
} from './quotas.errors.js';
export { QuotasModule } from './quotas.module.js';
export { RequestLimitsService } from './request-limits.service.js';
