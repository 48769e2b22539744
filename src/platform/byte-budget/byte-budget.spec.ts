import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteBudget, type Release } from './byte-budget.js';

class Refused extends Error {}

const OPTIONS = {
  capacity: 100,
  largest: 40,
  share: () => 40,
  maxQueued: 8,
  timeoutMs: 60_000,
  refusal: () => new Refused(),
};

describe('a budget of bytes', () => {
  it('gives no more than its capacity and no holder more than the share', () => {
    const budget = new ByteBudget(OPTIONS);
    expect(budget.tryTake('a', 30)).not.toBeNull();
    expect(budget.tryTake('a', 20)).toBeNull();
    expect(budget.tryTake('b', 1_000)).not.toBeNull();
    expect(budget.tryTake('c', 31)).toBeNull();
    expect(budget.tryTake('c', 30)).not.toBeNull();
  });

  it('takes back a part, and never more than was given', () => {
    const budget = new ByteBudget(OPTIONS);
    const release = budget.tryTake('a', 40);
    release?.(10);
    release?.(20);
    expect(budget.tryTake('a', 31)).toBeNull();
    expect(budget.tryTake('a', 30)).not.toBeNull();
    release?.();
    release?.();
    expect(budget.tryTake('a', 11)).toBeNull();
    expect(budget.tryTake('a', 10)).not.toBeNull();
  });

  it('lets others pass by a holder who has all of a share', async () => {
    const budget = new ByteBudget(OPTIONS);
    const first = await budget.take('a', 40);
    const order: string[] = [];
    const second = budget.take('a', 10).then(() => order.push('a'));
    await budget.take('b', 40).then(() => order.push('b'));
    first();
    await second;
    expect(order).toEqual(['b', 'a']);
  });

  it('refuses whom it cannot serve in time, and more than may wait', async () => {
    const budget = new ByteBudget({ ...OPTIONS, timeoutMs: 5 });
    await budget.take('a', 40);
    const waiting = [budget.take('a', 1), budget.take('a', 1)];
    await expect(budget.take('a', 1)).rejects.toBeInstanceOf(Refused);
    for (const one of waiting) await expect(one).rejects.toBeInstanceOf(Refused);
    expect(budget.tryTake('b', 40)).not.toBeNull();
  });

  it('never refuses a caller that waits without a time limit, and does not count it as waiting', async () => {
    const budget = new ByteBudget({ ...OPTIONS, timeoutMs: 5 });
    const first = await budget.take('a', 40);
    const unlimited = Array.from({ length: 20 }, () => budget.takeWithoutTimeout('a', 40));
    await expect(budget.take('a', 1)).rejects.toBeInstanceOf(Refused);
    first();
    for (const one of unlimited) (await one)();
    expect(budget.tryTake('a', 40)).not.toBeNull();
  });

  it('has room for others when the share shrinks with what is free', () => {
    const share = (held: number, free: number): number => Math.max(4, (held + free) / 4);
    const budget = new ByteBudget({ ...OPTIONS, share });
    const takenBy = (holder: string): number => {
      let times = 0;
      while (budget.tryTake(holder, 1) !== null) times += 1;
      return times;
    };
    expect(Array.from({ length: 12 }, (_, at) => takenBy(String(at)))).toEqual([
      25, 18, 14, 10, 8, 6, 4, 4, 4, 4, 3, 0,
    ]);
  });

  it('has all back when all is given back, however often it is, and leaves nobody waiting', async () => {
    const step = fc.record({ holder: fc.constantFrom('a', 'b', 'c'), bytes: fc.integer({ min: 1, max: 60 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const budget = new ByteBudget({ ...OPTIONS, maxQueued: 100 });
        const held: Release[] = [];
        const all = steps.map(({ holder, bytes }) => budget.take(holder, bytes).then((release) => held.push(release)));
        for (let isWaiting = true; isWaiting || held.length > 0;) {
          isWaiting = await Promise.race([Promise.all(all).then(() => false), tick()]);
          const release = held.shift();
          release?.();
          release?.();
          await tick();
        }
        for (const holder of ['x', 'y']) expect(budget.tryTake(holder, 40)).not.toBeNull();
        expect(budget.tryTake('z', 20)).not.toBeNull();
        expect(budget.tryTake('z', 1)).toBeNull();
      }),
    );
  });
});

function tick(): Promise<true> {
  return new Promise((resolve) => setImmediate(() => resolve(true)));
}
