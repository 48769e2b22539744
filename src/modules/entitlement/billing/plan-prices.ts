import type { PaymentName, PaymentNames } from '../../../config/index.js';
import { PAID_PLANS, type PaidPlan } from '../../tenancy/organizations/index.js';

export const CURRENCIES = ['usd', 'eur'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Maps the configured price identifiers to their plans. */
export type PlanPrices = ReadonlyMap<string, PaidPlan>;

const NAMES: Readonly<Record<PaidPlan, PaymentName>> = {
  pro: 'PAYMENT_PRICE_ID_PRO',
  scale: 'PAYMENT_PRICE_ID_SCALE',
  enterprise: 'PAYMENT_PRICE_ID_ENTERPRISE',
};

/** Returns the settings that may hold the price of a plan in a currency, the preferred one first. */
export function priceNames(plan: PaidPlan, currency: Currency | null): PaymentName[] {
  return plan === 'pro' && currency === 'eur' ? ['PAYMENT_PRICE_ID_PRO_EUR', NAMES.pro] : [NAMES[plan]];
}

export function pricesOf(names: PaymentNames): PlanPrices {
  const prices = new Map<string, PaidPlan>();
  for (const plan of PAID_PLANS) {
    for (const name of priceNames(plan, 'eur')) {
      const price = names[name];
      if (price !== undefined) prices.set(price, plan);
    }
  }
  return prices;
}

/**
 * Returns the plan for a name that the provider's data contains. `business` is another name for `scale`. Null when the
 * name is not that of a paid plan.
 */
export function planNamed(name: string | undefined): PaidPlan | null {
  if (name === 'business') return 'scale';
  return PAID_PLANS.find((plan) => plan === name) ?? null;
}
