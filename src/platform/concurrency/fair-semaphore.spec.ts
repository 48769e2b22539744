import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { FairSemaphore } from './fair-semaphore.js';
import { OverloadedError, KeyOverloadedError } from './overload.js';

/** Work that the test ends, with the names of the work that has started. */
class Works {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  start(slots: FairSemaphore, share: string, name: string): Promise<void> {
    return slots.run(share, () => {
      this.begun.push(name);
      return new Promise<void>((resolve) => this.ends.set(name, resolve));
    });
  }

  async end(name: string): Promise<void> {
    await steps();
    this.ends.get(name)?.();
    await steps();
  }
}

async function steps(): Promise<void> {
  for (let step = 0; step < 10; step += 1) await Promise.resolve();
}

describe('a fair semaphore', () => {
  it('serves a share that has just come before the second task of a share with many waiting tasks', async () => {
    const slots = new FairSemaphore({ parallel: 1, maxQueued: 100 });
    const works = new Works();
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => works.start(slots, name.slice(0, 1), name));
    for (const name of ['a1', 'a2', 'b1', 'a3', 'a4']) await works.end(name);
    await Promise.all(all);
    expect(works.begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('leaves a place to other shares when a share may run only one task at a time', async () => {
    const slots = new FairSemaphore({ parallel: 2, maxPerKey: 1, maxQueued: 100 });
    const works = new Works();
    void works.start(slots, 'a', 'a1');
    void works.start(slots, 'a', 'a2');
    void works.start(slots, 'b', 'b1');
    await works.end('');
    expect(works.begun).toEqual(['a1', 'b1']);
    await works.end('a1');
    expect(works.begun).toEqual(['a1', 'b1', 'a2']);
  });

  it('refuses the share with too many waiting tasks, and gives its last place to another share when all are taken', async () => {
    const slots = new FairSemaphore({ parallel: 1, maxQueued: 3, maxQueuedPerKey: 3 });
    const works = new Works();
    void works.start(slots, 'a', 'a0');
    const refused: string[] = [];
    for (const name of ['a1', 'a2', 'a3'])
      void works.start(slots, 'a', name).catch((error: unknown) => refused.push(`${name} ${String(error)}`));
    await expect(works.start(slots, 'a', 'a4')).rejects.toBeInstanceOf(KeyOverloadedError);
    void works.start(slots, 'b', 'b1');
    void works.start(slots, 'c', 'c1');
    // Each share has one waiting task, so replacing one would be no fairer.
    await expect(works.start(slots, 'd', 'd1')).rejects.toBeInstanceOf(OverloadedError);
    expect(refused).toEqual(['a3 OverloadedError: Too much is waiting', 'a2 OverloadedError: Too much is waiting']);
    expect(slots.waiting).toBe(3);
  });

  it('refuses a task with the given error when it waits too long or finds no place, and serves the others afterwards', async () => {
    class TooMany extends Error {}
    const slots = new FairSemaphore({ parallel: 1, maxQueued: 1, timeout: { ms: 20, refusal: TooMany } });
    const works = new Works();
    const first = works.start(slots, 'a', 'a1');
    const late = works.start(slots, 'b', 'b1');
    await expect(works.start(slots, 'c', 'c1')).rejects.toBeInstanceOf(TooMany);
    await expect(late).rejects.toBeInstanceOf(TooMany);
    expect(slots.waiting).toBe(0);
    await works.end('a1');
    await first;
    expect(works.begun).toEqual(['a1']);
    await expect(slots.run('b', () => Promise.resolve('served'))).resolves.toBe('served');
  });

  it('drops a task that is aborted while it waits, and no task that has begun', async () => {
    const slots = new FairSemaphore({ parallel: 1, maxQueued: 100 });
    const works = new Works();
    const giveUp = new AbortController();
    void works.start(slots, 'a', 'a1');
    const second = slots.run('a', () => Promise.reject(new Error('must not begin')), giveUp.signal);
    const third = works.start(slots, 'a', 'a3');
    const mine = slots.run('b', () => Promise.resolve('done'), giveUp.signal);
    giveUp.abort(new Error('too late'));
    await expect(second).rejects.toThrow('too late');
    await expect(mine).rejects.toThrow('too late');
    await expect(slots.run('c', () => Promise.resolve(), giveUp.signal)).rejects.toThrow('too late');
    expect(slots.waiting).toBe(1);
    await works.end('a1');
    expect(works.begun).toEqual(['a1', 'a3']);
    await works.end('a3');
    await third;
    const late = new AbortController();
    const begun = slots.run('a', () => new Promise((resolve) => setImmediate(resolve, 'yes')), late.signal);
    late.abort();
    expect(await begun).toBe('yes');
  });

  it('is not held up by thousands of tasks of one share', async () => {
    const slots = new FairSemaphore({ parallel: 20, maxPerKey: 5, maxQueued: Infinity });
    const works = new Works();
    for (let piece = 0; piece < 10_000; piece += 1) void works.start(slots, 'a', `a${piece}`);
    void works.start(slots, 'b', 'b');
    await steps();
    expect(works.begun).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'b']);
  });

  it('frees the place of a task that fails', async () => {
    const slots = new FairSemaphore({ parallel: 1, maxQueued: 0 });
    await expect(slots.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(slots.run('a', () => Promise.resolve(1))).resolves.toBe(1);
  });

  it('begins a task that would not wait only when a place is free for it', async () => {
    const slots = new FairSemaphore({ parallel: 2, maxPerKey: 1, maxQueued: 100 });
    const works = new Works();
    void works.start(slots, 'a', 'a1');
    const never = jest.fn(() => Promise.resolve('never'));
    expect(slots.runNow('a', never)).toBeNull();
    await expect(slots.runNow('b', () => Promise.resolve('now'))).resolves.toBe('now');
    await expect(slots.runNow('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    void works.start(slots, 'b', 'b1');
    expect(slots.runNow('c', never)).toBeNull();
    void works.start(slots, 'c', 'c1');
    await works.end('a1');
    await works.end('c1');
    await expect(slots.runNow('a', () => Promise.resolve('again'))).resolves.toBe('again');
    await works.end('b1');
    expect([works.begun, slots.waiting, never.mock.calls]).toEqual([['a1', 'b1', 'c1'], 0, []]);
  });

  it('serves the waiting share that has used least first, and lets equal shares take turns', async () => {
    const used = new Map([
      ['a', 9],
      ['b', 5],
    ]);
    const slots = new FairSemaphore({ parallel: 1, maxQueued: 100, used: (share) => used.get(share) ?? 0 });
    const works = new Works();
    const names = ['c0', 'a1', 'b1', 'c1', 'd1', 'c2'];
    const all = names.map((name) => works.start(slots, name.slice(0, 1), name));
    for (const name of ['c0', 'c1', 'd1', 'c2', 'b1', 'a1']) await works.end(name);
    await Promise.all(all);
    expect(works.begun).toEqual(['c0', 'c1', 'd1', 'c2', 'b1', 'a1']);
  });

  it('gives the last place of the share that has used most to a share that has used less, when all are taken', async () => {
    const used = new Map([
      ['a', 9],
      ['b', 5],
    ]);
    const slots = new FairSemaphore({ parallel: 1, maxQueued: 2, used: (share) => used.get(share) ?? 0 });
    const works = new Works();
    const first = works.start(slots, 'x', 'x');
    const refused = expect(works.start(slots, 'a', 'a')).rejects.toBeInstanceOf(OverloadedError);
    const others = [works.start(slots, 'b', 'b'), works.start(slots, 'c', 'c')];
    await refused;
    await expect(works.start(slots, 'a', 'again')).rejects.toBeInstanceOf(OverloadedError);
    for (const name of ['x', 'c', 'b']) await works.end(name);
    await Promise.all([first, ...others]);
    expect([works.begun, slots.waiting]).toEqual([['x', 'c', 'b'], 0]);
  });

  it('never runs or keeps more tasks than its limits, and serves all tasks that it accepted', async () => {
    const pieces = fc.array(fc.record({ share: fc.constantFrom('a', 'b', 'c', 'd'), steps: fc.nat({ max: 4 }) }), {
      maxLength: 60,
    });
    const bounds = fc.record({
      parallel: fc.integer({ min: 1, max: 4 }),
      maxPerKey: fc.integer({ min: 1, max: 3 }),
      maxQueued: fc.nat({ max: 12 }),
      maxQueuedPerKey: fc.nat({ max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(pieces, bounds, async (list, options) => {
        const slots = new FairSemaphore(options);
        const running = new Map<string, number>();
        let most = 0;
        let mostOfShare = 0;
        let served = 0;
        const outcomes = list.map(({ share, steps }) =>
          slots.run(share, async () => {
            running.set(share, (running.get(share) ?? 0) + 1);
            most = Math.max(
              most,
              [...running.values()].reduce((sum, one) => sum + one, 0),
            );
            mostOfShare = Math.max(mostOfShare, running.get(share) ?? 0);
            for (let step = 0; step < steps; step += 1) await Promise.resolve();
            running.set(share, (running.get(share) ?? 0) - 1);
            served += 1;
          }),
        );
        expect(slots.waiting).toBeLessThanOrEqual(options.maxQueued);
        const settled = await Promise.allSettled(outcomes);
        expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(served);
        for (const one of settled) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(OverloadedError);
        expect(most).toBeLessThanOrEqual(options.parallel);
        expect(mostOfShare).toBeLessThanOrEqual(options.maxPerKey);
        expect(slots.waiting).toBe(0);
        await expect(slots.run('later', () => Promise.resolve('served'))).resolves.toBe('served');
      }),
    );
  });
});
