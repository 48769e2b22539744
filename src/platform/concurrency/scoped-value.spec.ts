import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ScopedValue } from './scoped-value.js';

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  return { given: new Promise((resolve) => (give = resolve)), give: () => give() };
}

describe('ScopedValue', () => {
  it('is undefined outside', async () => {
    const scoped = new ScopedValue<string>();
    expect(scoped.get()).toBeUndefined();
    expect(await scoped.during('a', async () => (await nextTurn(), scoped.get()))).toBe('a');
    expect(scoped.get()).toBeUndefined();
  });

  it('keeps those apart who are inside together, and those who come later', async () => {
    const scoped = new ScopedValue<number>();
    const seen: number[][] = [];
    const turns = async (value: number, count: number): Promise<void> => {
      const mine: number[] = [];
      for (let turn = 0; turn < count; turn += 1) {
        await nextTurn();
        mine.push(scoped.get() ?? -1);
      }
      seen[value] = mine;
    };
    await Promise.all([scoped.during(0, () => turns(0, 3)), scoped.during(1, () => turns(1, 6))]);
    await scoped.during(2, () => turns(2, 2));
    expect(seen).toEqual([Array(3).fill(0), Array(6).fill(1), Array(2).fill(2)]);
  });

  it('is there until the given end, whoever else leaves', async () => {
    const scoped = new ScopedValue<string>();
    const later = signal();
    const reading = scoped.until('mine', async (leave) => {
      await later.given;
      const value = scoped.get();
      leave();
      leave();
      return value;
    });
    await scoped.during('other', () => nextTurn());
    later.give();
    expect(await reading).toBe('mine');
  });

  it('stays for what was held, and is gone for the rest', async () => {
    const scoped = new ScopedValue<string>();
    const goOn = signal();
    const [held, release] = scoped.until('a', (leave) => {
      const letGo = scoped.hold();
      const reading = goOn.given.then(() => scoped.get());
      leave();
      return [reading, letGo] as const;
    });
    goOn.give();
    expect(await held).toBe('a');
    release();
    const nobody = scoped.hold();
    expect(scoped.get()).toBeUndefined();
    nobody();
  });

  it('fails as the work does, and is left all the same', async () => {
    const scoped = new ScopedValue<string>();
    await expect(scoped.during('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(scoped.get()).toBeUndefined();
    expect(await scoped.during('b', async () => (await nextTurn(), scoped.get()))).toBe('b');
  });
});
