import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DurationList, DurationRanks } from '../../src/modules/events/analytics/funnel/duration-ranks.js';
import { FunnelMachine } from '../../src/modules/events/analytics/funnel/funnel-machine.js';
import { INSIGHT_RUNS, rankOf } from '../support/insight.js';

interface Seen {
  readonly key: string;
  readonly type: number;
  readonly ms: number;
}

/** The shortest chain of each length: every subsequence is tried. Infinity: there is none. */
function shortest(events: readonly Seen[], steps: readonly number[], within: number): number[] {
  const best = steps.map(() => Infinity);
  const follow = (from: number, step: number, begun: number): void => {
    for (let at = from; at < events.length; at += 1) {
      const { type, ms } = events[at]!;
      const beginning = step === 0 ? ms : begun;
      if (type !== steps[step] || ms - beginning > within) continue;
      best[step] = Math.min(best[step]!, ms - beginning);
      if (step + 1 < steps.length) follow(at + 1, step + 1, beginning);
    }
  };
  follow(0, 0, 0);
  return best;
}

const pause = (): Promise<void> => Promise.resolve();

describe('chains of events', () => {
  it('are as long and as short as the best of all that there could be', async () => {
    const type = fc.integer({ min: 0, max: 2 });
    const seen = fc.record({ key: fc.constantFrom('x', 'y', 'z'), type, pause: fc.constantFrom(0, 0, 1, 2, 5) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(seen, { maxLength: 14 }),
        fc.array(type, { minLength: 2, maxLength: 5 }),
        fc.integer({ min: 1, max: 12 }),
        async (pauses, steps, within) => {
          let ms = -20;
          const events = pauses.map(({ key, type: of, pause }): Seen => ({ key, type: of, ms: (ms += pause) }));
          const wanted = events.filter((event) => steps.includes(event.type));
          const machine = new FunnelMachine(steps, within, 10, () => new Error('too many'));
          const keys = [...new Set(wanted.map(({ key }) => key))];
          for (const key of keys) {
            for (const [index, event] of wanted.filter((one) => one.key === key).entries())
              machine.push(index === 0, event.type, event.ms);
          }
          const best = keys.map((key) =>
            shortest(
              wanted.filter((event) => event.key === key),
              steps,
              within,
            ),
          );
          const times = steps.map((_, step) => best.flatMap((of) => (of[step] === Infinity ? [] : of[step]!)));
          const { reached, durations, keys: count } = await machine.end(pause);
          expect({ reached, count }).toEqual({ reached: times.map(({ length }) => length), count: keys.length });
          for (const quantile of [0.5, 0.95, 1]) {
            expect(await Promise.all(durations.map((of) => of.quantile(quantile)))).toEqual(
              times.slice(1).map((of) => rankOf(of, quantile)),
            );
          }
        },
      ),
      { numRuns: 5 * INSIGHT_RUNS },
    );
  });

  it('are followed for so many keys and no more, and let others in between', async () => {
    const machine = new FunnelMachine([0, 1], 10, 70_000, () => new Error('too many'));
    for (let key = 0; key < 70_000; key += 1) {
      machine.push(true, 0, key);
      machine.push(false, 1, key + (key % 10));
    }
    let pauses = 0;
    const end = await machine.end(() => Promise.resolve(void (pauses += 1)));
    expect(end).toMatchObject({ reached: [70_000, 70_000], keys: 70_000 });
    expect(await end.durations[0]!.quantile(0.5)).toBe(4);
    // Of each of the two pieces: its durations, and a rank.
    expect(pauses).toBe(4);
    expect(() => machine.push(true, 0, 1)).toThrow('too many');
  });
});

describe('ranks of durations', () => {
  it('are those of the sorted ones', async () => {
    const duration = fc.oneof(fc.integer({ min: 0, max: 2_592_000_000 }), fc.constantFrom(0, 65_535, 65_536));
    await fc.assert(
      fc.asyncProperty(
        fc.array(duration, { maxLength: 50 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        async (known, quantile) => {
          const list = new DurationList();
          for (const one of known) list.add(one);
          const ranks = await DurationRanks.of(list.parts(), pause);
          expect(ranks.count).toBe(known.length);
          expect(await ranks.quantile(quantile)).toBe(rankOf(known, quantile));
        },
      ),
      { numRuns: 5 * INSIGHT_RUNS },
    );
  });
});
