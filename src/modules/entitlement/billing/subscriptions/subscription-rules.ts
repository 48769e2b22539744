import { type BillingHold, BILLING_HOLDS } from '../../../tenancy/organizations/index.js';
import type { PaymentSubscription } from './payment-subscription.entity.js';

/**
 * Orders the events of one second: the first event of a subscription, any event in between (also a query of the
 * provider), and the last event.
 */
export const SIGHT_KINDS = { begun: 0, changed: 1, ended: 2 } as const;

/** The time and kind of an observation of a subscription. */
export interface Sight {
  readonly seenAt: Date;
  readonly seenKind: number;
}

type Verdict = 'apply' | 'outdated' | 'ask';

/**
 * Decides what to do with an event of the same second as the newest known event. Rows are the kind of the event,
 * columns the kind of the known event.
 */
const SAME_SECOND: readonly (readonly [begun: Verdict, changed: Verdict, ended: Verdict])[] = [
  /* begun */ ['outdated', 'outdated', 'outdated'],
  /* changed */ ['apply', 'ask', 'outdated'],
  /* ended */ ['apply', 'apply', 'outdated'],
];

/**
 * Returns what to do with an event of a subscription, given the newest one known. A late event changes nothing. The
 * provider's times have whole seconds, so only the provider can say which of two changes in one second is newer.
 */
export function verdictOn(news: Sight, known: Sight | null): Verdict {
  if (known === null) return 'apply';
  const later = news.seenAt.getTime() - known.seenAt.getTime();
  if (later !== 0) return later > 0 ? 'apply' : 'outdated';
  return SAME_SECOND[news.seenKind]?.[known.seenKind] ?? 'outdated';
}

interface StatusRow {
  /** The billing status of the holder; null leaves that status unchanged. */
  readonly billingStatus: string | null;
  /**
   * `paid` includes a late payment that is still expected. A `waiting` subscription may become paid again, an `over`
   * one never does.
   */
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

/** The provider may add statuses. A status that is not in the table changes nothing. */
const UNKNOWN_STATUS: StatusRow = { billingStatus: null, phase: 'waiting', showsPayment: false };

function rowOf(status: string): StatusRow {
  return Object.hasOwn(STATUS_TABLE, status) ? (STATUS_TABLE[status] ?? UNKNOWN_STATUS) : UNKNOWN_STATUS;
}

/**
 * Returns the billing status that a subscription's status means, or null for an unknown status, which changes nothing.
 */
export function billingStatusOf(subscriptionStatus: string): string | null {
  return rowOf(subscriptionStatus).billingStatus;
}

/** Returns whether a subscription in this state never becomes active again. */
export function isOver(subscriptionStatus: string): boolean {
  return rowOf(subscriptionStatus).phase === 'over';
}

/** Returns whether a subscription in this state is paid for, or still has time to be paid. */
export function isPassing(status: string): boolean {
  return rowOf(status).phase === 'paid';
}

/** Returns whether an event with this status proves a payment, even if a newer event was processed first. */
export function showsPayment(status: string): boolean {
  return rowOf(status).showsPayment;
}

type Standing = Pick<PaymentSubscription, 'status' | 'wasPaid'>;

interface StandingNews extends Sight {
  readonly status: string;
  /**
   * Whether the event itself shows a payment. `status` may come from a newer query of the provider instead of the
   * event.
   */
  readonly isPaid?: boolean;
}

/**
 * Returns the standing of a subscription after an event that applies. A subscription that is canceled when first seen
 * was paid for, because the provider ends a subscription whose first payment failed as `incomplete_expired`.
 */
export function standingAfter(known: (Standing & Sight) | null, news: StandingNews): Standing {
  // A completed checkout is not an event of the subscription. Only the subscription's own events say whether it was
  // paid for.
  if (news.seenAt.getTime() === 0) return { status: news.status, wasPaid: known?.wasPaid ?? false };
  const isFirst = known === null || known.seenAt.getTime() === 0;
  const isPaid = news.isPaid === true || showsPayment(news.status);
  const wasPaid = isPaid || (isFirst ? news.status === 'canceled' : known.wasPaid);
  // The last event of a subscription may repeat its first status.
  const isEndOfPaid = wasPaid && news.seenKind === SIGHT_KINDS.ended;
  return { status: isEndOfPaid ? 'canceled' : news.status, wasPaid };
}

/** Returns whether plan and billing status of the holder follow this subscription. */
export function counts({ wasPaid, status }: Standing): boolean {
  return wasPaid || isPassing(status);
}

/** Returns whether the subscription may still take payments: it counts and is not over. */
export function isRunning(subscription: Standing): boolean {
  return counts(subscription) && !isOver(subscription.status);
}

/**
 * Returns the subscription that decides about the holder. Paid subscriptions come before waiting ones, and waiting ones
 * before those that are over. Then the newest one is chosen, and then the one that was observed last.
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
 * Returns the state after an event of the provider. `blocked` and `suspended` stay until the platform lifts them. A
 * deleted subscription shows as `canceled`, which hides such a hold. The hold shows again when a subscription is paid
 * for.
 */
export function withHold({ billingStatus, billingHold }: BillingState, news: string | null): BillingState {
  if (news === null) return { billingStatus, billingHold };
  const hold = billingHold ?? BILLING_HOLDS.find((known) => known === billingStatus) ?? null;
  return { billingStatus: hold === null || news === 'canceled' ? news : hold, billingHold: hold };
}
