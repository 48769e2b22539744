import { afterAll, beforeAll } from '@jest/globals';
import { createApiApp, type TestApp } from '../../support/app.js';
import { PaymentStandIn } from '../../support/payment-provider.js';
import { ADMIN, type Billing, INTERNAL_TOKEN } from './billing/billing.js';
import { describeCheckouts } from './billing/checkout.js';
import { describeBillingStatus } from './billing/status.js';
import { describeStorageOverage } from './billing/storage-overage.js';
import { describePaymentEvents } from './billing/webhook.js';

let provider: PaymentStandIn;
let app: TestApp;

beforeAll(async () => {
  provider = await PaymentStandIn.start();
  app = await createApiApp({
    env: {
      ...provider.env,
      ENABLE_BILLING_ADMIN: 'true',
      INTERNAL_JOB_TOKEN: INTERNAL_TOKEN,
      PLATFORM_ADMIN_EMAILS: ADMIN,
      PUBLIC_APP_URL: 'https://front.example.com/',
      STORAGE_LIMITS: 'free=1MB/1MB/2MB,pro=1MB/1MB/2MB',
      STORAGE_METERED_BILLING_ENABLED: 'true',
    },
  });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

// The suites share the service, because a start takes two seconds of processor time.
const billing = (): Billing => ({ app, provider });
describeBillingStatus(billing);
describeCheckouts(billing);
describePaymentEvents(billing);
describeStorageOverage(billing);
