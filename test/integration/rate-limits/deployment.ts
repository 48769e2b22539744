import { afterAll, beforeAll } from '@jest/globals';
import { createApiApp, type TestApp } from '../../support/app.js';

/** The application that suites share, with the rate limits of a deployment behind a proxy. */
export let app: TestApp;

beforeAll(async () => {
  app = await createApiApp({ withRateLimits: true, env: { TRUST_PROXY: '1' } });
});
afterAll(() => app.close());
