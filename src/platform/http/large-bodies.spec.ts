import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ServiceOverloaded } from './domain-error.js';
import { LargeBodies } from './large-bodies.js';

describe('a large body', () => {
  it('is read alone, with a turn of the event loop before the next one', async () => {
    const bodies = new LargeBodies();
    let [under, most, rounds] = [0, 0, 0];
    const read = async (): Promise<void> => {
      const { rest, end } = await bodies.acquire('a');
      under += 1;
      most = Math.max(most, under);
      const before = rounds;
      await rest();
      under -= 1;
      end();
      end();
      expect(rounds).toBeGreaterThan(before);
    };
    const reading = Promise.all(Array.from({ length: 20 }, read)).then(() => true);
    while (!(await Promise.race([reading, nextTurn(false)]))) rounds += 1;
    expect(most).toBe(1);
  });

  it('does not keep a body of another sender waiting', async () => {
    const bodies = new LargeBodies();
    const order: string[] = [];
    const read = async (holder: string): Promise<void> => {
      const { end } = await bodies.acquire(holder);
      order.push(holder);
      end();
    };
    await Promise.all([...Array.from({ length: 30 }, () => read('a')), read('b'), read('c')]);
    expect(order.slice(0, 4).sort()).toEqual(['a', 'a', 'b', 'c']);
  });

  it('is refused when too many wait', async () => {
    const bodies = new LargeBodies();
    const { end } = await bodies.acquire('a');
    const waiting = Array.from({ length: 64 }, () => bodies.acquire('a').then((slot) => slot.end()));
    await expect(bodies.acquire('a')).rejects.toBeInstanceOf(ServiceOverloaded);
    const other = bodies.acquire('b').then((slot) => slot.end());
    end();
    await Promise.all([...waiting, other]);
  });
});
