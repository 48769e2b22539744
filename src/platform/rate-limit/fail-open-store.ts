import type { Clock } from '../clock/index.js';
import type { RedisHealth } from '../redis/redis.js';
import type { Logger } from '../telemetry/index.js';
import { type Hit, RateLimitStore } from './rate-limit-store.js';
import { errorMessage } from '../errors/index.js';

/**
 * How long a failed store is not used. After that, it is probed in the background at this interval until it answers.
 */
const RETRY_MS = 500;

/**
 * Allows every request while the store fails, because availability is more important than limits. A single failure is
 * enough, so that no other request waits for an unavailable store. One log line reports the failure and another one the
 * recovery.
 */
export class FailOpenStore extends RateLimitStore {
  private retry: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(
    private readonly store: RateLimitStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly retryMs = RETRY_MS,
  ) {
    super();
  }

  override hit(bucket: string, limit: number, windowMs: number): Hit | Promise<Hit> {
    if (this.retry !== null) return this.uncounted(limit, windowMs);
    return this.count(bucket, limit, windowMs);
  }

  override async health(): Promise<RedisHealth> {
    try {
      const health = await this.store.health();
      this.recovered();
      return health;
    } catch (error) {
      this.failed(error);
      return 'down';
    }
  }

  override close(): void {
    this.isClosed = true;
    if (this.retry !== null) clearTimeout(this.retry);
    this.store.close();
  }

  private async count(bucket: string, limit: number, windowMs: number): Promise<Hit> {
    try {
      return await this.store.hit(bucket, limit, windowMs);
    } catch (error) {
      this.failed(error);
      return this.uncounted(limit, windowMs);
    }
  }

  /** Returns the result that the first request of an empty bucket would get. */
  private uncounted(limit: number, windowMs: number): Hit {
    const now = this.clock.now().getTime();
    return { isAllowed: true, remaining: limit, resetAt: now + windowMs, now };
  }

  private failed(error: unknown): void {
    if (this.retry !== null || this.isClosed) return;
    const reason = errorMessage(error);
    this.logger.warn('rate limits are off: their Redis fails', { reason });
    this.retryLater();
  }

  private recovered(): void {
    if (this.retry === null) return;
    clearTimeout(this.retry);
    this.retry = null;
    this.logger.info('rate limits are on again');
  }

  private retryLater(): void {
    this.retry = setTimeout(() => {
      void this.health().then((health) => {
        if (health === 'down' && !this.isClosed) this.retryLater();
      });
    }, this.retryMs).unref();
  }
}
