import { afterAll, beforeAll } from '@jest/globals';
import { createApiApp, type TestApp } from '../../support/app.js';
import { startGoogle, type StandIn } from '../../support/oidc-provider.js';

export const INTERNAL_TOKEN = 'the-token-of-the-jobs';

/** The application that suites share, with a policy for sign-ins and with Google alone. */
export let app: TestApp;
export let google: StandIn;

beforeAll(async () => {
  google = await startGoogle();
  app = await createApiApp({
    env: {
      ...google.env,
      REQUIRE_MFA: 'true',
      REQUIRE_SSO_DOMAINS: 'Acme.example, bücher.example',
      PLATFORM_ADMIN_EMAILS: 'Root@ACME.example',
      INTERNAL_JOB_TOKEN: INTERNAL_TOKEN,
    },
  });
});
afterAll(async () => {
  await app.close();
  await google.close();
});
