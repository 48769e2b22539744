import { describe, expect, it } from '@jest/globals';
import { FixedClock } from '../clock/index.js';
import { MemoryRateLimitStore } from './memory-store.js';
import { WindowLog } from './window-log.js';

describe('MemoryRateLimitStore', () => {
  it('forgets buckets whose requests have all left the window', () => {
    const clock = new FixedClock();
    const store = new MemoryRateLimitStore(clock);
    for (let one = 0; one < 1000; one += 1) store.hit(`ip:${one}`, 5, 1000);
    expect(store.size).toBe(1000);
    clock.advance(1000);
    store.hit('ip:0', 5, 1000);
    expect(store.size).toBe(1);
  });
});

describe('WindowLog', () => {
  it('keeps one entry a millisecond however many requests come, and lets go of those that left', () => {
    const log = new WindowLog();
    for (let time = 1; time <= 10_000; time += 1) {
      for (let one = 0; one < 10; one += 1) log.add(time);
      log.forgetUntil(time - 100);
    }
    expect([log.count, log.oldest, log.newest]).toEqual([1000, 9901, 10_000]);
    expect((log as unknown as { times: number[] }).times.length).toBeLessThanOrEqual(201);
    log.forgetUntil(10_000);
    expect([log.count, log.oldest, log.newest]).toEqual([0, undefined, undefined]);
  });
});
