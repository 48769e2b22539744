import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApiApp, type TestApp } from '../../support/app.js';
import { REDIRECT_URI } from '../../support/oidc-provider.js';

const CLIENT_ID = 'service.apps.example.com';

describe('a service with Google and without Apple', () => {
  let app: TestApp;

  beforeAll(async () => {
    // The service sends no request to a provider before somebody signs in.
    app = await createApiApp({
      env: {
        OAUTH_GOOGLE_CLIENT_ID: CLIENT_ID,
        OAUTH_GOOGLE_CLIENT_SECRET: 'a-client-secret',
        OAUTH_GOOGLE_ISSUER: 'http://127.0.0.1:9',
      },
    });
  });
  afterAll(() => app.close());

  it('returns 404 for a start and a login by the provider that is not configured', async () => {
    const unknown = { detail: 'OAuth provider is not configured' };
    const apple = { provider: 'apple', redirect_uri: REDIRECT_URI };
    const login = { ...apple, code: 'x', nonce: 'y'.repeat(16) };
    await app.request().post('/v1/auth/oauth/login').send(login).expect(404, unknown);
    await app.request().post('/v1/auth/oauth/authorize').send(apple).expect(404, unknown);
  });

  it('lists only the provider that is configured', async () => {
    const { body } = await app.request().get('/v1/auth/oauth/providers').expect(200);
    expect(body).toEqual([{ provider: 'google', client_id: CLIENT_ID }]);
  });
});
