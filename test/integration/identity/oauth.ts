import { describe, expect, it } from '@jest/globals';
import { REDIRECT_URI } from '../../support/oidc-provider.js';
import { app, google } from './policy-service.js';

describe('a service with Google and without Apple', () => {
  it('returns 404 for a start and a login by the provider that is not configured', async () => {
    const unknown = { detail: 'OAuth provider is not configured' };
    const apple = { provider: 'apple', redirect_uri: REDIRECT_URI };
    const login = { ...apple, code: 'x', nonce: 'y'.repeat(16) };
    await app.request().post('/v1/auth/oauth/login').send(login).expect(404, unknown);
    await app.request().post('/v1/auth/oauth/authorize').send(apple).expect(404, unknown);
  });

  it('lists only the provider that is configured', async () => {
    const { body } = await app.request().get('/v1/auth/oauth/providers').expect(200);
    expect(body).toEqual([{ provider: 'google', client_id: google.env.OAUTH_GOOGLE_CLIENT_ID }]);
  });
});
