import type Stripe from 'stripe';

export type StripeLibrary = typeof Stripe;

/**
 * Loads the library when it is first needed. The library takes a tenth of the memory of an idle service, and billing is
 * off by default.
 */
export async function stripeLibrary(): Promise<StripeLibrary> {
  return (await import('stripe')).default;
}
