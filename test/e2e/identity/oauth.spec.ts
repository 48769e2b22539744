import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { OAuthClient, type Tokens } from '../../support/oauth-client.js';
import { REDIRECT_URI, type StandIn, startApple, startGoogle } from '../../support/oidc-provider.js';

const FAILED = { detail: 'OAuth login failed' };

describe('sign-in by Google and Apple', () => {
  let app: TestApp;
  let google: StandIn;
  let apple: StandIn;
  let viaGoogle: OAuthClient;
  let viaApple: OAuthClient;

  beforeAll(async () => {
    google = await startGoogle();
    apple = await startApple();
    app = await createTestApp({ env: { ...google.env, ...apple.env } });
    [viaGoogle, viaApple] = [new OAuthClient(app, 'google'), new OAuthClient(app, 'apple')];
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([google.close(), apple.close()]);
  });

  const accountsOf = (email: string) =>
    app.rows('SELECT password_hash, name FROM users WHERE email_key = $1 AND email_verified_at IS NOT NULL', [
      email.toLowerCase(),
    ]);

  describe('the start', () => {
    it('lists the providers that are on with their client identifiers', async () => {
      const { body } = await app.request().get('/v1/auth/oauth/providers').expect(200);
      expect(body).toEqual([
        { provider: 'google', client_id: google.clientId },
        { provider: 'apple', client_id: apple.clientId },
      ]);
    });

    it('gives out an authorization URL with state, nonce and an S256 challenge', async () => {
      const start = await viaGoogle.start();
      const url = new URL(start.authorization_url);
      expect(url.origin).toBe(google.issuer);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        response_type: 'code',
        client_id: google.clientId,
        redirect_uri: REDIRECT_URI,
        scope: 'openid email profile',
        state: start.state,
        nonce: start.nonce,
        code_challenge: createHash('sha256').update(start.code_verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      expect(start.code_verifier).toMatch(/^[\w-]{43}$/);
      expect(new Set([start.state, start.nonce, start.code_verifier, (await viaGoogle.start()).nonce]).size).toBe(4);
    });

    it('asks Apple for a form post, without which it gives no name and address', async () => {
      const { searchParams } = new URL((await viaApple.start()).authorization_url);
      expect(searchParams.get('response_mode')).toBe('form_post');
      expect(searchParams.get('scope')).toBe('openid name email');
    });

    it('stores hashes alone', async () => {
      const start = await viaGoogle.start();
      const stored = JSON.stringify(await app.rows('SELECT t::text FROM oauth_starts t'));
      const texts = [start.state, start.nonce, start.code_verifier];
      expect(stored).toContain(createHash('sha256').update(start.nonce).digest('hex'));
      for (const text of texts) expect(stored).not.toContain(Buffer.from(text).toString('hex'));
      for (const text of texts) expect(stored).not.toContain(text);
    });

    it.each([
      ['another provider', { provider: 'github' }, 'provider'],
      ['a relative redirect_uri', { redirect_uri: '/callback' }, 'redirect_uri'],
      ['a redirect_uri with a fragment', { redirect_uri: `${REDIRECT_URI}#x` }, 'redirect_uri'],
    ])('refuses %s', async (_, change, field) => {
      const body = { provider: 'google', redirect_uri: REDIRECT_URI, ...change };
      const answer = await app.request().post('/v1/auth/oauth/authorize').send(body).expect(422);
      expect((answer.body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc)).toEqual([['body', field]]);
    });
  });

  describe('a login', () => {
    const other = randomBytes(32).toString('base64url');

    it.each([
      ['without the code_verifier', { code_verifier: undefined }, 'another code_verifier'],
      ['with another code_verifier', { code_verifier: other }, 'another code_verifier'],
      ['with another state', { state: other }, 'another state'],
      ['with another redirect_uri', { redirect_uri: `${REDIRECT_URI}/x` }, 'another redirect_uri'],
      ['with another provider', { provider: 'apple' }, 'another provider'],
      ['with another issuer in the callback', { iss: 'https://accounts.example.com' }, 'another issuer'],
      ['with another code', { code: other }, '400 invalid_grant'],
    ])('%s fails and uses the nonce up', async (_, change, cause) => {
      const { subject, email } = google.addPerson();
      const body = await viaGoogle.ready(google, subject);
      app.logLines.length = 0;
      await viaGoogle.login({ ...body, ...change }).expect(401, FAILED);
      expect(app.logLines.join('')).toContain(cause);
      await viaGoogle.login(body).expect(401, FAILED);
      expect(await accountsOf(email)).toEqual([]);
    });

    it('fails with the nonce of another start, and with one whose time is over', async () => {
      const { subject } = google.addPerson();
      const body = await viaGoogle.ready(google, subject);
      const { nonce, code_verifier } = await viaGoogle.start();
      await viaGoogle.login({ ...body, nonce, code_verifier, state: undefined }).expect(401, FAILED);
      await app.rows('UPDATE oauth_starts SET expires_at = now()');
      await viaGoogle.login(body).expect(401, FAILED);
    });

    it('needs neither state nor issuer, and takes a nonce once', async () => {
      const { subject } = google.addPerson();
      const { code, nonce, code_verifier } = await viaGoogle.ready(google, subject);
      await viaGoogle.login({ code, nonce, code_verifier }).expect(200);
      await viaGoogle.login({ code, nonce, code_verifier }).expect(401, FAILED);
    });

    it('takes a nonce of 1 to 512 characters', async () => {
      for (const nonce of ['y', 'y'.repeat(512)]) await viaGoogle.login({ code: 'x', nonce }).expect(401, FAILED);
      for (const [nonce, type] of [
        ['', 'string_too_short'],
        ['y'.repeat(513), 'string_too_long'],
      ]) {
        const answer = await viaGoogle.login({ code: 'x', nonce }).expect(422);
        expect((answer.body as { detail: object[] }).detail).toMatchObject([{ type, loc: ['body', 'nonce'] }]);
      }
    });

    it.each([
      ['[]', 'dict_type'],
      ['"Ada"', 'dict_type'],
      ['null', 'dict_type'],
      ['{"name"', 'json_invalid'],
      ['', 'json_invalid'],
      [`{"a":"${'x'.repeat(9_000)}"}`, 'string_too_long'],
      [[], 'dict_type'],
      [7, 'dict_type'],
    ])('refuses %j as user object', async (raw_user, type) => {
      const answer = await viaGoogle.login({ code: 'x', nonce: 'y', raw_user }).expect(422);
      expect((answer.body as { detail: object[] }).detail).toMatchObject([{ type, loc: ['body', 'raw_user'] }]);
    });

    it.each(['code', 'redirect_uri', 'nonce', 'provider'])('needs a %s', async (field) => {
      const answer = await viaGoogle.login({ code: 'x', nonce: 'y'.repeat(16), [field]: undefined }).expect(422);
      expect(answer.body).toMatchObject({ detail: [{ type: 'missing', loc: ['body', field] }] });
    });

    it('shows nothing of what was sent in the answer and the log', async () => {
      const { subject } = google.addPerson();
      const body = await viaGoogle.ready(google, subject);
      const tokens = (await viaGoogle.login(body).expect(200)).body as Tokens;
      await viaGoogle.login(body).expect(401);
      const answer = await viaGoogle.login({ ...body, code: 'c'.repeat(5000), code_verifier: 'v-short' }).expect(422);
      const secrets = [body['code'], body['nonce'], body['code_verifier'], body['state'], tokens.refresh_token];
      const said = app.logLines.join('') + answer.text;
      for (const secret of [...secrets, google.env['OAUTH_GOOGLE_CLIENT_SECRET'], 'v-short', 'c'.repeat(50)]) {
        expect(said).not.toContain(secret);
      }
      expect(said).toContain('login by google failed: the start is unknown, used or expired');
    });
  });

  it('forgets starts and nonces once their time is over', async () => {
    await viaGoogle.start();
    await app.rows('UPDATE oauth_starts SET expires_at = now()');
    await app.rows(`INSERT INTO oauth_used_nonces (nonce_hash, expires_at) VALUES ('\\x00', now())`);
    const { nonce } = await viaGoogle.start();
    await app.nest.get(MaintenanceRunner, { strict: false }).run();
    expect(await app.rows('SELECT nonce_hash FROM oauth_starts')).toEqual([
      { nonce_hash: createHash('sha256').update(nonce).digest() },
    ]);
    expect(await app.rows('SELECT 1 FROM oauth_used_nonces WHERE expires_at < now()')).toEqual([]);
  });

  describe('a client with a nonce of its own', () => {
    it('signs in without state and code_verifier, once', async () => {
      const { subject, email } = apple.addPerson();
      const nonce = randomBytes(16).toString('hex');
      const ready = async () => {
        const url = new URL((await viaApple.start()).authorization_url);
        for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name);
        url.searchParams.set('nonce', nonce);
        const { parameters } = await apple.signIn(url.toString(), subject);
        return { code: parameters['code'], nonce };
      };
      const first = await ready();
      await viaApple.login(first).expect(200);
      await viaApple.login(first).expect(401, FAILED);
      expect(app.logLines.join('')).toContain('login by apple failed: token endpoint: answered 400 invalid_grant');
      await viaApple.login(await ready()).expect(401, FAILED);
      expect(app.logLines.join('')).toContain('login by apple failed: the nonce was used before');
      expect(await accountsOf(email)).toHaveLength(1);
    });

    it('brings the verifier of a challenge of its own', async () => {
      const { subject } = google.addPerson();
      const url = new URL((await viaGoogle.start()).authorization_url);
      const code_verifier = randomBytes(48).toString('base64url');
      url.searchParams.set('nonce', 'a-nonce-of-my-own');
      url.searchParams.set('code_challenge', createHash('sha256').update(code_verifier).digest('base64url'));
      const { parameters } = await google.signIn(url.toString(), subject);
      await viaGoogle.login({ code: parameters['code'], nonce: 'a-nonce-of-my-own', code_verifier }).expect(200);
    });
  });

  describe('races', () => {
    it('let one of 20 logins with one code win', async () => {
      const { subject } = google.addPerson();
      const body = await viaGoogle.ready(google, subject);
      const answers = await Promise.all(Array.from({ length: 20 }, () => viaGoogle.login(body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(401)]);
    });
  });
});
