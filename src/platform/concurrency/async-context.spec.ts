import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AsyncContext } from './async-context.js';

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  return { given: new Promise((resolve) => (give = resolve)), give: () => give() };
}

describe('AsyncContext', () => {
  it('is undefined outside', async () => {
    const context = new AsyncContext<string>();
    expect(context.get()).toBeUndefined();
    expect(await context.during('a', async () => (await nextTurn(), context.get()))).toBe('a');
    expect(context.get()).toBeUndefined();
  });

  it('keeps those apart who are inside together, and those who come later', async () => {
    const context = new AsyncContext<number>();
    const seen: number[][] = [];
    const turns = async (value: number, count: number): Promise<void> => {
      const mine: number[] = [];
      for (let turn = 0; turn < count; turn += 1) {
        await nextTurn();
        mine.push(context.get() ?? -1);
      }
      seen[value] = mine;
    };
    await Promise.all([context.during(0, () => turns(0, 3)), context.during(1, () => turns(1, 6))]);
    await context.during(2, () => turns(2, 2));
    expect(seen).toEqual([Array(3).fill(0), Array(6).fill(1), Array(2).fill(2)]);
  });

  it('is there until the given end, whoever else leaves', async () => {
    const context = new AsyncContext<string>();
    const later = signal();
    const reading = context.until('mine', async (leave) => {
      await later.given;
      const value = context.get();
      leave();
      leave();
      return value;
    });
    await context.during('other', () => nextTurn());
    later.give();
    expect(await reading).toBe('mine');
  });

  it('stays for what was held, and is gone for the rest', async () => {
    const context = new AsyncContext<string>();
    const goOn = signal();
    const [held, release] = context.until('a', (leave) => {
      const letGo = context.hold();
      const reading = goOn.given.then(() => context.get());
      leave();
      return [reading, letGo] as const;
    });
    goOn.give();
    expect(await held).toBe('a');
    release();
    const nobody = context.hold();
    expect(context.get()).toBeUndefined();
    nobody();
  });

  it('fails as the work does, and is left all the same', async () => {
    const context = new AsyncContext<string>();
    await expect(context.during('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(context.get()).toBeUndefined();
    expect(await context.during('b', async () => (await nextTurn(), context.get()))).toBe('b');
  });
});
