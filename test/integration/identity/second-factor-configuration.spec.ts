import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, signedIn } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { post, registrationOptions } from '../../support/second-factors.js';

describe('a service with its own configuration of second factors', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createApiApp({ env: { CREDENTIAL_ENCRYPTION_KEYS: 'disabled', WEBAUTHN_RP_NAME: 'Events' } });
  });
  afterAll(() => app.close());

  it('returns 503 for the setup of an authenticator app while credential encryption is disabled', async () => {
    const actor = await signedIn(app);
    const setup = { current_password: PASSWORD };
    const answer = await post(app, '/v1/account/two-factor/setup', setup, actor.bearer).expect(503);
    expect(answer.body).toEqual({ detail: 'Two-factor setup is unavailable' });
  });

  it('shows the name of WEBAUTHN_RP_NAME to authenticators', async () => {
    const { bearer } = await signedIn(app);
    const { options } = await registrationOptions(app, bearer);
    expect(options).toMatchObject({ rp: { id: 'localhost', name: 'Events' } });
  });
});
