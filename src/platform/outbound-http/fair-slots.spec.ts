import { describe, expect, it } from '@jest/globals';
import { FairSlots } from './fair-slots.js';

const never = () => new AbortController().signal;

/** Jobs that end when told; `started` says in which order they began. */
function jobs(slots: FairSlots) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, share: string, signal = never()) =>
    slots.run(share, signal, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, run, end };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('fair slots', () => {
  it('hold a share to its own limit while another goes on', async () => {
    const { started, run, end } = jobs(new FairSlots(10, 2));
    const first = run('a1', 'a');
    void run('a2', 'a');
    const third = run('a3', 'a');
    void run('b1', 'b');
    await turn();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(await first).toBe('a1');
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    await end('a3');
    expect(await third).toBe('a3');
  });

  it('take turns between the shares that wait, first come first served in each', async () => {
    const { started, run, end } = jobs(new FairSlots(1, 1));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void run(name, name.charAt(0));
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
      await turn();
      expect(started.at(-1)).toBe(name);
      await end(name);
    }
  });

  it('let go of who gave up, and of a job that failed', async () => {
    const slots = new FairSlots(1, 1);
    const { started, run, end } = jobs(slots);
    const giveUp = new AbortController();
    void run('a1', 'a');
    const second = run('a2', 'a', giveUp.signal);
    const third = run('a3', 'a');
    giveUp.abort();
    expect(await second).toBeUndefined();
    expect(await run('a4', 'a', giveUp.signal)).toBeUndefined();
    await end('a1');
    expect(started).toEqual(['a1', 'a3']);
    await end('a3');
    expect(await third).toBe('a3');
    await expect(slots.run('a', never(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.run('a', never(), () => Promise.resolve('yes'))).toBe('yes');
  });

  it('are not held up by thousands of one share', async () => {
    const { started, run } = jobs(new FairSlots(20, 5));
    for (let i = 0; i < 10_000; i++) void run(`a${i}`, 'a');
    void run('b', 'b');
    await turn();
    expect(started).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'b']);
  });
});
