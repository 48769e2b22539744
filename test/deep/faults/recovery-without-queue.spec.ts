import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, INTERNAL_TOKEN, deliveryOf, ruleMatch, runRetries } from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { eventually } from '../../support/service-process.js';
import { describeWithRedis, startRedis } from '../../support/redis.js';
import type { RedisServer } from '../../support/redis-server.mjs';

const NO_RETRIES = { configuration: { retry_policy: { max_attempts: 0 } } };

const HEALTHY = {
  status: 'ok',
  version: '1.0.0',
  checks: { database: 'ok', redis: 'ok', queue: 'ok', workers: 'healthy' },
};

const WITHOUT_REDIS = {
  status: 'degraded',
  version: '1.0.0',
  checks: { database: 'ok', redis: 'down', queue: 'down', workers: 'degraded' },
};

/** Both are answered with 200. The answer may be a second old. */
async function untilHealth(app: TestApp, expected: object): Promise<void> {
  await eventually(
    async () => (await app.request().get('/health').expect(200)).body as unknown,
    (health) => isDeepStrictEqual(health, expected),
  );
}

describeWithRedis('recovery while the queue is down', () => {
  let redis: RedisServer;
  let app: TestApp;
  let receiver: Receiver;

  beforeAll(async () => {
    redis = await startRedis();
    app = await createTestApp({ env: { ...DELIVERY_ENV, REDIS_URL: redis.url } });
    receiver = await startReceiver(400);
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
    await redis.stop();
  });

  it.each([
    [
      'does not answer',
      () => process.kill(redis.pid, 'SIGSTOP'),
      () => Promise.resolve(process.kill(redis.pid, 'SIGCONT')),
    ],
    ['is gone', () => redis.kill9(), () => redis.restart()],
  ])('replays, drains and notifies when Redis %s', async (_, leave, comeBack) => {
    const owner = await ownerWithProject(app);
    const delivery = deliveryOf(app, owner);
    const channel = await delivery.webhook(receiver.url, NO_RETRIES);
    const [replayed, drained] = [
      await ruleMatch(app, owner.projectId, channel),
      await ruleMatch(app, owner.projectId, channel),
    ];
    for (const id of [replayed, drained]) await delivery.until(id, ({ status }) => status === 'failed');
    await app.rows(`UPDATE delivery_attempts SET retry_state = 'dlq' WHERE id = $1`, [drained]);
    receiver.answer(200);
    await leave();
    const replay = await delivery.send('post', `/history/${replayed}/replay`);
    expect([replay.status, replay.body.replay_attempt]).toMatchObject([200, { status: 'sent' }]);
    const drain = await delivery.send('post', `/history/${drained}/dlq-drain`);
    expect([drain.status, drain.body]).toMatchObject([200, { delivery_status: 'sent' }]);
    const id = await ruleMatch(app, owner.projectId, channel);
    expect(await runRetries(app)).toBe(1);
    expect(await delivery.attempt(id)).toMatchObject({ status: 'sent', try_number: 1 });
    // Workers look for what is due by themselves: they are neither well nor failed.
    await untilHealth(app, WITHOUT_REDIS);
    // Whoever looks why sees what the database knows.
    const jobs = await app.request().get('/internal/jobs').set('X-Internal-Token', INTERNAL_TOKEN).expect(200);
    expect(jobs.body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'delivery-retries', due: 0 }),
        expect.objectContaining({ name: 'maintenance', due: null }),
      ]),
    );
    await comeBack();
    await untilHealth(app, HEALTHY);
    const woken = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(woken, ({ status }) => status === 'sent');
    expect(receiver.received.filter(({ body }) => body.includes(owner.projectId))).toHaveLength(6);
    receiver.answer(400);
  });
});
