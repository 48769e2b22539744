import type { Plan } from '../../tenancy/organizations/index.js';
import { PLAN_LIMITS } from '../../tenancy/organizations/index.js';
import type { Allowance } from './allowance.js';

/** The reasons why billing refuses ingestion. The header `X-Service-Block-Reason` has the same values. */
export type BlockReason = 'billing_inactive' | 'blocked' | 'limit_exceeded' | 'request_limit_exceeded';

export interface IngestionAllowances {
  readonly billingStatus: string;
  readonly events: Allowance;
  readonly requests: Allowance;
}

/** The billing statuses in which ingestion is accepted. Platform administration sets `blocked` and `suspended`. */
export const PASSING_STATUSES = ['active', 'trialing', 'past_due'];
const PASSING = new Set(PASSING_STATUSES);
const INACTIVE = new Set(['inactive', 'canceled']);

/**
 * Returns why `more` events in one more request would be refused, or null when they are accepted. An unknown status is
 * refused, because an unclear state must not make ingestion free of charge.
 */
export function blockReason({ billingStatus, events, requests }: IngestionAllowances, more = 1): BlockReason | null {
  if (INACTIVE.has(billingStatus)) return 'billing_inactive';
  if (!PASSING.has(billingStatus)) return 'blocked';
  if (exceeds(events, more)) return 'limit_exceeded';
  return exceeds(requests, 1) ? 'request_limit_exceeded' : null;
}

/** Returns the organization's own limit, or the plan's limit when it has none. Null means unlimited. */
export function monthlyEventLimit(plan: Plan, explicit: number | null): number | null {
  return explicit ?? PLAN_LIMITS[plan].monthlyEvents;
}

function exceeds({ used, limit }: Allowance, more: number): boolean {
  return limit !== null && used + more > limit;
}
