import { afterAll, beforeAll } from '@jest/globals';
import { createApiApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV } from '../../support/delivery.js';

/** The application with encryption that the suites share. To load and start one takes more processor time than most suites. */
export let app: TestApp;
/** Another instance on the same database, without encryption. */
export let off: TestApp;

beforeAll(async () => {
  app = await createApiApp({ env: DELIVERY_ENV });
  off = await createApiApp({
    env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled', WEBAUTHN_RP_NAME: 'Events' },
    databaseUrl: app.databaseUrl,
    dataDir: app.dataDir,
  });
});
afterAll(async () => {
  await off.close();
  await app.close();
});
