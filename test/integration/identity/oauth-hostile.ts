import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import { Clock } from '../../../src/platform/clock/index.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { HostileProvider, signingKey } from '../../support/hostile-provider.js';
import { OAuthClient } from '../../support/oauth-client.js';
import { REDIRECT_URI } from '../../support/oidc-provider.js';

const FAILED = { detail: 'OAuth login failed' };
const NOW = Math.floor(Date.now() / 1000);

type Forge = (nonce: string, provider: HostileProvider) => Promise<string> | string;

/** An ID token that is right but for some claims. */
const claiming =
  (changes: Record<string, unknown>): Forge =>
  (nonce, provider) =>
    provider.sign(provider.claims(nonce, changes));

describe('a sign-in by a provider that misbehaves', () => {
  let provider: HostileProvider;
  let app: TestApp;
  let client: OAuthClient;

  beforeAll(async () => {
    provider = await HostileProvider.start();
    app = await createApiApp({ env: provider.env });
    client = new OAuthClient(app, 'google');
  });
  beforeEach(() => {
    provider.reset();
    app.logLines.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  const count = async () =>
    app.rows(
      'SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM sessions), (SELECT count(*) FROM oauth_identities)',
    );

  async function attempt(forge: Forge) {
    const { nonce, code_verifier } = await client.start();
    provider.answer(await forge(nonce, provider));
    return client.login({ code: 'any', nonce, code_verifier });
  }

  it('succeeds when nothing is wrong, so that each refusal below has the cause that its title names', async () => {
    expect((await attempt(claiming({}))).status).toBe(200);
    expect((await attempt((nonce) => provider.sign(provider.claims(nonce, { aud: [provider.clientId] })))).status).toBe(
      200,
    );
    expect((await attempt(claiming({ aud: [provider.clientId, 'x'], azp: provider.clientId }))).status).toBe(200);
  });

  it('keeps the parameters that the authorization endpoint of the provider has itself', async () => {
    expect(new URL((await client.start()).authorization_url).searchParams.get('hd')).toBe('*');
  });

  describe('a sign-in with an ID token', () => {
    it.each<[string, Forge, RegExp]>([
      [
        'is signed by another key under the same id',
        (nonce) => provider.sign(provider.claims(nonce), signingKey(provider.key.kid)),
        /signature/,
      ],
      [
        'has a changed payload',
        async (nonce) => {
          const [header, , signature] = (await provider.sign(provider.claims(nonce))).split('.');
          const payload = Buffer.from(JSON.stringify(provider.claims(nonce, { sub: 'somebody' }))).toString(
            'base64url',
          );
          return `${header ?? ''}.${payload}.${signature ?? ''}`;
        },
        /signature/,
      ],
      ['has no signature', (nonce) => new UnsecuredJWT(provider.claims(nonce)).encode(), /alg/],
      [
        'is signed by HS256 with the public key',
        (nonce) => {
          const { kid, publicKey } = provider.key;
          const secret = createSecretKey(Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }).toString()));
          return new SignJWT(provider.claims(nonce)).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
        },
        /alg/,
      ],
      [
        'is signed by an algorithm that is not allowed',
        (nonce) => {
          const { kid, privateKey } = provider.key;
          return new SignJWT(provider.claims(nonce)).setProtectedHeader({ alg: 'PS256', kid }).sign(privateKey);
        },
        /alg/,
      ],
      ['names another issuer', claiming({ iss: 'https://accounts.example.com' }), /"iss"/],
      ['names no issuer', claiming({ iss: undefined }), /"iss"/],
      ['is for another audience', claiming({ aud: 'another-client' }), /"aud"/],
      [
        'is for several audiences and does not say which may use it',
        claiming({ aud: ['hostile-client', 'x'] }),
        /another party/,
      ],
      ['is made for another party', claiming({ azp: 'another-client' }), /another party/],
      ['has another nonce', claiming({ nonce: 'another' }), /nonce/],
      ['has no nonce', claiming({ nonce: undefined }), /nonce/],
      ['has expired', claiming({ iat: NOW - 300, exp: NOW - 60 }), /"exp"/],
      ['never expires', claiming({ exp: undefined }), /"exp"/],
      ['is not valid yet', claiming({ nbf: NOW + 300 }), /"nbf"/],
      ['is issued in the future', claiming({ iat: NOW + 300, exp: NOW + 600 }), /"iat"/],
      ['was issued long ago', claiming({ iat: NOW - 3600 }), /"iat"/],
      ['does not say when it was issued', claiming({ iat: undefined }), /"iat"/],
      ['has no subject', claiming({ sub: undefined }), /"sub"/],
      ['has a subject that no database can store', claiming({ sub: 'a\u0000b' }), /subject/],
      ['has an empty subject', claiming({ sub: '' }), /subject/],
      ['is not an ID token at all', () => 'x.y.z', /ID token/],
    ])('returns 401 when the token %s', async (_, forge, cause) => {
      const before = await count();
      const answer = await attempt(forge);
      expect([answer.status, answer.body]).toEqual([401, FAILED]);
      expect(await count()).toEqual(before);
      const line = app.logLines.find((text) => text.includes('login by google failed')) ?? '{}';
      expect((JSON.parse(line) as { message: string }).message).toMatch(cause);
    });
  });

  it('creates an account without a name when the provider gives a name that cannot be stored', async () => {
    expect((await attempt(claiming({ name: 'A\u0000da' }))).status).toBe(200);
  });

  it.each([
    ['without a code_verifier', { code_verifier: undefined }],
    ['with another code_verifier', { code_verifier: 'x'.repeat(43) }],
    ['with another redirect_uri', { redirect_uri: `${REDIRECT_URI}/x` }],
    ['with another state', { state: 'x' }],
    ['with another issuer', { iss: 'https://accounts.example.com' }],
  ])('returns 401 %s before the provider, which would accept the login, is contacted', async (_, change) => {
    const { nonce, code_verifier } = await client.start();
    provider.answer(await provider.sign(provider.claims(nonce)));
    provider.requested.length = 0;
    await client.login({ code: 'any', nonce, code_verifier, ...change }).expect(401, FAILED);
    expect(provider.requested).not.toContain('/token');
  });

  it('returns 401 for a nonce that looks like a nonce of the service, and that no start returned', async () => {
    const nonce = `${(await client.start()).nonce}x`;
    provider.answer(await provider.sign(provider.claims(nonce)));
    await client.login({ code: 'any', nonce }).expect(401, FAILED);
  });

  describe('a sign-in with the keys of the provider', () => {
    it('keeps the keys, fetches them again for an unknown key, and not for every token', async () => {
      const clock = app.nest.get(Clock);
      const later = jest.spyOn(clock, 'now');
      try {
        await attempt(claiming({}));
        const before = provider.keyFetches;
        await attempt(claiming({}));
        expect(provider.keyFetches).toBe(before);

        const second = signingKey();
        const byIt = (nonce: string) => provider.sign(provider.claims(nonce), second);
        provider.publish(provider.key, second);
        expect((await attempt(byIt)).status).toBe(200);
        expect((await attempt(claiming({}))).status).toBe(200);
        expect(provider.keyFetches).toBe(before + 1);

        const stranger = signingKey();
        const byStranger = (nonce: string) => provider.sign(provider.claims(nonce), stranger);
        for (let i = 0; i < 3; i += 1) expect((await attempt(byStranger)).status).toBe(401);
        expect(provider.keyFetches).toBe(before + 1);

        provider.publish(stranger);
        later.mockImplementation(() => new Date(Date.now() + 31_000));
        const answers = await Promise.all(
          Array.from({ length: 3 }, async () => {
            const { nonce, code_verifier } = await client.start();
            return { nonce, code_verifier, token: await byStranger(nonce) };
          }),
        );
        for (const { token, ...body } of answers) {
          provider.answer(token);
          await client.login({ code: 'any', ...body }).expect(200);
        }
        expect(provider.keyFetches).toBe(before + 2);
        expect((await attempt(byIt)).status).toBe(401);

        // A withdrawn key is believed no longer than an hour.
        provider.publish(provider.key);
        later.mockImplementation(() => new Date(Date.now() + 3_700_000));
        const soon = { iat: NOW + 3_700, exp: NOW + 4_000 };
        expect((await attempt((nonce) => provider.sign(provider.claims(nonce, soon), stranger))).status).toBe(401);
        expect((await attempt(claiming(soon))).status).toBe(200);
      } finally {
        later.mockRestore();
        provider.reset();
      }
    });
  });

  describe('a sign-in with one code', () => {
    it('succeeds once with a nonce of the client, even if the provider accepts the code again and again', async () => {
      const nonce = randomBytes(16).toString('hex');
      const claims = provider.claims(nonce);
      provider.answer(await provider.sign(claims));
      const login = () => client.login({ code: 'any', nonce });
      const answers = await Promise.all(Array.from({ length: 20 }, login));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(401)]);
      await login().expect(401, FAILED);
      const sessions = await app.rows(
        `SELECT 1 FROM sessions s JOIN oauth_identities i ON i.user_id = s.user_id WHERE i.subject = $1`,
        [claims['sub']],
      );
      expect(sessions).toHaveLength(1);
    });
  });
});
