import type { Clock } from '../clock/index.js';
import { type Hit, RateLimitStore } from './rate-limit-store.js';

interface Bucket {
  /** When each remembered request was let in, oldest first. */
  times: number[];
}

/** An exact log of each bucket, kept in this process. */
export class MemoryRateLimitStore extends RateLimitStore {
  /** By window, so that in each map the bucket that was asked for longest ago comes first and expires first. */
  private readonly windows = new Map<number, Map<string, Bucket>>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override hit(name: string, limit: number, windowMs: number): Promise<Hit> {
    const buckets = this.windows.get(windowMs) ?? new Map<string, Bucket>();
    this.windows.set(windowMs, buckets);
    const bucket = buckets.get(name) ?? { times: [] };
    // A host clock that steps back must not unsort the log.
    const now = Math.max(this.clock.now().getTime(), bucket.times.at(-1) ?? 0);
    const firstLiving = bucket.times.findIndex((time) => time > now - windowMs);
    bucket.times = firstLiving === -1 ? [] : bucket.times.slice(firstLiving);

    const isAllowed = bucket.times.length < limit;
    if (isAllowed) bucket.times.push(now);
    buckets.delete(name);
    buckets.set(name, bucket);
    this.removeExpired(buckets, now - windowMs);
    return Promise.resolve({
      isAllowed,
      remaining: Math.max(0, limit - bucket.times.length),
      resetAt: (bucket.times[0] ?? now) + windowMs,
      now,
    });
  }

  /** How many buckets are kept. */
  get size(): number {
    return [...this.windows.values()].reduce((sum, buckets) => sum + buckets.size, 0);
  }

  private removeExpired(buckets: Map<string, Bucket>, before: number): void {
    for (const [name, { times }] of buckets) {
      if ((times.at(-1) ?? 0) > before) return;
      buckets.delete(name);
    }
  }
}
