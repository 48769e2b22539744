import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sendLive } from './index.js';
import { DAILY_PACE, Story } from './story.js';

const BEGIN = Date.UTC(2026, 2, 14, 9, 30);
const MINUTE_MS = 60_000;

describe('sendLive', () => {
  beforeEach(() => void jest.useFakeTimers({ now: BEGIN }));
  afterEach(() => void jest.useRealTimers());

  /** Sends one part of the events for each duration, which is how long the service takes to accept that part. */
  async function spansOf(sendingMs: readonly number[]): Promise<[number, number][]> {
    const stop = new AbortController();
    const spans: [number, number][] = [];
    await sendLive({
      shop: {
        story: new Story(DAILY_PACE, new Date(BEGIN)),
        between: (from, to) => {
          spans.push([from.getTime() - BEGIN, to.getTime() - BEGIN]);
          return [];
        },
      },
      since: new Date(BEGIN - 500),
      rate: 1,
      outlet: {
        accepted: 0,
        send: async () => {
          jest.advanceTimersByTime(sendingMs[spans.length - 1] ?? 0);
          if (spans.length >= sendingMs.length) stop.abort();
        },
      },
      print: () => undefined,
      signal: stop.signal,
      wait: async (ms) => jest.advanceTimersByTime(ms),
    });
    return spans;
  }

  it('leaves no gap after the past, nor after a request that takes long', async () => {
    expect(await spansOf([0, 90_000, 0])).toEqual([
      [-500, 1_000],
      [1_000, 2_000],
      [2_000, 93_000],
    ]);
  });

  it('skips the time during which the machine slept', async () => {
    expect(await spansOf([6 * MINUTE_MS, 0, 0])).toEqual([
      [-500, 1_000],
      [362_000, 362_000],
      [362_000, 363_000],
    ]);
  });
});
