import type { PlanPrices } from '../plan-prices.js';
import type { CheckoutState, SubscriptionState } from '../provider/payment-provider.js';
import { PROVIDER_EVENT, readCheckout, readEndedSubscription, readSubscription } from '../provider/provider-objects.js';
import { SIGHT_KINDS } from '../subscriptions/subscription-rules.js';
import { InvalidPayload } from './webhook.errors.js';

const KIND_OF_TYPE: Readonly<Record<string, number>> = {
  'customer.subscription.created': SIGHT_KINDS.begun,
  'customer.subscription.updated': SIGHT_KINDS.changed,
  'customer.subscription.deleted': SIGHT_KINDS.ended,
};

/** The content of an event. `nothing` means that this service does not handle the event's type or object. */
export type News =
  | { readonly about: 'subscription'; readonly kind: number; readonly subscription: SubscriptionState }
  | { readonly about: 'checkout'; readonly checkout: CheckoutState; readonly subscriptionId: string }
  | { readonly about: 'nothing' };

export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  /** The time of creation, in whole seconds. */
  readonly createdAt: Date;
  readonly liveMode: boolean;
  readonly payload: string;
  readonly news: News;
}

/** A parsed event. Its time of creation may be missing. */
export type ReadEvent = Omit<ProviderEvent, 'createdAt'> & { readonly createdAt: Date | null };

/** Adds a missing time of creation: the second in which the event was first received. */
export function dated(event: ReadEvent, receivedAt: Date): ProviderEvent {
  const wholeSecond = new Date(Math.floor(receivedAt.getTime() / 1000) * 1000);
  return { ...event, createdAt: event.createdAt ?? wholeSecond };
}

/** @throws InvalidPayload when the body is not an event, or lacks what an event of its type needs */
export function readEvent(body: Buffer, prices: PlanPrices): ReadEvent {
  try {
    const payload = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const { id, type, created, livemode, data } = PROVIDER_EVENT.parse(JSON.parse(payload));
    const news = newsOf(type, data.object, prices);
    const createdAt = typeof created === 'number' ? new Date(created * 1000) : null;
    return { id, type, createdAt, liveMode: livemode ?? false, payload, news };
  } catch {
    throw new InvalidPayload();
  }
}

function newsOf(type: string, object: Record<string, unknown>, prices: PlanPrices): News {
  const kind = Object.hasOwn(KIND_OF_TYPE, type) ? KIND_OF_TYPE[type] : undefined;
  if (kind !== undefined) {
    const read = kind === SIGHT_KINDS.ended ? readEndedSubscription : readSubscription;
    return { about: 'subscription', kind, subscription: read(object, prices) };
  }
  if (type !== 'checkout.session.completed') return { about: 'nothing' };
  const checkout = readCheckout(object);
  return checkout.subscriptionId === null
    ? { about: 'nothing' }
    : { about: 'checkout', checkout, subscriptionId: checkout.subscriptionId };
}
