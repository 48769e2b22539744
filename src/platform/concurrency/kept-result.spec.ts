import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { KeptResult } from './kept-result.js';

describe('a kept result', () => {
  afterEach(() => void jest.useRealTimers());

  it('is computed once for all who ask at the same time, and again when its time is over', async () => {
    jest.useFakeTimers();
    let count = 0;
    const kept = new KeptResult(1_000, () => Promise.resolve((count += 1)));
    expect(await Promise.all([kept.get(), kept.get(), kept.get()])).toEqual([1, 1, 1]);
    jest.advanceTimersByTime(999);
    expect(await kept.get()).toBe(1);
    jest.advanceTimersByTime(1);
    expect(await Promise.all([kept.get(), kept.get()])).toEqual([2, 2]);
  });

  it('does not keep a failure', async () => {
    const outcomes = [Promise.reject(new Error('away')), Promise.resolve('there')];
    const kept = new KeptResult(1_000, () => outcomes.shift() as Promise<string>);
    const failed = await Promise.allSettled([kept.get(), kept.get()]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await kept.get()).toBe('there');
  });
});
