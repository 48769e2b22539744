import type Stripe from 'stripe';

export type StripeLibrary = typeof Stripe;

/**
 * Loads the library when it is first needed. It takes a tenth of an idle service's memory, and billing is off by
 * default.
 */
export async function stripeLibrary(): Promise<StripeLibrary> {
  return (await import('stripe')).default;
}
