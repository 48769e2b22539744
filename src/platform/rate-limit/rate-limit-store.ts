import type { RedisHealth } from '../redis/redis.js';

/** The result of counting one request. */
export interface Hit {
  readonly isAllowed: boolean;
  /** The number of requests that would still be allowed now. */
  readonly remaining: number;
  /**
   * The time at which the oldest counted request leaves the window, in Unix milliseconds. One more request is allowed
   * then.
   */
  readonly resetAt: number;
  /** The store's current time, in Unix milliseconds. */
  readonly now: number;
}

/** Counts requests by bucket. Refused requests are not counted, so that they do not extend the block. */
export abstract class RateLimitStore {
  /**
   * Allows a request when fewer than `limit` were allowed within the last `windowMs`. Atomic for each bucket. A store
   * without a remote call returns the result without a promise.
   */
  abstract hit(bucket: string, limit: number, windowMs: number): Hit | Promise<Hit>;

  /**
   * Whether requests are counted now, as far as that depends on Redis. @throws the store's error, unless the store
   * handles it
   */
  abstract health(): Promise<RedisHealth>;

  abstract close(): void;
}
