import type { Plan } from '../../tenancy/organizations/index.js';
import { PLAN_LIMITS } from '../../tenancy/organizations/index.js';
import type { Allowance } from './allowance.js';

/** Why an organization may not ingest (SERVICE 7.3); `X-Service-Block-Reason` carries it. */
export type BlockReason = 'billing_inactive' | 'blocked' | 'limit_exceeded' | 'request_limit_exceeded';

export interface IngestionAllowances {
  readonly billingStatus: string;
  readonly events: Allowance;
  readonly requests: Allowance;
}

/** Statuses that pass (DECISIONS 5); `blocked` and `suspended` are set by platform administration. */
export const PASSING_STATUSES = ['active', 'trialing', 'past_due'];
const PASSING = new Set(PASSING_STATUSES);
const INACTIVE = new Set(['inactive', 'canceled']);

/**
 * Whether `events` more events in one more request would be blocked, and why; null lets them pass.
 * A status nobody knows blocks: what is unclear must not become free of charge.
 */
export function blockReason({ billingStatus, events, requests }: IngestionAllowances, more = 1): BlockReason | null {
  if (INACTIVE.has(billingStatus)) return 'billing_inactive';
  if (!PASSING.has(billingStatus)) return 'blocked';
  if (exceeds(events, more)) return 'limit_exceeded';
  return exceeds(requests, 1) ? 'request_limit_exceeded' : null;
}

/** The organization's own limit, else the plan's (SERVICE 2.3); null is unlimited. */
export function monthlyEventLimit(plan: Plan, explicit: number | null): number | null {
  return explicit ?? PLAN_LIMITS[plan].monthlyEvents;
}

function exceeds({ used, limit }: Allowance, more: number): boolean {
  return limit !== null && used + more > limit;
}
