import { Injectable, Logger } from '@nestjs/common';
import Stripe from 'stripe';
import { BillingSettings } from '../billing-settings.js';
import { PaymentProviderFailed } from '../billing.errors.js';
import type { Deadline } from './deadline.js';
import {
  type CheckoutState,
  type NewCheckout,
  type NewCustomer,
  PaymentProvider,
  type SubscriptionState,
} from './payment-provider.js';
import { readCheckout, readSubscription } from './provider-objects.js';

/** Of one try; the library repeats what may be repeated, with the same idempotency key. */
const TRY_MS = 3_500;
const RETRIES = 2;

type Options = Stripe.RequestOptions;

/** The provider behind `stripe`, or a stand-in of it at PAYMENT_API_BASE. */
@Injectable()
export class StripePaymentProvider extends PaymentProvider {
  private readonly logger = new Logger('billing');
  private client: Stripe | undefined;

  constructor(private readonly settings: BillingSettings) {
    super();
  }

  async hasCustomer(customerId: string, within: Deadline): Promise<boolean> {
    const customer = await this.find('customer', within, (stripe, options) =>
      stripe.customers.retrieve(customerId, {}, options),
    );
    return customer !== null && customer.deleted !== true;
  }

  createCustomer({ name, email, metadata, idempotencyKey }: NewCustomer, within: Deadline): Promise<string> {
    return this.ask('new customer', within, async (stripe, options) => {
      const customer = await stripe.customers.create({ name, email, metadata }, { ...options, idempotencyKey });
      return required(customer.id);
    });
  }

  createCheckout(checkout: NewCheckout, within: Deadline): Promise<{ id: string; url: string }> {
    const { customerId, priceId, successUrl, cancelUrl, reference, metadata } = checkout;
    return this.ask('new checkout session', within, async (stripe, options) => {
      const session = await stripe.checkout.sessions.create(
        {
          mode: 'subscription',
          customer: customerId,
          client_reference_id: reference,
          line_items: [{ price: priceId, quantity: 1 }],
          success_url: successUrl,
          cancel_url: cancelUrl,
          metadata,
          subscription_data: { metadata },
        },
        options,
      );
      return { id: required(session.id), url: required(session.url) };
    });
  }

  async findCheckout(
    id: string,
    within: Deadline,
  ): Promise<{ checkout: CheckoutState; subscription: SubscriptionState | null } | null> {
    const session = await this.find('checkout session', within, (stripe, options) =>
      stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] }, options),
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
    return this.ask('new portal session', within, async (stripe, options) => {
      const session = await stripe.billingPortal.sessions.create(
        { customer: customerId, return_url: returnUrl },
        options,
      );
      return required(session.url);
    });
  }

  findSubscription(id: string, within: Deadline): Promise<SubscriptionState | null> {
    return this.find('subscription', within, async (stripe, options) =>
      readSubscription(await stripe.subscriptions.retrieve(id, {}, options), this.settings.prices),
    );
  }

  /** Null when the provider knows no such thing. */
  private async find<T>(
    what: string,
    within: Deadline,
    call: (stripe: Stripe, options: Options) => Promise<T>,
  ): Promise<T | null> {
    return this.ask(what, within, async (stripe, options) => {
      try {
        return await call(stripe, options);
      } catch (error) {
        if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return null;
        throw error;
      }
    });
  }

  private async ask<T>(
    what: string,
    within: Deadline,
    call: (stripe: Stripe, options: Options) => Promise<T>,
  ): Promise<T> {
    const stripe = this.connected();
    try {
      const timeout = Math.min(TRY_MS, within.remainingMs);
      if (timeout === 0) throw new Error('no time is left');
      return await within.hold(call(stripe, { timeout }));
    } catch (error) {
      if (error instanceof PaymentProviderFailed) throw error;
      this.logger.warn(`payment provider: ${what}: ${reasonOf(error)}`);
      throw new PaymentProviderFailed();
    }
  }

  /** Made when it is first needed, since the configuration is checked when it is used. */
  private connected(): Stripe {
    const { secretKey, address } = this.settings.connection();
    this.client ??= new Stripe(secretKey, {
      ...address,
      maxNetworkRetries: RETRIES,
      timeout: TRY_MS,
      telemetry: false,
    });
    return this.client;
  }
}

function required(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new Error('the answer is incomplete');
  return value;
}

/** What may stand in a log: a refused key is repeated in part by the provider's own message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return error instanceof Error ? error.message : 'unknown';
  const { type, code, param, statusCode, requestId } = error;
  const facts = Object.entries({ code, param, status: statusCode, request: requestId }).filter(
    ([, v]) => v !== undefined,
  );
  const message = error instanceof Stripe.errors.StripeAuthenticationError ? '' : `: ${error.message}`;
  return `${type} (${facts.map(([name, value]) => `${name} ${value}`).join(', ')})${message}`;
}
