import { afterEach, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Response } from 'supertest';
import { RateLimitStore } from '../../../src/platform/rate-limit/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { startTcpGate } from '../../support/fixtures/tcp-gate.js';
import { describeWithRedis, type RedisServer, startRedis } from '../../support/redis.js';

const OVERRIDES = 'auth-login=3,usage=3/4';

describeWithRedis('a rate limit in Redis', () => {
  const releases: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const release of releases.splice(0).reverse()) await release();
  });

  async function redisServer(): Promise<RedisServer> {
    const server = await startRedis();
    releases.push(() => server.stop());
    return server;
  }

  async function appOn(env: Record<string, string>, beside?: TestApp): Promise<TestApp> {
    const app = await appBefore(env, beside);
    // The start waits for Redis no longer than a request does: on a busy machine limits begin a moment later.
    while (said(app).at(-1) === OFF) await delay(20);
    app.logLines.length = 0;
    return app;
  }

  /** Whose Redis may be away. */
  async function appBefore(env: Record<string, string>, beside?: TestApp): Promise<TestApp> {
    const { databaseUrl, dataDir } = beside ?? {};
    const app = await createTestApp({ databaseUrl, dataDir, env: { RATE_LIMIT_OVERRIDES: OVERRIDES, ...env } });
    releases.push(() => app.close());
    waitForAnswers(app, 5_000);
    return app;
  }

  /** How long requests wait for Redis: a busy machine may hold an answer up for longer than they do of themselves. */
  function waitForAnswers(app: TestApp, answerLimitMs: number): void {
    const store = Reflect.get(app.nest.get(RateLimitStore), 'store') as RateLimitStore | undefined;
    if (store !== undefined) Object.assign(Reflect.get(store, 'options') as object, { answerLimitMs });
  }

  const login = (app: TestApp) => app.request().post('/v1/auth/login').type('form').send({}) as Promise<Response>;
  const limitsOf = ({ status, headers }: Response): unknown[] => [
    status,
    headers['x-ratelimit-policy'],
    headers['x-ratelimit-limit'],
    headers['x-ratelimit-remaining'],
  ];
  /** Lines of the log about limits, once each. */
  const said = (app: TestApp): string[] =>
    app.logLines
      .map((line) => (JSON.parse(line) as { message: string }).message)
      .filter((message) => message.startsWith('rate limits'));
  const OFF = 'rate limits are off: their Redis fails';
  const ON = 'rate limits are on again';

  /** The answer may be a second old. */
  async function untilHealth(app: TestApp, expected: unknown[]): Promise<void> {
    await eventually(
      () => healthOf(app),
      (health) => isDeepStrictEqual(health, expected),
    );
  }

  async function healthOf(app: TestApp) {
    const { status, body } = await app.request().get('/health');
    const { status: word, checks } = body as { status: string; checks: { redis: string; queue: string } };
    return [status, word, checks.redis, checks.queue];
  }

  /** Without being asked for its health, which would find out too. */
  async function countsAgain(app: TestApp): Promise<void> {
    while (!said(app).includes(ON)) await delay(20);
  }

  /** A busy machine may hold an answer of Redis up for longer than requests wait: then limits are off for a moment again. */
  const countedLogin = (app: TestApp) =>
    eventually(
      async () => limitsOf(await login(app)),
      (limits) => limits.at(-1) !== '3',
    );

  it('allows every request while Redis is down, reports it once and as degraded, and counts again afterwards', async () => {
    const server = await redisServer();
    const app = await appOn({ RATE_LIMIT_REDIS_URL: server.url });
    for (let one = 0; one < 3; one += 1) await login(app);
    expect((await login(app)).status).toBe(429);

    await server.kill9();
    const before = Math.floor(Date.now() / 1000);
    const answers = await Promise.all(Array.from({ length: 30 }, () => login(app)));
    for (const answer of answers) {
      // As if the bucket were empty.
      expect(limitsOf(answer)).toEqual([422, 'auth-login', '3', '3']);
      expect(Number(answer.headers['x-ratelimit-reset'])).toBeGreaterThanOrEqual(before + 300);
      expect(answer.headers).not.toHaveProperty('retry-after');
    }
    await untilHealth(app, [200, 'degraded', 'down', 'ok']);
    for (let one = 0; one < 10; one += 1) expect((await login(app)).status).toBe(422);
    expect(said(app)).toEqual([OFF]);

    await server.restart();
    await countsAgain(app);
    expect(limitsOf(await login(app))).toEqual([422, 'auth-login', '3', '2']);
    for (let one = 0; one < 2; one += 1) await login(app);
    expect((await login(app)).status).toBe(429);
    await untilHealth(app, [200, 'ok', 'ok', 'ok']);
    expect(said(app)).toEqual([OFF, ON]);
  });

  it('waits only once for a Redis that does not answer, not with every request', async () => {
    const server = await redisServer();
    const gate = await startTcpGate(server.url);
    releases.push(() => gate.shut());
    const app = await appOn({ RATE_LIMIT_REDIS_URL: gate.url });
    await login(app);
    waitForAnswers(app, 100);
    gate.freeze();
    // The gate never opens meanwhile: a request that waited for it would not be answered.
    for (let one = 0; one < 50; one += 1) expect(limitsOf(await login(app))).toEqual([422, 'auth-login', '3', '3']);
    await untilHealth(app, [200, 'degraded', 'down', 'ok']);
    expect(said(app)).toEqual([OFF]);
    waitForAnswers(app, 5_000);
    await gate.open();
    await countsAgain(app);
    expect(limitsOf(await login(app))).toEqual([422, 'auth-login', '3', '1']);
  });

  it('is off while Redis answers but accepts no writes, and on again afterwards', async () => {
    const { url } = await redisServer();
    const app = await appOn({ RATE_LIMIT_REDIS_URL: url });
    const redis = new Redis(url);
    releases.push(() => Promise.resolve(redis.disconnect()));
    await redis.config('SET', 'min-replicas-to-write', '1');
    for (let one = 0; one < 9; one += 1) expect((await login(app)).status).toBe(422);
    await untilHealth(app, [200, 'degraded', 'down', 'ok']);
    await redis.config('SET', 'min-replicas-to-write', '0');
    await countsAgain(app);
    expect(await countedLogin(app)).toEqual([422, 'auth-login', '3', expect.stringMatching(/^[12]$/)]);
    expect(said(app).slice(0, 2)).toEqual([OFF, ON]);
  });

  it('does not keep the service from starting without Redis, and counts once Redis is up', async () => {
    const server = await redisServer();
    await server.kill9();
    const app = await appBefore({ RATE_LIMIT_REDIS_URL: server.url });
    expect(said(app)).toEqual([OFF]);
    expect(limitsOf(await login(app))).toEqual([422, 'auth-login', '3', '3']);
    await server.restart();
    await countsAgain(app);
    expect(limitsOf(await login(app))).toEqual([422, 'auth-login', '3', '2']);
  });

  it('uses the Redis of the queues unless it has its own, and the health reports both', async () => {
    const [queues, limits] = [await redisServer(), await redisServer()];
    const shared = await appOn({ REDIS_URL: queues.url });
    await login(shared);
    const probe = new Redis(queues.url);
    releases.push(() => Promise.resolve(probe.disconnect()));
    expect(await probe.keys('rate-limit:auth-login:*')).toEqual(['rate-limit:auth-login:ip:127.0.0.1']);

    const apart = await appOn({ REDIS_URL: queues.url, RATE_LIMIT_REDIS_URL: limits.url }, shared);
    expect(limitsOf(await login(apart))).toEqual([422, 'auth-login', '3', '2']);
    await untilHealth(apart, [200, 'ok', 'ok', 'ok']);
    await limits.kill9();
    await untilHealth(apart, [200, 'degraded', 'degraded', 'ok']);
    expect((await healthOf(shared))[2]).toBe('ok');
    expect(limitsOf(await login(apart))).toEqual([422, 'auth-login', '3', '3']);
    await limits.restart();
    await countsAgain(apart);
    await untilHealth(apart, [200, 'ok', 'ok', 'ok']);
  });
});
