import { PLAN_NAMES, type PlanName } from '../../../config/index.js';

/**
 * Plans, lowest first. The payment provider also uses the name `business` for `scale`. Clients never send this name.
 */
export const PLANS = PLAN_NAMES;
export type Plan = PlanName;

export const PAID_PLANS = ['pro', 'scale', 'enterprise'] as const satisfies readonly Plan[];
export type PaidPlan = (typeof PAID_PLANS)[number];

/** The limits of a plan. Null means unlimited. */
export interface PlanLimits {
  readonly monthlyEvents: number | null;
  /** The limit of one event source in a UTC day. */
  readonly dailyEvents: number | null;
  readonly retentionDays: number | null;
  readonly organizations: number | null;
  readonly projects: number | null;
  readonly sources: number | null;
}

export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  free: { monthlyEvents: 10_000, dailyEvents: 10_000, retentionDays: 30, organizations: 1, projects: 1, sources: 1 },
  pro: { monthlyEvents: 100_000, dailyEvents: null, retentionDays: 90, organizations: 3, projects: null, sources: 3 },
  scale: {
    monthlyEvents: 1_000_000,
    dailyEvents: null,
    retentionDays: 180,
    organizations: null,
    projects: null,
    sources: null,
  },
  enterprise: {
    monthlyEvents: null,
    dailyEvents: null,
    retentionDays: null,
    organizations: null,
    projects: null,
    sources: null,
  },
};

/** Returns the highest of several plans, or `free` when there is none. */
export function highestPlan(plans: readonly Plan[]): Plan {
  return plans.reduce<Plan>((best, plan) => (PLANS.indexOf(plan) > PLANS.indexOf(best) ? plan : best), 'free');
}
