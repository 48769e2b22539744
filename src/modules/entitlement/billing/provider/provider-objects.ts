import { z } from 'zod';
import type { PlanPrices } from '../plan-prices.js';
import type { CheckoutState, SubscriptionState } from './payment-provider.js';

/** Identifiers are stored and compared, so only characters are accepted that the database accepts. */
const identifier = z.string().regex(/^[\x21-\x7e]{1,255}$/);
/** The provider sends either an identifier or the whole object that has it. */
const reference = z
  .union([identifier, z.object({ id: identifier })])
  .transform((v) => (typeof v === 'string' ? v : v.id));
const optionalReference = reference.nullish().transform((v) => v ?? null);
const metadata = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((v) =>
    Object.fromEntries(Object.entries(v ?? {}).filter((e): e is [string, string] => typeof e[1] === 'string')),
  );
/** Unix seconds, up to the year 9999. */
const instant = z.number().int().min(0).max(253_402_300_799);

const SUBSCRIPTION = z.object({
  id: identifier,
  customer: optionalReference,
  status: z
    .string()
    .regex(/^[a-z_]{1,64}$/)
    .nullish(),
  pause_collection: z.unknown().optional(),
  created: instant.nullish(),
  metadata,
  items: z.object({ data: z.array(z.object({ price: optionalReference })) }).nullish(),
});

const CHECKOUT = z.object({
  id: identifier,
  status: z.string().nullish(),
  customer: optionalReference,
  subscription: optionalReference,
  client_reference_id: z.string().nullish(),
  payment_status: z.string().nullish(),
  metadata,
});

export const PROVIDER_EVENT = z.object({
  id: identifier,
  type: z.string().regex(/^[a-z0-9_.]{1,255}$/),
  created: instant.nullish(),
  livemode: z.boolean().nullish(),
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
});

/** @throws ZodError when the value is not a subscription */
export function readSubscription(value: unknown, prices: PlanPrices): SubscriptionState {
  const subscription = readAnySubscription(value, prices);
  return { ...subscription, status: z.string().parse(subscription.status) };
}

/**
 * Reads a subscription that has ended, with any status.
 * @throws ZodError when the value is not a subscription
 */
export function readEndedSubscription(value: unknown, prices: PlanPrices): SubscriptionState {
  const subscription = readAnySubscription(value, prices);
  const isFirstPaymentMissing = ['incomplete', 'incomplete_expired'].includes(subscription.status ?? '');
  return { ...subscription, status: isFirstPaymentMissing ? 'incomplete_expired' : 'canceled' };
}

/** The statuses in which the provider collects payments, unless collection is paused. */
const COLLECTING: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

function readAnySubscription(
  value: unknown,
  prices: PlanPrices,
): Omit<SubscriptionState, 'status'> & { status: string | null | undefined } {
  const { id, customer, status, created, metadata, items, ...rest } = SUBSCRIPTION.parse(value);
  // While collection is paused, the provider does not change the status.
  const isPaused = typeof rest.pause_collection === 'object' && rest.pause_collection !== null;
  const given = (items?.data ?? []).map(({ price }) => price).filter((price) => price !== null);
  return {
    id,
    customerId: customer,
    status: isPaused && COLLECTING.has(status ?? '') ? 'paused' : status,
    priceId: given.find((price) => prices.has(price)) ?? given[0] ?? null,
    startedAt: typeof created === 'number' ? new Date(created * 1000) : null,
    metadata,
  };
}

/** @throws ZodError when the value is not a checkout session */
export function readCheckout(value: unknown): CheckoutState {
  const session = CHECKOUT.parse(value);
  return {
    id: session.id,
    status: session.status ?? null,
    customerId: session.customer,
    subscriptionId: session.subscription,
    reference: session.client_reference_id ?? null,
    isUnpaid: session.payment_status === 'unpaid',
    metadata: session.metadata,
  };
}
