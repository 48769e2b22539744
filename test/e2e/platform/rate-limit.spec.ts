import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { PASSWORD, randomEmail, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp, type TestAppOptions } from '../../support/app.js';
import { failedSignIns } from '../../support/failed-sign-ins.js';

const EXCEEDED = { detail: 'Rate limit exceeded' };

async function withApp(options: TestAppOptions, work: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await createTestApp(options);
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

const loginAt = (app: TestApp, headers: Record<string, string> = {}, path = '/v1/auth/login') =>
  app.request().post(path).set(headers).type('form').send({ username: randomEmail(), password: PASSWORD });

describe('the limit of sign-ins', () => {
  it('is 20 in 5 minutes and address unless configured, and that of registrations 15 in 15 minutes', async () => {
    await withApp({ withRateLimits: true }, async (app) => {
      const login = await app.request().post('/v1/auth/login').type('form').send({}).expect(422);
      expect(limitOf(login)).toEqual(['auth-login', '20', '19']);
      expect(Number(login.headers['x-ratelimit-reset']) - Date.now() / 1000).toBeGreaterThan(290);
      const register = await app.request().post('/v1/auth/register').send({}).expect(422);
      expect(limitOf(register)).toEqual(['auth-register', '15', '14']);
      expect(Number(register.headers['x-ratelimit-reset']) - Date.now() / 1000).toBeGreaterThan(890);
    });
  });

  it('can be set by name, and an override wins', async () => {
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
    app = await createTestApp({
      env: { RATE_LIMIT_OVERRIDES: 'auth-login=3', CORS_ORIGINS: 'https://app.example.com' },
    });
  });
  afterAll(() => app.close());

  it('counts down, then refuses with the time to wait, before it looks at credentials or body', async () => {
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

  it('holds with a query, and its path has no other spelling', async () => {
    await loginAt(app, {}, '/v1/auth/login?x=1').expect(429, EXCEEDED);
    for (const path of ['/V1/Auth/LOGIN', '/v1/auth/login/']) await loginAt(app, {}, path).expect(404);
  });

  it('does not believe a forwarded address that no proxy is trusted to set', async () => {
    for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP'])
      await loginAt(app, { [name]: '203.0.113.9' }).expect(429, EXCEEDED);
  });

  it('lets browsers of permitted origins read its headers, also of a refusal', async () => {
    const { headers } = await loginAt(app, { Origin: 'https://app.example.com' }).expect(429);
    const exposed = (headers['access-control-expose-headers'] ?? '').split(',').map((name) => name.trim());
    const names = ['Policy', 'Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}`);
    expect(exposed).toEqual(expect.arrayContaining([...names, 'Retry-After']));
  });

  it('limits no other route', async () => {
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

it('counts clients behind a trusted proxy apart, whatever port a gateway adds, and admits exactly the limit of parallel ones', async () => {
  await withApp({ env: { RATE_LIMIT_OVERRIDES: 'auth-login=5', TRUST_PROXY: '1' } }, async (app) => {
    const from = (address: string) => loginAt(app, { 'X-Forwarded-For': address });
    const answers = await Promise.all(Array.from({ length: 20 }, () => from('203.0.113.1')));
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(5);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(15);
    await from('203.0.113.2').expect(401);
    // What a client writes in front of the proxy's own entry is not believed.
    await from('198.51.100.7, 203.0.113.1').expect(429);
    for (const spelling of ['203.0.113.1:1', '203.0.113.1:65535', '::ffff:203.0.113.1', '[::FFFF:cb00:7101]:443'])
      await from(spelling).expect(429);
    // What is no address counts as the proxy's.
    const nobody = await Promise.all(Array.from({ length: 6 }, (_, number) => from(`unknown-${number}`)));
    expect(nobody.filter((answer) => answer.status === 429)).toHaveLength(1);
    // A device is told by the address alone.
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

describe('too many wrong passwords', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const tryPassword = (email: string, password: string, on = app) =>
    on.request().post('/v1/auth/login').type('form').send({ username: email, password });
  const LOCKED = { detail: 'Too many failed sign-in attempts' };

  it('lock the address after the 30th, whether or not it has an account, and answer alike', async () => {
    const { email } = await signedIn(app);
    const transcripts: unknown[][] = [];
    for (const address of [email, randomEmail()]) {
      const transcript: unknown[] = [];
      await failedSignIns(app, address, 20);
      for (let one = 0; one < 12; one += 1) {
        const { status, body, headers } = await tryPassword(
          one % 2 === 0 ? address : address.toUpperCase(),
          'wrong-one',
        );
        transcript.push([status, body, Object.keys(headers).sort()]);
      }
      transcripts.push(transcript);
    }
    expect(transcripts[0]).toEqual(transcripts[1]);
    expect(transcripts[0]?.map((entry) => (entry as unknown[])[0])).toEqual([...Array<number>(10).fill(401), 429, 429]);
    const refused = await tryPassword(email, PASSWORD).expect(429, LOCKED);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900);
  });

  it('let no more than the 30th of parallel guesses be compared, on all instances together', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      const { email } = await signedIn(app);
      await failedSignIns(app, email, 20);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, one) => tryPassword(email, `wrong-guess-${one}`, one % 2 === 0 ? app : second)),
      );
      expect(answers.filter((answer) => answer.status === 401)).toHaveLength(10);
      expect(answers.filter((answer) => answer.status === 429)).toHaveLength(30);
      await tryPassword(email, PASSWORD, second).expect(429, LOCKED);
    } finally {
      await second.close();
    }
  });

  it('are forgotten with a right one, and right ones in parallel lock nobody out', async () => {
    const { email } = await signedIn(app);
    await failedSignIns(app, email, 28);
    await tryPassword(email, 'wrong-one').expect(401);
    const answers = await Promise.all(Array.from({ length: 15 }, () => tryPassword(email, PASSWORD)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(15).fill(200));
    await failedSignIns(app, email, 28);
    await tryPassword(email, 'wrong-one').expect(401);
    await tryPassword(email, PASSWORD).expect(200);
  });

  it('are forgotten after 15 minutes, and a lock ends then though it was knocked at', async () => {
    const { email } = await signedIn(app);
    await failedSignIns(app, email, 29);
    await tryPassword(email, 'wrong-one').expect(401);
    await tryPassword(email, PASSWORD).expect(429, LOCKED);
    await app.rows(
      `UPDATE password_attempts SET locked_until = locked_until - interval '15 minutes',
         attempted_at = ARRAY(SELECT t - interval '15 minutes' FROM unnest(attempted_at) t)`,
    );
    await tryPassword(email, 'wrong-one').expect(401);
    await tryPassword(email, PASSWORD).expect(200);
  });

  it('do not count once they are older than 15 minutes', async () => {
    const email = randomEmail();
    await failedSignIns(app, email, 29);
    await app.rows(
      `UPDATE password_attempts SET attempted_at = ARRAY(SELECT t - interval '16 minutes' FROM unnest(attempted_at) t)`,
    );
    await tryPassword(email, 'wrong-one').expect(401);
    await failedSignIns(app, email, 28);
    await tryPassword(email, 'wrong-one').expect(401);
    await tryPassword(email, 'wrong-one').expect(429);
  });

  it('leave other addresses and existing sessions alone, and store no address', async () => {
    const actor = await signedIn(app);
    await failedSignIns(app, actor.email, 29);
    await tryPassword(actor.email, 'wrong-one').expect(401);
    await tryPassword(actor.email, 'wrong-one').expect(429);
    await app.request().get('/v1/auth/me').set('Authorization', actor.bearer).expect(200);
    await app.request().post('/v1/auth/refresh').send({ refresh_token: actor.refreshToken }).expect(200);
    await signedIn(app);
    expect(JSON.stringify(await app.rows('SELECT * FROM password_attempts'))).not.toContain(actor.email);
  });
});

function limitOf({ headers }: Response): unknown[] {
  return ['policy', 'limit', 'remaining'].map((name) => headers[`x-ratelimit-${name}`] as unknown);
}
