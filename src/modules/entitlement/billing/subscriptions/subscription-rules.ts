import { type BillingHold, BILLING_HOLDS } from '../../../tenancy/organizations/index.js';
import type { PaymentSubscription } from './payment-subscription.entity.js';

/** Of events in one second: the first of a life, any in the middle (and what the provider was asked), the last. */
export const SIGHT_KINDS = { begun: 0, changed: 1, ended: 2 } as const;

/** When something was seen of a subscription. */
export interface Sight {
  readonly seenAt: Date;
  readonly seenKind: number;
}

/**
 * What to do with news of a subscription, given the newest known: late ones change nothing (DECISIONS 7). The
 * provider's times have whole seconds, so two changes in one second can be told apart by the provider alone.
 */
export function verdictOn(news: Sight, known: Sight | null): 'apply' | 'outdated' | 'ask' {
  if (known === null) return 'apply';
  const later = news.seenAt.getTime() - known.seenAt.getTime();
  if (later !== 0) return later > 0 ? 'apply' : 'outdated';
  if (news.seenKind !== known.seenKind) return news.seenKind > known.seenKind ? 'apply' : 'outdated';
  return news.seenKind === SIGHT_KINDS.changed ? 'ask' : 'outdated';
}

const BILLING_STATUS: Readonly<Record<string, string>> = {
  active: 'active',
  trialing: 'trialing',
  past_due: 'past_due',
  unpaid: 'inactive',
  incomplete: 'inactive',
  incomplete_expired: 'inactive',
  paused: 'inactive',
  canceled: 'canceled',
};

/** The billing status that a subscription's status means (DECISIONS 7); null: one nobody knows, which changes nothing. */
export function billingStatusOf(subscriptionStatus: string): string | null {
  return Object.hasOwn(BILLING_STATUS, subscriptionStatus) ? (BILLING_STATUS[subscriptionStatus] ?? null) : null;
}

/** A subscription in this state never comes back. */
export function isOver(subscriptionStatus: string): boolean {
  return subscriptionStatus === 'canceled' || subscriptionStatus === 'incomplete_expired';
}

const PASSING = new Set(['active', 'trialing', 'past_due']);

/** Whether a subscription in this state is paid for, or is given the time to be. */
export function isPassing(status: string): boolean {
  return PASSING.has(status);
}

/**
 * Of several subscriptions the one that counts: one that is paid before one that waits before one that is over, then the
 * newest, then the one that was heard of last.
 */
export function presentOf<S extends Pick<PaymentSubscription, 'id' | 'status' | 'startedAt' | 'seenAt'>>(
  subscriptions: readonly S[],
): S | null {
  const rank = ({ status }: S): number => (isPassing(status) ? 2 : isOver(status) ? 0 : 1);
  const [first = null] = [...subscriptions].sort(
    (a, b) =>
      rank(b) - rank(a) ||
      b.startedAt.getTime() - a.startedAt.getTime() ||
      b.seenAt.getTime() - a.seenAt.getTime() ||
      (a.id < b.id ? 1 : -1),
  );
  return first;
}

export interface BillingState {
  readonly billingStatus: string;
  readonly billingHold: BillingHold | null;
}

/**
 * The state after news from the provider. What the platform has blocked or suspended stays so until the platform lifts
 * it: a deleted subscription shows as `canceled` (SERVICE 3.1), but one that is paid for brings the hold back to light.
 */
export function withHold({ billingStatus, billingHold }: BillingState, news: string | null): BillingState {
  if (news === null) return { billingStatus, billingHold };
  const hold = billingHold ?? BILLING_HOLDS.find((known) => known === billingStatus) ?? null;
  return { billingStatus: hold === null || news === 'canceled' ? news : hold, billingHold: hold };
}
