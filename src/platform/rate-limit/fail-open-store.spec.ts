import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FixedClock } from '../clock/index.js';
import type { RedisHealth } from '../redis/redis.js';
import { Logger } from '../telemetry/index.js';
import { FailOpenStore } from './fail-open-store.js';
import { type Hit, RateLimitStore } from './rate-limit-store.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const COUNTED: Hit = { isAllowed: false, remaining: 0, resetAt: 7, now: 3 };
const UNCOUNTED: Hit = { isAllowed: true, remaining: 5, resetAt: NOW + 60_000, now: NOW };

class FlakyStore extends RateLimitStore {
  fault: Error | null = null;
  asked = 0;
  isClosed = false;

  override hit(): Promise<Hit> {
    this.asked += 1;
    return this.fault === null ? Promise.resolve(COUNTED) : Promise.reject(this.fault);
  }

  override async health(): Promise<RedisHealth> {
    await this.hit();
    return 'ok';
  }

  override close(): void {
    this.isClosed = true;
  }
}

describe('a store that fails open', () => {
  let flaky: FlakyStore;
  let store: FailOpenStore;
  let lines: string[];
  const messages = (): string[] => lines.map((line) => (JSON.parse(line) as { message: string }).message);
  const hit = () => store.hit('a', 5, 60_000);

  beforeEach(() => {
    jest.useFakeTimers();
    flaky = new FlakyStore();
    lines = [];
    const logger = new Logger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
    store = new FailOpenStore(flaky, new FixedClock(NOW), logger, 500);
  });
  afterEach(() => {
    store.close();
    jest.useRealTimers();
  });

  it('passes on what the store decides', async () => {
    expect(await hit()).toEqual(COUNTED);
    expect(await store.health()).toBe('ok');
    expect(lines).toEqual([]);
  });

  it('lets everything in after one failure without asking again, and says so once', async () => {
    flaky.fault = new Error('connection lost');
    const hits = await Promise.all([hit(), hit(), hit()]);
    expect(hits).toEqual([UNCOUNTED, UNCOUNTED, UNCOUNTED]);
    expect(flaky.asked).toBe(3);
    // The answers are returned synchronously, without a promise.
    for (let one = 0; one < 100; one += 1) expect(hit()).toEqual(UNCOUNTED);
    expect(flaky.asked).toBe(3);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'warn', message: 'rate limits are off: their Redis fails', reason: 'connection lost' },
    ]);
  });

  it('asks in the background until the store answers, without a request, and says that once', async () => {
    flaky.fault = new Error('connection lost');
    await hit();
    await jest.advanceTimersByTimeAsync(1_600);
    expect(flaky.asked).toBe(4);
    flaky.fault = null;
    expect(hit()).toEqual(UNCOUNTED);
    await jest.advanceTimersByTimeAsync(500);
    expect(await hit()).toEqual(COUNTED);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(flaky.asked).toBe(6);
    expect(messages()).toEqual(['rate limits are off: their Redis fails', 'rate limits are on again']);
  });

  it('finds out both by a question for its health', async () => {
    flaky.fault = new Error('READONLY');
    expect(await store.health()).toBe('down');
    expect(hit()).toEqual(UNCOUNTED);
    flaky.fault = null;
    expect(await store.health()).toBe('ok');
    expect(await hit()).toEqual(COUNTED);
    expect(messages()).toEqual(['rate limits are off: their Redis fails', 'rate limits are on again']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('asks no more once it is closed', async () => {
    flaky.fault = new Error('connection lost');
    await hit();
    store.close();
    expect([flaky.isClosed, jest.getTimerCount()]).toEqual([true, 0]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(flaky.asked).toBe(1);
  });
});
