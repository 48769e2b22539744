import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { discover } from '../../../src/modules/identity/oauth/providers/discovery.js';
import { requestJson } from '../../../src/modules/identity/oauth/providers/provider-http.js';
import { Clock } from '../../../src/platform/clock/index.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { type Answer, HostileProvider, json } from '../../support/hostile-provider.js';
import { OAuthClient } from '../../support/oauth-client.js';
import { REDIRECT_URI } from '../../support/oidc-provider.js';

const FAILED = { detail: 'OAuth login failed' };

const page: Answer = (response) => void response.end('<h1>Down for maintenance</h1>');
const hangUp: Answer = (response) => void response.destroy();
const silence: Answer = () => undefined;
const stopHalfway: Answer = (response) => void response.writeHead(200).write('{"id_token": "');
const redirect: Answer = (response) => void response.writeHead(307, { Location: '/elsewhere' }).end();
const endless: Answer = async (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  while (!response.destroyed) {
    if (response.writableLength < 1024 * 1024) response.write(' '.repeat(64 * 1024));
    await pause(1);
  }
};

describe('a sign-in by a provider that is out of order', () => {
  let provider: HostileProvider;
  let app: TestApp;
  let client: OAuthClient;
  /** Hours that the service's clock is ahead; each forgets what it knows of the provider. */
  let hoursAhead = 0;

  beforeAll(async () => {
    provider = await HostileProvider.start();
    app = await createApiApp({ env: provider.env });
    client = new OAuthClient(app, 'google');
    jest.spyOn(app.nest.get(Clock), 'now').mockImplementation(() => new Date(Date.now() + hoursAhead * 3_600_000));
  });
  beforeEach(() => {
    provider.reset();
    provider.requested.length = 0;
    app.logLines.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  /** The line of the log about it, which holds nothing that was secret. */
  async function failedLogin(): Promise<string> {
    const { nonce, code_verifier } = await client.start();
    const code = 'code-of-the-test';
    await client.login({ code, nonce, code_verifier }).expect(401, FAILED);
    const lines = app.logLines.join('');
    for (const secret of [code, nonce, code_verifier, provider.clientSecret]) expect(lines).not.toContain(secret);
    return app.logLines.find((line) => line.includes('login by google failed')) ?? '';
  }

  it.each<[string, Answer, RegExp]>([
    [
      'refuses the code',
      json({ error: 'invalid_grant', error_description: 'code-of-the-test' }, 400),
      /400 invalid_grant/,
    ],
    ['fails', json({ error: 'x'.repeat(200) }, 500), /500 without an ID token/],
    ['shows a page', page, /200 without an ID token/],
    ['sends a list', json([{ id_token: 'x' }]), /200 without an ID token/],
    ['sends no ID token', json({ access_token: 'x' }), /200 without an ID token/],
    ['sends an ID token that is no text', json({ id_token: { x: 1 } }), /200 without an ID token/],
    ['sends an ID token with a failure', json({ id_token: 'x.y.z' }, 400), /400 without an ID token/],
    ['hangs up', hangUp, /token endpoint: fetch failed \(UND_ERR_SOCKET\)/],
    ['never stops sending', endless, /larger than 262144 bytes/],
  ])('returns 401 when the token endpoint %s', async (_, answer, cause) => {
    provider.token = answer;
    expect(await failedLogin()).toMatch(cause);
  });

  it('stops waiting for a token endpoint that does not answer, or does not end its answer', async () => {
    provider.token = silence;
    const first = failedLogin();
    while (!provider.requested.includes('/token')) await pause(5);
    provider.token = stopHalfway;
    const second = failedLogin();
    for (const line of await Promise.all([first, second])) expect(line).toContain('no answer in time');
  });

  it('follows no redirect, which would send the client secret to another address', async () => {
    provider.token = redirect;
    expect(await failedLogin()).toMatch(/307 without an ID token/);
    expect(provider.requested).not.toContain('/elsewhere');
  });

  it.each<[string, Answer, RegExp]>([
    ['are answered with a failure', json({}, 500), /provider keys: answered 500/],
    ['are a page', page, /provider keys: answered 200 without keys/],
    ['are no list', json({ keys: {} }), /without keys/],
    ['are malformed', json({ keys: [{ kty: 'RSA', kid: 'k', n: '!', e: 5 }, null] }), /JSON Web Key Set malformed/],
    ['cannot be used', json({ keys: [{ kty: 'RSA', alg: 'RS256', n: '', e: '' }] }), /ID token refused/],
  ])('returns 401 when the keys %s', async (_, answer, cause) => {
    hoursAhead += 2;
    provider.keys = answer;
    const { nonce, code_verifier } = await client.start();
    provider.answer(await provider.sign(provider.claims(nonce)));
    await client.login({ code: 'x', nonce, code_verifier }).expect(401, FAILED);
    expect(app.logLines.find((line) => line.includes('login by google failed'))).toMatch(cause);
  });

  it.each<[string, () => Answer]>([
    ['fails', () => json({}, 500)],
    ['is a page', () => page],
    ['redirects', () => redirect],
    ['hangs up', () => hangUp],
    ['is that of another issuer', () => json({ ...provider.metadata, issuer: 'https://accounts.example.com' })],
    ['names no issuer', () => json({ ...provider.metadata, issuer: undefined })],
    ['names no token endpoint', () => json({ ...provider.metadata, token_endpoint: undefined })],
    ['names keys in a file', () => json({ ...provider.metadata, jwks_uri: 'file:///etc/passwd' })],
  ])('returns 401 when the OpenID configuration %s, and starts after that is over', async (_, answer) => {
    hoursAhead += 2;
    provider.discovery = answer();
    const body = { provider: 'google', redirect_uri: REDIRECT_URI };
    await app.request().post('/v1/auth/oauth/authorize').send(body).expect(401, FAILED);
    await client.login({ code: 'x', nonce: 'y'.repeat(16) }).expect(401, FAILED);
    expect(app.logLines.join('')).toContain('no start with google: OpenID configuration');
    provider.reset();
    await client.start();
  });

  it('requests the OpenID configuration once for ten starts at the same time', async () => {
    hoursAhead += 2;
    await Promise.all(Array.from({ length: 10 }, () => client.start()));
    expect(provider.requested).toEqual(['/.well-known/openid-configuration']);
  });

  it('accepts endpoints without TLS outside production only', async () => {
    await expect(discover(provider.origin, true)).rejects.toThrow('authorization_endpoint is not usable');
    expect(await discover(`${provider.origin}/`, false)).toMatchObject({ issuer: provider.origin });
  });

  it('aborts the download of an answer that is too large', async () => {
    const closed = new Promise<void>((resolve) => {
      provider.token = (response, form) => {
        response.on('close', resolve);
        return endless(response, form);
      };
    });
    const request = { what: 'endpoint', maxBytes: 1024 };
    await expect(requestJson(new URL(`${provider.origin}/token`), request)).rejects.toThrow('larger than 1024 bytes');
    await closed;
  });
});
