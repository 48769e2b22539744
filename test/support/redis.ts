import { type RedisServer, startRedisServer } from './redis-server.mjs';

export type { RedisServer };

/**
 * The suite's Redis with a database number of this Jest worker's own: test files of one worker run one after the
 * other, so `FLUSHDB` at a file's start is safe and `FLUSHALL` is not.
 */
export function testRedisUrl(): string {
  const url = process.env.TEST_REDIS_URL;
  if (!url) throw new Error('TEST_REDIS_URL is not set: run the tests through Jest with its global setup');
  return new URL(url).pathname.length > 1 ? url : `${url.replace(/\/$/, '')}/${process.env.JEST_WORKER_ID ?? '0'}`;
}

/** A Redis for one test file that stops, kills or restarts it; a durable one has its data again then. */
export function startRedis(options?: { durable?: boolean }): Promise<RedisServer> {
  return startRedisServer(options);
}
