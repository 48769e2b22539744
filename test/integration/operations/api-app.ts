import { afterAll, beforeAll } from '@jest/globals';
import { createApiApp, type TestApp } from '../../support/app.js';

/** The application that suites share, with the usual settings. */
export let app: TestApp;

beforeAll(async () => {
  app = await createApiApp();
});
afterAll(() => app.close());
