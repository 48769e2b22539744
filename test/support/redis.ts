import { describe, it } from '@jest/globals';
import { askProgram } from './programs/ask.js';
import { type RedisServer, startRedisServer } from './redis-server.mjs';

export type { RedisServer };

const { TEST_REDIS_URL } = process.env;
const redis = TEST_REDIS_URL ? { url: TEST_REDIS_URL } : await askProgram<{ url: string }>('redis');

/**
 * Without Redis the suites use only the PostgreSQL queue. Each file that imports this module then reports the tests
 * that it skips.
 */
export const hasRedis = !('absent' in redis);
export const describeWithRedis = hasRedis ? describe : describe.skip;
if ('absent' in redis) it.skip(`what runs on Redis: ${redis.absent}`, () => undefined);

/**
 * Returns the Redis of the run, with a database number of this Jest worker. Files of one worker run one after another,
 * so `FLUSHDB` at the start of a file is safe and `FLUSHALL` is not.
 */
export function testRedisUrl(): string {
  if ('absent' in redis) throw new Error(redis.absent);
  const { url } = redis;
  return new URL(url).pathname.length > 1 ? url : `${url.replace(/\/$/, '')}/${process.env.JEST_WORKER_ID ?? '0'}`;
}

/** Starts a Redis for one test file that stops, kills or restarts it. A durable one keeps its data. */
export function startRedis(options?: { durable?: boolean }): Promise<RedisServer> {
  return startRedisServer(options);
}
