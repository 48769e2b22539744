import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FixedClock } from '../clock/index.js';
import { MemoryRateLimitStore } from './memory-store.js';

const START = Date.UTC(2026, 0, 15, 12);

describe('MemoryRateLimitStore', () => {
  it('decides every sequence of requests as a plain count over the window does', async () => {
    const step = fc.record({ wait: fc.nat({ max: 700 }), bucket: fc.constantFrom('a', 'b') });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 80 }), async (limit, steps) => {
        const windowMs = 1000;
        const clock = new FixedClock(START);
        const store = new MemoryRateLimitStore(clock);
        const admitted: { at: number; bucket: string }[] = [];
        for (const { wait, bucket } of steps) {
          clock.advance(wait);
          const now = clock.now().getTime();
          const living = admitted.filter((one) => one.bucket === bucket && one.at > now - windowMs);
          const hit = await store.hit(bucket, limit, windowMs);
          expect(hit.isAllowed).toBe(living.length < limit);
          if (hit.isAllowed) admitted.push({ at: now, bucket });
          expect(hit.remaining).toBe(Math.max(0, limit - living.length - (hit.isAllowed ? 1 : 0)));
          expect(hit.resetAt).toBe((living[0]?.at ?? now) + windowMs);
        }
      }),
    );
  });

  it('lets the next request in at the very moment it named, and not a millisecond earlier', async () => {
    const clock = new FixedClock(START);
    const store = new MemoryRateLimitStore(clock);
    await store.hit('a', 1, 60_000);
    const refused = await store.hit('a', 1, 60_000);
    expect(refused).toEqual({ isAllowed: false, remaining: 0, resetAt: START + 60_000, now: START });
    clock.set(refused.resetAt - 1);
    expect((await store.hit('a', 1, 60_000)).isAllowed).toBe(false);
    clock.set(refused.resetAt);
    expect((await store.hit('a', 1, 60_000)).isAllowed).toBe(true);
  });

  it('admits exactly the limit of parallel requests', async () => {
    const store = new MemoryRateLimitStore(new FixedClock(START));
    const hits = await Promise.all(Array.from({ length: 100 }, () => store.hit('a', 7, 1000)));
    expect(hits.filter((hit) => hit.isAllowed)).toHaveLength(7);
  });

  it('stays within the limit when the host clock steps back', async () => {
    const clock = new FixedClock(START);
    const store = new MemoryRateLimitStore(clock);
    await store.hit('a', 2, 1000);
    clock.advance(-500);
    await store.hit('a', 2, 1000);
    expect((await store.hit('a', 2, 1000)).isAllowed).toBe(false);
    clock.set(START + 1000);
    expect((await store.hit('a', 2, 1000)).isAllowed).toBe(true);
  });

  it('forgets buckets whose requests have all left the window', async () => {
    const clock = new FixedClock(START);
    const store = new MemoryRateLimitStore(clock);
    for (let one = 0; one < 1000; one += 1) await store.hit(`ip:${one}`, 5, 1000);
    expect(store.size).toBe(1000);
    clock.advance(1000);
    await store.hit('ip:0', 5, 1000);
    expect(store.size).toBe(1);
  });
});
