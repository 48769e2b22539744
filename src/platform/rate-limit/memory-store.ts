import type { Clock } from '../clock/index.js';
import type { RedisHealth } from '../redis/redis.js';
import { type Hit, RateLimitStore } from './rate-limit-store.js';
import { WindowLog } from './window-log.js';

/** Keeps an exact log of each bucket in this process. */
export class MemoryRateLimitStore extends RateLimitStore {
  /** Buckets by length of the window. In each map, the least recently used bucket comes first and expires first. */
  private readonly windows = new Map<number, Map<string, WindowLog>>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override hit(name: string, limit: number, windowMs: number): Hit {
    const buckets = this.bucketsOf(windowMs);
    const log = buckets.get(name) ?? new WindowLog();
    // The log must stay sorted when the host's clock steps back.
    const now = Math.max(this.clock.now().getTime(), log.newest ?? 0);
    log.forgetUntil(now - windowMs);

    const isAllowed = log.count < limit;
    if (isAllowed) log.add(now);
    buckets.delete(name);
    buckets.set(name, log);
    removeExpired(buckets, now - windowMs);
    return {
      isAllowed,
      remaining: Math.max(0, limit - log.count),
      resetAt: (log.oldest ?? now) + windowMs,
      now,
    };
  }

  override health(): Promise<RedisHealth> {
    return Promise.resolve('not_configured');
  }

  override close(): void {
    this.windows.clear();
  }

  /** Returns the number of buckets in memory. */
  get size(): number {
    return [...this.windows.values()].reduce((sum, buckets) => sum + buckets.size, 0);
  }

  private bucketsOf(windowMs: number): Map<string, WindowLog> {
    let buckets = this.windows.get(windowMs);
    if (buckets === undefined) this.windows.set(windowMs, (buckets = new Map<string, WindowLog>()));
    return buckets;
  }
}

function removeExpired(buckets: Map<string, WindowLog>, before: number): void {
  for (const [name, log] of buckets) {
    if ((log.newest ?? 0) > before) return;
    buckets.delete(name);
  }
}
