import { afterAll, beforeAll } from '@jest/globals';
import { createApiApp, type TestApp } from '../support/app.js';
import { HostileProvider } from '../support/hostile-provider.js';
import { describeApiKeys } from './two-instances/api-keys.js';
import { describeChanges } from './two-instances/changes.js';
import { describeEventSources } from './two-instances/event-sources.js';
import { describeEventStreams } from './two-instances/event-streams.js';
import type { Instances } from './two-instances/instances.js';
import { describeSessions } from './two-instances/sessions.js';

let provider: HostileProvider;
let app: TestApp;
let second: TestApp;

beforeAll(async () => {
  provider = await HostileProvider.start();
  const env = {
    OIDC_ACME_ISSUER: provider.origin,
    OIDC_ACME_CLIENT_ID: provider.clientId,
    OIDC_ACME_CLIENT_SECRET: provider.clientSecret,
    OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
  };
  app = await createApiApp({ env });
  second = await createApiApp({ env, databaseUrl: app.databaseUrl, dataDir: app.dataDir });
});
afterAll(async () => {
  await second.close();
  await app.close();
  await provider.close();
});

// The suites share the two instances, because a start takes two seconds of processor time.
const instances = (): Instances => ({ app, second, provider });
describeApiKeys(instances);
describeChanges(instances);
describeEventSources(instances);
describeEventStreams(instances);
describeSessions(instances);
