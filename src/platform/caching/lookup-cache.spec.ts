import { describe, expect, it } from '@jest/globals';
import { FixedClock } from '../clock/index.js';
import { LookupCache } from './lookup-cache.js';

/** Returns a cache whose look-ups the test resolves, with the keys that were looked up. */
function lookups(most = 10) {
  const clock = new FixedClock();
  const asked: string[] = [];
  const answers: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const kept = new LookupCache<string, string>({
    trustMs: 4_000,
    most,
    clock,
    look: (key) => {
      asked.push(key);
      return new Promise((resolve, reject) => answers.push({ resolve, reject }));
    },
  });
  const answer = async (value: string): Promise<void> => {
    answers.shift()?.resolve(value);
    await turn();
  };
  return { clock, asked, answers, kept, answer };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a trusted look-up', () => {
  it('is shared while it runs, answered at once afterwards, and repeated when its time is over', async () => {
    const { clock, asked, kept, answer } = lookups();
    const first = kept.of('a');
    expect([kept.of('a'), kept.known('a'), kept.known('b')]).toEqual([first, first, undefined]);
    await answer('one');
    expect(await first).toBe('one');
    clock.advance(3_999);
    expect(kept.of('a')).toBe('one');
    clock.advance(2);
    expect(kept.of('a')).toBeInstanceOf(Promise);
    expect(asked).toEqual(['a', 'a']);
  });

  it('is dropped alone or with all the others', async () => {
    const { asked, kept, answer } = lookups();
    for (const key of ['a', 'b']) {
      void kept.of(key);
      await answer(key);
    }
    kept.forget('a');
    void kept.of('a');
    void kept.of('b');
    await answer('a');
    kept.forgetAll();
    void kept.of('b');
    expect(asked).toEqual(['a', 'b', 'a', 'b']);
  });

  it('is not kept when something changed while it ran', async () => {
    const { asked, kept, answer } = lookups();
    const before = kept.of('a');
    kept.forget('a');
    const after = kept.of('a');
    await answer('old');
    await answer('new');
    expect([await before, await after, kept.of('a')]).toEqual(['old', 'new', 'new']);
    expect(asked).toHaveLength(2);
  });

  it('is not kept when it failed, and does not drop a later one', async () => {
    const { asked, answers, kept, answer } = lookups();
    const failed = kept.of('a');
    kept.forgetAll();
    void kept.of('a');
    answers.shift()?.reject(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    await answer('there');
    expect(kept.of('a')).toBe('there');
    expect(asked).toHaveLength(2);
  });

  it('is dropped for a new one when it was unused for the longest time, and only then', async () => {
    const { asked, kept, answer } = lookups(3);
    for (const key of ['a', 'b', 'c']) {
      void kept.of(key);
      await answer(key);
    }
    void kept.of('a');
    void kept.of('d');
    await answer('d');
    expect(['a', 'c', 'd'].map((key) => kept.of(key))).toEqual(['a', 'c', 'd']);
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
  });
});
