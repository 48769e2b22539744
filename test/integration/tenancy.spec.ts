import { afterAll, beforeAll } from '@jest/globals';
import { createApiApp, type TestApp } from '../support/app.js';
import { describeCompanyDiscovery } from './tenancy/company-discovery.js';
import { describeInvitations } from './tenancy/invitations.js';
import { describeMaskedProperties } from './tenancy/masked-properties.js';

let app: TestApp;

beforeAll(async () => {
  // Without workers, maintenance runs only when a test runs it.
  app = await createApiApp();
});
afterAll(() => app.close());

const service = (): TestApp => app;
describeCompanyDiscovery(service);
describeInvitations(service);
describeMaskedProperties(service);
