import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV } from '../../support/delivery.js';

/** The application that all suites of a file share. To load and start one takes more processor time than most suites. */
export let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ env: DELIVERY_ENV });
});
// The counts of due work include what earlier tests have left.
beforeEach(() => app.rows('TRUNCATE delivery_attempts, alert_deliveries CASCADE'));
afterAll(() => app.close());
