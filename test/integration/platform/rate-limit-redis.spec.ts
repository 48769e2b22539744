import { afterEach, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'supertest';
import { RateLimitStore } from '../../../src/platform/rate-limit/index.js';
import { signedIn } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { describeWithRedis, type RedisServer, startRedis } from '../../support/redis.js';

const OVERRIDES = 'auth-login=3,usage=3/4';

describeWithRedis('a rate limit with a Redis', () => {
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
    // The start waits for Redis no longer than a request does, so on a busy machine limits begin a moment later.
    while (messagesAbout(app).at(-1) === OFF) await delay(20);
    app.logLines.length = 0;
    return app;
  }

  /** An application whose Redis may not answer. */
  async function appBefore(env: Record<string, string>, beside?: TestApp): Promise<TestApp> {
    const { databaseUrl, dataDir } = beside ?? {};
    const app = await createApiApp({ databaseUrl, dataDir, env: { RATE_LIMIT_OVERRIDES: OVERRIDES, ...env } });
    releases.push(() => app.close());
    waitForAnswers(app, 5_000);
    return app;
  }

  /** Sets how long requests wait for Redis. On a busy machine an answer may take longer than they wait by default. */
  function waitForAnswers(app: TestApp, answerLimitMs: number): void {
    const store = Reflect.get(app.nest.get(RateLimitStore), 'store') as RateLimitStore | undefined;
    if (store !== undefined) Object.assign(Reflect.get(store, 'options') as object, { answerLimitMs });
  }

  const login = (app: TestApp) => app.request().post('/v1/auth/login').type('form').send({}) as Promise<Response>;
  const usage = (app: TestApp, bearer: string) =>
    app.request().get('/v1/usage').set('Authorization', bearer) as Promise<Response>;
  const limitsOf = ({ status, headers }: Response): unknown[] => [
    status,
    headers['x-ratelimit-policy'],
    headers['x-ratelimit-limit'],
    headers['x-ratelimit-remaining'],
  ];
  /** The messages in the log about rate limits. */
  const messagesAbout = (app: TestApp): string[] =>
    app.logLines
      .map((line) => (JSON.parse(line) as { message: string }).message)
      .filter((message) => message.startsWith('rate limits'));
  const OFF = 'rate limits are off: their Redis fails';

  async function healthOf(app: TestApp) {
    const { status, body } = await app.request().get('/health');
    const { status: word, checks } = body as { status: string; checks: { redis: string; queue: string } };
    return [status, word, checks.redis, checks.queue];
  }

  it('is counted for all instances together', async () => {
    const { url } = await redisServer();
    const first = await appOn({ RATE_LIMIT_REDIS_URL: url });
    const second = await appOn({ RATE_LIMIT_REDIS_URL: url }, first);
    expect(limitsOf(await login(first))).toEqual([422, 'auth-login', '3', '2']);
    expect(limitsOf(await login(second))).toEqual([422, 'auth-login', '3', '1']);
    const reset = (await login(first)).headers['x-ratelimit-reset'] as string;
    for (const app of [first, second]) {
      const refused = await login(app);
      expect(limitsOf(refused)).toEqual([429, 'auth-login', '3', '0']);
      expect(refused.headers['x-ratelimit-reset']).toBe(reset);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    const { bearer } = await signedIn(await appOn({ RATE_LIMIT_BACKEND: 'memory' }, first));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, one) => usage(one % 2 === 0 ? first : second, bearer)),
    );
    expect(answers.filter((answer) => answer.status === 422)).toHaveLength(4);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(16);
    expect(await healthOf(first)).toEqual([200, 'ok', 'ok', 'ok']);
  });

  it('is counted in the process when RATE_LIMIT_BACKEND is memory, although there is a Redis', async () => {
    const { url } = await redisServer();
    const app = await appOn({ REDIS_URL: url, RATE_LIMIT_BACKEND: 'memory', QUEUE_BACKEND: 'postgres' });
    await login(app);
    const probe = new Redis(url);
    releases.push(() => Promise.resolve(probe.disconnect()));
    // The queue of events uses this Redis too.
    expect((await probe.keys('*')).filter((key) => !key.startsWith('{ingest}'))).toEqual([]);
    expect(limitsOf(await login(app))).toEqual([422, 'auth-login', '3', '1']);
  });
});
