import type { RedisHealth } from '../redis/redis.js';

/** The result of counting one request. */
export interface Hit {
  readonly isAllowed: boolean;
  /** The number of requests that would still be allowed now. */
  readonly remaining: number;
  /**
   * The time at which the oldest counted request leaves the window, in Unix milliseconds. From then on, one more
   * request is allowed.
   */
  readonly resetAt: number;
  /** The store's current time, in Unix milliseconds. */
  readonly now: number;
}

/** Counts requests by bucket. Refused requests are not counted, so that they do not extend the block. */
export abstract class RateLimitStore {
  /**
   * Allows a request when fewer than `limit` requests were allowed within the last `windowMs`. The check is atomic for
   * each bucket. A store without remote calls returns the result without a promise.
   */
  abstract hit(bucket: string, limit: number, windowMs: number): Hit | Promise<Hit>;

  /**
   * Returns the state of the Redis that the store uses, if any. @throws the store's error, unless the store handles it
   */
  abstract health(): Promise<RedisHealth>;

  abstract close(): void;
}
