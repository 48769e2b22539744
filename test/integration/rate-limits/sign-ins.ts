import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { PASSWORD, randomEmail, signedIn } from '../../support/actors.js';
import { createApiApp, type TestApp, type TestAppOptions } from '../../support/app.js';

const EXCEEDED = { detail: 'Rate limit exceeded' };

async function withApp(options: TestAppOptions, work: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await createApiApp(options);
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

const loginAt = (app: TestApp, headers: Record<string, string> = {}, path = '/v1/auth/login') =>
  app.request().post(path).set(headers).type('form').send({ username: randomEmail(), password: PASSWORD });

describe('the rate limit of sign-ins', () => {
  it('is 20 in 5 minutes of an address unless configured, and that of registrations 15 in 15 minutes', async () => {
    await withApp({ withRateLimits: true }, async (app) => {
      const login = await app.request().post('/v1/auth/login').type('form').send({}).expect(422);
      expect(limitOf(login)).toEqual(['auth-login', '20', '19']);
      expect(Number(login.headers['x-ratelimit-reset']) - Date.now() / 1000).toBeGreaterThan(290);
      const register = await app.request().post('/v1/auth/register').send({}).expect(422);
      expect(limitOf(register)).toEqual(['auth-register', '15', '14']);
      expect(Number(register.headers['x-ratelimit-reset']) - Date.now() / 1000).toBeGreaterThan(890);
    });
  });

  it('has the value of its variable, and that of an override where there is one', async () => {
    const env = {
      AUTH_LOGIN_RATE_LIMIT_IP: '7',
      AUTH_REGISTER_RATE_LIMIT_IP: '8',
      RATE_LIMIT_OVERRIDES: 'auth-login=9',
    };
    await withApp({ withRateLimits: true, env }, async (app) => {
      expect(limitOf(await loginAt(app))).toEqual(['auth-login', '9', '8']);
      expect(limitOf(await app.request().post('/v1/auth/register').send({}))).toEqual(['auth-register', '8', '7']);
    });
  });
});

describe('a limited route', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createApiApp({
      env: { RATE_LIMIT_OVERRIDES: 'auth-login=3,auth-register=1', CORS_ORIGINS: 'https://app.example.com' },
    });
    await register().expect(422);
  });
  afterAll(() => app.close());

  /** A registration. Its only request is used up. */
  const register = (headers: Record<string, string> = {}, path = '/v1/auth/register') =>
    app.request().post(path).set(headers).send({});

  it('counts down, then returns 429 with the time to wait, before it checks credentials and body', async () => {
    const answers: Response[] = [];
    for (let one = 0; one < 3; one += 1) answers.push(await loginAt(app));
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401]);
    expect(answers.map((answer) => answer.headers['x-ratelimit-remaining'])).toEqual(['2', '1', '0']);
    expect(answers.map((answer) => answer.headers['retry-after'])).toEqual([undefined, undefined, undefined]);

    const refused = await loginAt(app).expect(429, EXCEEDED);
    expect(limitOf(refused)).toEqual(['auth-login', '3', '0']);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d{0,2}$/);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(300);
    expect(refused.headers['x-ratelimit-reset']).toMatch(/^\d{10}$/);
    // Without the limit these would be 415, 413 and 422.
    await app.request().post('/v1/auth/login').type('json').send({}).expect(429, EXCEEDED);
    const large = `username=a&password=${'x'.repeat(2_000_000)}`;
    await app.request().post('/v1/auth/login').type('form').send(large).expect(429, EXCEEDED);
    await app.request().post('/v1/auth/login').type('form').send({}).expect(429, EXCEEDED);
  });

  it('is limited with a query too, and has no other spelling', async () => {
    await register({}, '/v1/auth/register?x=1').expect(429, EXCEEDED);
    for (const path of ['/V1/Auth/REGISTER', '/v1/auth/register/']) await register({}, path).expect(404);
  });

  it('ignores a forwarded address when no proxy is trusted', async () => {
    for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP'])
      await register({ [name]: '203.0.113.9' }).expect(429, EXCEEDED);
  });

  it('exposes its headers to browsers of permitted origins, also with a refusal', async () => {
    const { headers } = await register({ Origin: 'https://app.example.com' }).expect(429);
    const exposed = (headers['access-control-expose-headers'] ?? '').split(',').map((name) => name.trim());
    const names = ['Policy', 'Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}`);
    expect(exposed).toEqual(expect.arrayContaining([...names, 'Retry-After']));
  });

  it('leaves other routes without a limit', async () => {
    for (const path of ['/health', '/v1/auth/jwks']) {
      const { headers } = await app.request().get(path).expect(200);
      expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    }
    const wrongMethod = await app.request().get('/v1/auth/login').expect(405);
    expect(wrongMethod.headers).not.toHaveProperty('x-ratelimit-limit');
    const resend = await app.request().post('/v1/auth/resend-verification').send({ email: randomEmail() }).expect(200);
    expect(resend.headers).not.toHaveProperty('x-ratelimit-limit');
  });
});

describe('a client behind a trusted proxy', () => {
  it('has a limit of its own, whatever port a gateway adds, which parallel requests reach exactly', async () => {
    await withApp({ env: { RATE_LIMIT_OVERRIDES: 'auth-login=5', TRUST_PROXY: '1' } }, async (app) => {
      const from = (address: string) => loginAt(app, { 'X-Forwarded-For': address });
      const answers = await Promise.all(Array.from({ length: 20 }, () => from('203.0.113.1')));
      expect(answers.filter((answer) => answer.status === 401)).toHaveLength(5);
      expect(answers.filter((answer) => answer.status === 429)).toHaveLength(15);
      await from('203.0.113.2').expect(401);
      // An entry that a client writes before that of the proxy is ignored.
      await from('198.51.100.7, 203.0.113.1').expect(429);
      for (const spelling of ['203.0.113.1:1', '203.0.113.1:65535', '::ffff:203.0.113.1', '[::FFFF:cb00:7101]:443'])
        await from(spelling).expect(429);
      // An entry that is not an address counts as that of the proxy.
      const nobody = await Promise.all(Array.from({ length: 6 }, (_, number) => from(`unknown-${number}`)));
      expect(nobody.filter((answer) => answer.status === 429)).toHaveLength(1);
      // A session shows the address without the port.
      const { email } = await signedIn(app);
      const { body } = await app
        .request()
        .post('/v1/auth/login')
        .set('X-Forwarded-For', '[2001:DB8::7]:40000')
        .type('form')
        .send({ username: email, password: PASSWORD })
        .expect(200);
      const { access_token: token } = body as { access_token: string };
      const sessions = await app.request().get('/v1/auth/sessions').auth(token, { type: 'bearer' }).expect(200);
      expect(sessions.text).toContain('"ip":"2001:db8::7"');
    });
  });
});

function limitOf({ headers }: Response): unknown[] {
  return ['policy', 'limit', 'remaining'].map((name) => headers[`x-ratelimit-${name}`] as unknown);
}
