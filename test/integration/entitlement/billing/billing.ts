import type { TestApp } from '../../../support/app.js';
import type { PaymentStandIn } from '../../../support/payment-provider.js';

/** The address of the account that administers the platform. */
export const ADMIN = 'root@example.com';
export const INTERNAL_TOKEN = 'internal-token-of-the-billing-suites';

/** A service that sells plans, and the payment provider of it. */
export interface Billing {
  readonly app: TestApp;
  readonly provider: PaymentStandIn;
}
