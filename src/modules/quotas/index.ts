export {
  type Allowance,
  blockReason,
  type BlockReason,
  type IngestionAllowances,
  monthlyEventLimit,
} from './ingestion-decision.js';
export { monthOf } from './month.js';
export { OrganizationAllowances } from './organization-allowances.js';
export { QuotasModule } from './quotas.module.js';
export { RequestLimits } from './request-limits.js';
