import { afterAll, beforeAll } from '@jest/globals';
import { createApiApp, type TestApp } from '../../support/app.js';

/** The application that the suites of a file share. To load and start one takes more processor time than most suites. */
export let app: TestApp;

beforeAll(async () => {
  app = await createApiApp();
});
afterAll(() => app.close());
