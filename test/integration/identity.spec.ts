import { afterAll, beforeAll } from '@jest/globals';
import { createApiApp, type TestApp } from '../support/app.js';
import { describeAccounts, TOKEN } from './identity/account.js';
import { describeSessions, pem } from './identity/sessions.js';
import { describeTrustedDevices } from './identity/trusted-devices.js';

const key = pem();
let app: TestApp;

beforeAll(async () => {
  app = await createApiApp({ env: { INTERNAL_JOB_TOKEN: TOKEN, JWT_PRIVATE_KEYS: key } });
});
afterAll(() => app.close());

const service = (): TestApp => app;
describeAccounts(service);
describeSessions(service, key);
describeTrustedDevices(service);
