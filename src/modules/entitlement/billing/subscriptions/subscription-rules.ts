import { type BillingHold, BILLING_HOLDS } from '../../../tenancy/organizations/index.js';
import type { PaymentSubscription } from './payment-subscription.entity.js';

/** Of events in one second: the first of a life, any in the middle (and what the provider was asked), the last. */
export const SIGHT_KINDS = { begun: 0, changed: 1, ended: 2 } as const;

/** When something was seen of a subscription. */
export interface Sight {
  readonly seenAt: Date;
  readonly seenKind: number;
}

type Verdict = 'apply' | 'outdated' | 'ask';

/** What to do with news of the same second as the newest known. Rows are the kind of the news, columns the known kind. */
const SAME_SECOND: readonly (readonly [begun: Verdict, changed: Verdict, ended: Verdict])[] = [
  /* begun */ ['outdated', 'outdated', 'outdated'],
  /* changed */ ['apply', 'ask', 'outdated'],
  /* ended */ ['apply', 'apply', 'outdated'],
];

/**
 * What to do with news of a subscription, given the newest known: late news changes nothing. The provider's times have
 * whole seconds, so only the provider can say which of two changes in one second is the newer.
 */
export function verdictOn(news: Sight, known: Sight | null): Verdict {
  if (known === null) return 'apply';
  const later = news.seenAt.getTime() - known.seenAt.getTime();
  if (later !== 0) return later > 0 ? 'apply' : 'outdated';
  return SAME_SECOND[news.seenKind]?.[known.seenKind] ?? 'outdated';
}

interface StatusRow {
  /** The billing status of the holder; null leaves it as it is. */
  readonly billingStatus: string | null;
  /** `paid` includes a payment that is late but not given up. `waiting` may come back, `over` never does. */
  readonly phase: 'paid' | 'waiting' | 'over';
  /** The provider gives a subscription this status only after its first payment or the start of its trial. */
  readonly showsPayment: boolean;
}

/**
 * The state machine: what each status of a subscription at the provider means here. A subscription that was never
 * paid for (see `counts`) changes neither plan nor billing status, so a first payment that fails takes nothing away.
 */
export const STATUS_TABLE: Readonly<Record<string, StatusRow>> = {
  active: { billingStatus: 'active', phase: 'paid', showsPayment: true },
  trialing: { billingStatus: 'trialing', phase: 'paid', showsPayment: true },
  past_due: { billingStatus: 'past_due', phase: 'paid', showsPayment: true },
  unpaid: { billingStatus: 'inactive', phase: 'waiting', showsPayment: true },
  paused: { billingStatus: 'inactive', phase: 'waiting', showsPayment: true },
  incomplete: { billingStatus: 'inactive', phase: 'waiting', showsPayment: false },
  incomplete_expired: { billingStatus: 'inactive', phase: 'over', showsPayment: false },
  canceled: { billingStatus: 'canceled', phase: 'over', showsPayment: false },
};

/** The provider may add statuses. Nothing follows from one that is not in the table. */
const UNKNOWN_STATUS: StatusRow = { billingStatus: null, phase: 'waiting', showsPayment: false };

function rowOf(status: string): StatusRow {
  return Object.hasOwn(STATUS_TABLE, status) ? (STATUS_TABLE[status] ?? UNKNOWN_STATUS) : UNKNOWN_STATUS;
}

/** The billing status that a subscription's status means; null: an unknown one, which changes nothing. */
export function billingStatusOf(subscriptionStatus: string): string | null {
  return rowOf(subscriptionStatus).billingStatus;
}

/** A subscription in this state never comes back. */
export function isOver(subscriptionStatus: string): boolean {
  return rowOf(subscriptionStatus).phase === 'over';
}

/** Whether a subscription in this state is paid for, or is given the time to be. */
export function isPassing(status: string): boolean {
  return rowOf(status).phase === 'paid';
}

/** Whether news of this status proves a payment, also when newer news was there first. */
export function showsPayment(status: string): boolean {
  return rowOf(status).showsPayment;
}

type Standing = Pick<PaymentSubscription, 'status' | 'wasPaid'>;

interface StandingNews extends Sight {
  readonly status: string;
  /** Whether the event itself shows a payment. The status may be a newer one that the provider was asked for. */
  readonly isPaid?: boolean;
}

/**
 * The standing of a subscription after news that applies. One that is first seen when it is canceled was paid for: the
 * provider ends a subscription whose first payment failed as `incomplete_expired`.
 */
export function standingAfter(known: (Standing & Sight) | null, news: StandingNews): Standing {
  // A completed checkout is no event of the subscription. Its events say whether it was paid for.
  if (news.seenAt.getTime() === 0) return { status: news.status, wasPaid: known?.wasPaid ?? false };
  const isFirst = known === null || known.seenAt.getTime() === 0;
  const isPaid = news.isPaid === true || showsPayment(news.status);
  const wasPaid = isPaid || (isFirst ? news.status === 'canceled' : known.wasPaid);
  // Its last event may repeat the status of its beginning.
  const isEndOfPaid = wasPaid && news.seenKind === SIGHT_KINDS.ended;
  return { status: isEndOfPaid ? 'canceled' : news.status, wasPaid };
}

/** Whether plan and billing status of the holder follow this subscription. */
export function counts({ wasPaid, status }: Standing): boolean {
  return wasPaid || isPassing(status);
}

/** Whether it may still take payments: it was begun and is not over. */
export function isRunning(subscription: Standing): boolean {
  return counts(subscription) && !isOver(subscription.status);
}

/**
 * Of several subscriptions the one that counts: one that is paid before one that waits before one that is over, then the
 * newest, then the one that was heard of last.
 */
export function presentOf<S extends Pick<PaymentSubscription, 'id' | 'status' | 'startedAt' | 'seenAt'>>(
  subscriptions: readonly S[],
): S | null {
  const rank = ({ status }: S): number => ['over', 'waiting', 'paid'].indexOf(rowOf(status).phase);
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
