import type { RedisHealth } from '../redis/redis.js';

/** What became of one request. */
export interface Hit {
  readonly isAllowed: boolean;
  /** Requests that would still be let in now. */
  readonly remaining: number;
  /** When the oldest counted request leaves the window, in Unix milliseconds: a place gets free then. */
  readonly resetAt: number;
  /** The store's own present moment, in Unix milliseconds. */
  readonly now: number;
}

/** Remembers requests by bucket. Refused requests are not remembered, so that they do not extend the block. */
export abstract class RateLimitStore {
  /**
   * Lets a request in when fewer than `limit` were let in within the last `windowMs`; atomic for each bucket. What a
   * store knows by itself it answers at once, without a promise.
   */
  abstract hit(bucket: string, limit: number, windowMs: number): Hit | Promise<Hit>;

  /** Whether requests are counted now, as far as that takes a Redis. @throws what ails it, unless the store copes. */
  abstract health(): Promise<RedisHealth>;

  abstract close(): void;
}
