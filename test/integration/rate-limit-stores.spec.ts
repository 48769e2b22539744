import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { randomBytes } from 'node:crypto';
import { FixedClock, SystemClock } from '../../src/platform/clock/index.js';
import {
  FailOpenStore,
  MemoryRateLimitStore,
  type RateLimitStore,
  RedisRateLimitStore,
} from '../../src/platform/rate-limit/index.js';
import { Logger } from '../../src/platform/telemetry/index.js';
import { describeWithRedis, hasRedis, testRedisUrl } from '../support/redis.js';

const START = Date.UTC(2026, 0, 15, 12);
/** Long, so that no key of a simulated window leaves Redis while a test runs. */
const WINDOW = 600_000;

const open: RateLimitStore[] = [];

async function redisStore(now?: () => number): Promise<RedisRateLimitStore> {
  // Patient, since a busy machine is no fault here.
  const store = new RedisRateLimitStore({ url: testRedisUrl(), answerLimitMs: 20_000, now });
  open.push(store);
  await store.connect();
  return store;
}

const newBucket = (): string => `test:${randomBytes(6).toString('hex')}`;

afterEach(() => {
  for (const store of open.splice(0)) store.close();
});

type StoreOn = (clock: FixedClock) => Promise<RateLimitStore>;
const IN_MEMORY: [string, StoreOn] = ['in memory', (clock) => Promise.resolve(new MemoryRateLimitStore(clock))];
const IN_REDIS: [string, StoreOn] = ['in Redis', (clock) => redisStore(() => clock.now().getTime())];

describe.each(hasRedis ? [IN_MEMORY, IN_REDIS] : [IN_MEMORY])('a store of rate limits %s', (_, storeOn) => {
  it('decides every sequence of requests as a plain count over the window does', async () => {
    const clock = new FixedClock(START);
    const store = await storeOn(clock);
    const steps = fc.array(
      fc.record({
        wait: fc.oneof(fc.constant(0), fc.constant(1), fc.nat({ max: 0.7 * WINDOW })),
        burst: fc.integer({ min: 1, max: 8 }),
        bucket: fc.constantFrom('a', 'b'),
      }),
      { maxLength: 40 },
    );
    const property = fc.asyncProperty(fc.constantFrom(1, 2, 5, 100), steps, async (limit, sequence) => {
      const run = newBucket();
      const admitted: { at: number; bucket: string }[] = [];
      for (const { wait, burst, bucket } of sequence) {
        clock.advance(wait);
        const now = clock.now().getTime();
        for (let one = 0; one < burst; one += 1) {
          const living = admitted.filter((other) => other.bucket === bucket && other.at > now - WINDOW);
          const isAllowed = living.length < limit;
          if (isAllowed) admitted.push({ at: now, bucket });
          expect(await store.hit(run + bucket, limit, WINDOW)).toEqual({
            isAllowed,
            remaining: Math.max(0, limit - living.length - 1),
            resetAt: (living[0]?.at ?? now) + WINDOW,
            now,
          });
        }
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('lets the next request in at the very moment it named, not a millisecond earlier, however often it is asked', async () => {
    const clock = new FixedClock(START);
    const [store, bucket] = [await storeOn(clock), newBucket()];
    await store.hit(bucket, 1, WINDOW);
    const refused = { isAllowed: false, remaining: 0, resetAt: START + WINDOW };
    for (const moment of [START, START + 1, START + WINDOW / 2, START + WINDOW - 1]) {
      clock.set(moment);
      expect(await store.hit(bucket, 1, WINDOW)).toEqual({ ...refused, now: moment });
    }
    clock.set(START + WINDOW);
    expect((await store.hit(bucket, 1, WINDOW)).isAllowed).toBe(true);
  });

  it('admits exactly the limit of parallel requests', async () => {
    const [store, bucket] = [await storeOn(new FixedClock(START)), newBucket()];
    const hits = await Promise.all(Array.from({ length: 100 }, async () => store.hit(bucket, 7, WINDOW)));
    expect(hits.filter((hit) => hit.isAllowed)).toHaveLength(7);
    expect(hits.map((hit) => hit.remaining).slice(0, 9)).toEqual([6, 5, 4, 3, 2, 1, 0, 0, 0]);
  });

  it('stays within the limit when its clock steps back', async () => {
    const clock = new FixedClock(START);
    const [store, bucket] = [await storeOn(clock), newBucket()];
    await store.hit(bucket, 2, WINDOW);
    clock.advance(-WINDOW / 2);
    expect((await store.hit(bucket, 2, WINDOW)).now).toBe(START);
    expect((await store.hit(bucket, 2, WINDOW)).isAllowed).toBe(false);
    clock.set(START + WINDOW);
    expect((await store.hit(bucket, 2, WINDOW)).isAllowed).toBe(true);
  });

  it('holds a limit that was lowered meanwhile, until enough requests have left', async () => {
    const clock = new FixedClock(START);
    const [store, bucket] = [await storeOn(clock), newBucket()];
    for (let one = 0; one < 5; one += 1) {
      clock.set(START + one);
      await store.hit(bucket, 5, WINDOW);
    }
    expect(await store.hit(bucket, 2, WINDOW)).toMatchObject({ isAllowed: false, remaining: 0 });
    clock.set(START + WINDOW + 2);
    expect((await store.hit(bucket, 2, WINDOW)).isAllowed).toBe(false);
    clock.set(START + WINDOW + 3);
    expect((await store.hit(bucket, 2, WINDOW)).isAllowed).toBe(true);
  });

  it('finds the edge of the window in a long log', async () => {
    const clock = new FixedClock(START);
    const [store, bucket] = [await storeOn(clock), newBucket()];
    for (let one = 0; one < 1000; one += 1) {
      clock.set(START + one);
      await store.hit(bucket, 5000, WINDOW);
    }
    for (const left of [1, 2, 500, 777, 999]) {
      clock.set(START + WINDOW + left - 1);
      const before = 1000 - left;
      expect(await store.hit(bucket, before, WINDOW)).toEqual({
        isAllowed: false,
        remaining: 0,
        resetAt: START + left + WINDOW,
        now: START + WINDOW + left - 1,
      });
    }
  });
});

describeWithRedis('a rate limit in Redis', () => {
  let redis: Redis;

  beforeAll(async () => {
    redis = new Redis(testRedisUrl());
    await redis.flushdb();
  });
  afterAll(() => redis.disconnect());

  const redisTime = async (): Promise<number> => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  };

  it('is shared by all connections: of parallel requests exactly the limit gets in', async () => {
    const [first, second] = [await redisStore(), await redisStore()];
    const bucket = newBucket();
    const hits = await Promise.all(
      Array.from({ length: 200 }, (_, one) => (one % 2 === 0 ? first : second).hit(bucket, 33, WINDOW)),
    );
    expect(hits.filter((hit) => hit.isAllowed)).toHaveLength(33);
  });

  it('follows the time of Redis, not the clocks of the hosts', async () => {
    const now = new SystemClock().now().getTime();
    const logger = new Logger({ level: 'silent' });
    const [behind, ahead] = await Promise.all(
      [-7, 13].map(async (minutes) => {
        const clock = new FixedClock(now + minutes * 60_000);
        return new FailOpenStore(await redisStore(), clock, logger);
      }),
    );
    const bucket = newBucket();
    const before = await redisTime();
    const first = await behind?.hit(bucket, 2, 60_000);
    const second = await ahead?.hit(bucket, 2, 60_000);
    const third = await behind?.hit(bucket, 2, 60_000);
    const after = await redisTime();
    expect([first?.isAllowed, second?.isAllowed, third?.isAllowed]).toEqual([true, true, false]);
    for (const hit of [first, second, third]) {
      expect(hit?.resetAt).toBe(first?.resetAt);
      expect(hit?.now).toBeGreaterThanOrEqual(before);
      expect(hit?.now).toBeLessThanOrEqual(after);
    }
  });

  it('leaves no key in Redis: a key goes when its last request leaves, and refused requests do not keep it', async () => {
    const store = await redisStore();
    const bucket = newBucket();
    const key = `rate-limit:${bucket}`;
    await store.hit(bucket, 1, WINDOW);
    // As if the key had lived for a while.
    await redis.pexpire(key, 40_000);
    expect((await store.hit(bucket, 1, WINDOW)).isAllowed).toBe(false);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(40_000);
    await store.hit(bucket, 2, WINDOW);
    expect(await redis.pttl(key)).toBeGreaterThan(40_000);

    const short = newBucket();
    await store.hit(short, 1, 30);
    while ((await redis.exists(`rate-limit:${short}`)) === 1);
    expect((await store.hit(short, 1, WINDOW)).isAllowed).toBe(true);
    for (const one of await redis.keys('rate-limit:*')) expect(await redis.pttl(one)).not.toBe(-1);
  });

  it('slides in real time, too: no window has more requests than the limit', async () => {
    const store = await redisStore();
    const bucket = newBucket();
    const [limit, windowMs] = [5, 40];
    const admitted: number[] = [];
    while (admitted.length < 40) {
      const hit = await store.hit(bucket, limit, windowMs);
      if (hit.isAllowed) admitted.push(hit.now);
    }
    for (const [index, at] of admitted.entries())
      expect((admitted[index + limit] ?? Infinity) - at).toBeGreaterThanOrEqual(windowMs);
  });

  it('accepts an answer that was not read for a while because the process was busy', async () => {
    const store = new RedisRateLimitStore({ url: testRedisUrl() });
    open.push(store);
    await store.connect();
    const bucket = newBucket();
    const hit = store.hit(bucket, 1, WINDOW);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    expect((await hit).isAllowed).toBe(true);
  });

  it('works again when Redis has forgotten the script', async () => {
    const store = await redisStore();
    const bucket = newBucket();
    await store.hit(bucket, 5, WINDOW);
    await redis.script('FLUSH');
    expect((await store.hit(bucket, 5, WINDOW)).remaining).toBe(3);
  });

  it('is healthy only where Redis runs the script', async () => {
    expect(await (await redisStore()).health()).toBe('ok');
    const nowhere = new RedisRateLimitStore({ url: 'redis://127.0.0.1:1' });
    open.push(nowhere);
    await nowhere.connect();
    await expect(nowhere.hit('a', 1, 1)).rejects.toThrow();
    await expect(nowhere.health()).rejects.toThrow();
  });
});
