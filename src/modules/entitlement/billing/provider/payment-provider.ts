import { Deadline } from '../../../../platform/concurrency/index.js';

/** So that every act is answered within 10 seconds, whatever the provider does. */
const ACT_MS = 8_000;

export interface NewCustomer {
  readonly name?: string;
  readonly email?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Two calls with one key make one customer. */
  readonly idempotencyKey: string;
}

export interface NewCheckout {
  readonly customerId: string;
  readonly priceId: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Whose checkout it is: an organization's or a person's id. */
  readonly reference: string;
  /** On the session and on the subscription that comes of it. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface CheckoutState {
  readonly id: string;
  /** `open`, `complete` or `expired`; null: the provider does not say. */
  readonly status: string | null;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  /** Complete, while the payment itself is still to come. */
  readonly isUnpaid: boolean;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface SubscriptionState {
  readonly id: string;
  readonly customerId: string | null;
  /** As the provider calls it. */
  readonly status: string;
  /** Of the first item with a price that is configured, else of the first item; null: no item has one. */
  readonly priceId: string | null;
  /** Null: the provider does not say. */
  readonly startedAt: Date | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What a customer has used of something that is billed by the amount. */
export interface UsageReport {
  /** The provider's name of what is counted. */
  readonly meter: string;
  readonly customerId: string;
  /** A whole number. */
  readonly value: number;
  /** Two reports with one identifier count once. */
  readonly identifier: string;
  /** When it was used; at most 35 days ago. */
  readonly at: Date;
}

/**
 * The payment provider, as far as this service needs it. No call of it is made inside a database transaction.
 * Every call throws PaymentNotConfigured without a secret, and PaymentProviderFailed when the provider fails, refuses
 * or does not answer within the deadline.
 */
export abstract class PaymentProvider {
  /** The time of one act of a caller. */
  begin(): Deadline {
    return new Deadline(ACT_MS);
  }

  /** False: there is no such customer, or not any more. */
  abstract hasCustomer(customerId: string, within: Deadline): Promise<boolean>;
  /** @returns its identifier */
  abstract createCustomer(customer: NewCustomer, within: Deadline): Promise<string>;
  /** With what it pays and what is kept of it there; one that is gone already is no fault. */
  abstract removeCustomer(customerId: string, within: Deadline): Promise<void>;
  abstract createCheckout(checkout: NewCheckout, within: Deadline): Promise<{ id: string; url: string }>;
  /** Null: there is no such session. The subscription comes along where it is known. */
  abstract findCheckout(
    id: string,
    within: Deadline,
  ): Promise<{ checkout: CheckoutState; subscription: SubscriptionState | null } | null>;
  /** @returns its address */
  abstract createPortalSession(customerId: string, returnUrl: string, within: Deadline): Promise<string>;
  /** As it is now; null: there is no such subscription. */
  abstract findSubscription(id: string, within: Deadline): Promise<SubscriptionState | null>;
  abstract reportUsage(report: UsageReport, within: Deadline): Promise<void>;
}
