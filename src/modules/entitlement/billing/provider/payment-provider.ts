import { Deadline } from '../../../../platform/concurrency/index.js';

/**
 * The time limit for all calls of one request together. So the request is answered within 10 seconds even when the
 * provider does not respond.
 */
const ACT_MS = 8_000;

export interface NewCustomer {
  readonly name?: string;
  readonly email?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Two calls with the same key create one customer. */
  readonly idempotencyKey: string;
}

export interface NewCheckout {
  readonly customerId: string;
  readonly priceId: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** The id of the organization or person that pays. */
  readonly reference: string;
  /** The provider attaches these values to the session and to the subscription that results from it. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface CheckoutState {
  readonly id: string;
  /** `open`, `complete` or `expired`; null when the provider does not report it. */
  readonly status: string | null;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  /** Whether the checkout is complete but the payment is still outstanding. */
  readonly isUnpaid: boolean;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface SubscriptionState {
  readonly id: string;
  readonly customerId: string | null;
  /** The provider's name of the status. */
  readonly status: string;
  /**
   * The configured price of the first item that has one, else the price of the first item with a price. Null: no item
   * has a price.
   */
  readonly priceId: string | null;
  /** Null when the provider does not report it. */
  readonly startedAt: Date | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Reports how much of a metered product a customer has used. */
export interface UsageReport {
  /** The provider's name of the meter. */
  readonly meter: string;
  readonly customerId: string;
  /** A whole number. */
  readonly value: number;
  /** Two reports with the same identifier count once. */
  readonly identifier: string;
  /** The time of the usage, at most 35 days ago. */
  readonly at: Date;
}

/**
 * The payment provider, with the calls that this service needs. None of them is made inside a database transaction.
 * Every call throws PaymentNotConfigured without a secret, and PaymentProviderFailed when the provider fails, refuses
 * or does not answer within the deadline.
 */
export abstract class PaymentProvider {
  /** Starts the deadline for all calls of one request. */
  begin(): Deadline {
    return new Deadline(ACT_MS);
  }

  /** Returns false when the customer does not exist or was deleted. */
  abstract hasCustomer(customerId: string, within: Deadline): Promise<boolean>;
  /** @returns the identifier of the customer */
  abstract createCustomer(customer: NewCustomer, within: Deadline): Promise<string>;
  /** Removes the customer with its subscriptions and stored data. A customer that no longer exists is not an error. */
  abstract removeCustomer(customerId: string, within: Deadline): Promise<void>;
  abstract createCheckout(checkout: NewCheckout, within: Deadline): Promise<{ id: string; url: string }>;
  /** Returns the session, with its subscription if it has one. Null: there is no such session. */
  abstract findCheckout(
    id: string,
    within: Deadline,
  ): Promise<{ checkout: CheckoutState; subscription: SubscriptionState | null } | null>;
  /** @returns the URL of the portal */
  abstract createPortalSession(customerId: string, returnUrl: string, within: Deadline): Promise<string>;
  /** Returns the current state of the subscription, or null when there is none. */
  abstract findSubscription(id: string, within: Deadline): Promise<SubscriptionState | null>;
  abstract reportUsage(report: UsageReport, within: Deadline): Promise<void>;
}
