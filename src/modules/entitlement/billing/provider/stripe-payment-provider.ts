import { Injectable, Logger } from '@nestjs/common';
import type Stripe from 'stripe';
import { newId } from '../../../../platform/ids/index.js';
import { BillingSettings } from '../billing-settings.js';
import { PaymentProviderFailed } from '../billing.errors.js';
import type { Deadline } from '../../../../platform/concurrency/index.js';
import {
  type CheckoutState,
  type NewCheckout,
  type NewCustomer,
  PaymentProvider,
  type SubscriptionState,
  type UsageReport,
} from './payment-provider.js';
import { readCheckout, readSubscription } from './provider-objects.js';
import { type StripeLibrary, stripeLibrary } from './stripe-library.js';
import { errorMessage } from '../../../../platform/errors/index.js';

/** The timeout of one attempt. The library retries what is safe to retry, with the same idempotency key. */
const TRY_MS = 3_500;
const RETRIES = 2;

/** Calls the provider Stripe, or a substitute at PAYMENT_API_BASE. */
@Injectable()
export class StripePaymentProvider extends PaymentProvider {
  private readonly logger = new Logger('billing');

  constructor(private readonly settings: BillingSettings) {
    super();
  }

  async hasCustomer(customerId: string, within: Deadline): Promise<boolean> {
    const customer = await this.find('customer', within, (stripe) => stripe.customers.retrieve(customerId));
    return customer !== null && customer.deleted !== true;
  }

  /**
   * Creates a customer. For a day, the provider repeats its own failure for the same idempotency key, so a failure is
   * retried with a new key. If this creates a second customer, the second one stays unused, because all requests use
   * the customer that is stored first.
   */
  createCustomer({ name, email, metadata, idempotencyKey }: NewCustomer, within: Deadline): Promise<string> {
    return this.ask('new customer', within, async (stripe) => {
      const make = (key: string): Promise<{ id: string }> =>
        stripe.customers.create({ name, email, metadata }, { idempotencyKey: key });
      const customer = await make(idempotencyKey).catch(async (error: unknown) => {
        if (!isFailure(await stripeLibrary(), error)) throw error;
        return make(`${idempotencyKey}-${newId()}`);
      });
      return required(customer.id);
    });
  }

  async removeCustomer(customerId: string, within: Deadline): Promise<void> {
    await this.find('customer to remove', within, (stripe) => stripe.customers.del(customerId));
  }

  createCheckout(checkout: NewCheckout, within: Deadline): Promise<{ id: string; url: string }> {
    const { customerId, priceId, successUrl, cancelUrl, reference, metadata } = checkout;
    return this.ask('new checkout session', within, async (stripe) => {
      const session = await stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: customerId,
        client_reference_id: reference,
        line_items: [{ price: priceId, quantity: 1 }],
        success_url: successUrl,
        cancel_url: cancelUrl,
        metadata,
        subscription_data: { metadata },
      });
      return { id: required(session.id), url: required(session.url) };
    });
  }

  async findCheckout(
    id: string,
    within: Deadline,
  ): Promise<{ checkout: CheckoutState; subscription: SubscriptionState | null } | null> {
    const session = await this.find('checkout session', within, (stripe) =>
      stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] }),
    );
    if (session === null) return null;
    return this.ask('checkout session', within, async () => {
      const checkout = readCheckout(session);
      const { subscriptionId } = checkout;
      if (subscriptionId === null) return { checkout, subscription: null };
      const { subscription } = session;
      return typeof subscription === 'object'
        ? { checkout, subscription: readSubscription(subscription, this.settings.prices) }
        : { checkout, subscription: await this.findSubscription(subscriptionId, within) };
    });
  }

  createPortalSession(customerId: string, returnUrl: string, within: Deadline): Promise<string> {
    return this.ask('new portal session', within, async (stripe) => {
      const session = await stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl });
      return required(session.url);
    });
  }

  findSubscription(id: string, within: Deadline): Promise<SubscriptionState | null> {
    return this.find('subscription', within, async (stripe) =>
      readSubscription(await stripe.subscriptions.retrieve(id), this.settings.prices),
    );
  }

  async reportUsage({ meter, customerId, value, identifier, at }: UsageReport, within: Deadline): Promise<void> {
    await this.ask('usage', within, async (stripe) => {
      const payload = { stripe_customer_id: customerId, value: String(value) };
      const timestamp = Math.floor(at.getTime() / 1_000);
      try {
        await stripe.billing.meterEvents.create({ event_name: meter, payload, identifier, timestamp });
      } catch (error) {
        if (!isKnown(await stripeLibrary(), error)) throw error;
      }
    });
  }

  /** Returns null when the provider answers with 404. */
  private async find<T>(what: string, within: Deadline, call: (stripe: Stripe) => Promise<T>): Promise<T | null> {
    return this.ask(what, within, async (stripe) => {
      try {
        return await call(stripe);
      } catch (error) {
        const { errors } = await stripeLibrary();
        if (error instanceof errors.StripeError && error.statusCode === 404) return null;
        throw error;
      }
    });
  }

  private async ask<T>(what: string, within: Deadline, call: (stripe: Stripe) => Promise<T>): Promise<T> {
    const library = await stripeLibrary();
    const stripe = this.connected(library, within);
    try {
      return await within.hold(call(stripe));
    } catch (error) {
      if (error instanceof PaymentProviderFailed) throw error;
      this.logger.warn(`payment provider: ${what}: ${reasonOf(library, error)}`);
      throw new PaymentProviderFailed();
    }
  }

  /**
   * Returns a client whose requests and retries end with the deadline. It uses `fetch`, whose timeout covers the whole
   * response: the library's other client waits forever while bytes trickle in.
   */
  private connected(library: StripeLibrary, within: Deadline): Stripe {
    const { secretKey, address } = this.settings.connection();
    const fetchInTime: typeof fetch = (input, init = {}) => {
      const signals = [init.signal, within.signal].filter((signal) => signal !== null && signal !== undefined);
      return fetch(input, { ...init, redirect: 'error', signal: AbortSignal.any(signals) });
    };
    return new library(secretKey, {
      ...address,
      httpClient: library.createFetchHttpClient(fetchInTime),
      maxNetworkRetries: RETRIES,
      timeout: TRY_MS,
      telemetry: false,
    });
  }
}

function required(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new Error('the answer is incomplete');
  return value;
}

function isFailure({ errors }: StripeLibrary, error: unknown): boolean {
  return error instanceof errors.StripeError && (error.statusCode ?? 0) >= 500;
}

/** Returns whether the provider has already received a report with this identifier. */
function isKnown({ errors }: StripeLibrary, error: unknown): boolean {
  return error instanceof errors.StripeInvalidRequestError && /already exists.*identifier/i.test(error.message);
}

/**
 * Returns what may be logged of an error. The message about a refused key is left out, because it contains part of the
 * key.
 */
function reasonOf({ errors }: StripeLibrary, error: unknown): string {
  if (!(error instanceof errors.StripeError)) return errorMessage(error);
  const { type, code, param, statusCode, requestId } = error;
  const facts = Object.entries({ code, param, status: statusCode, request: requestId }).filter(
    ([, v]) => v !== undefined,
  );
  const message = error instanceof errors.StripeAuthenticationError ? '' : `: ${error.message}`;
  return `${type} (${facts.map(([name, value]) => `${name} ${value}`).join(', ')})${message}`;
}
