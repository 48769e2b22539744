import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EQL_RUNS } from '../support/eql.js';
import { anyEvents, anyPlan, byRules, type KeyedEvent } from '../support/sequence-rules.js';
import type { KeyTuple } from '../../src/modules/events/eql/matching/join-keys.js';
import type { MatchedEvent } from '../../src/modules/events/eql/matching/matched-event.js';
import { PendingBudget, QueryNeedsTooMuchMemory } from '../../src/modules/events/eql/matching/pending-budget.js';
import { SampleCollector } from '../../src/modules/events/eql/matching/sample-collector.js';
import { SequenceMachine } from '../../src/modules/events/eql/matching/sequence-machine.js';
import type { SequencePlan } from '../../src/modules/events/eql/matching/sequence-plan.js';

const key = (id: string): KeyTuple => ({ id, values: [id], weight: 1 });
const matched = (ms: number, ordinal: number): MatchedEvent => ({
  id: String(ordinal),
  ms,
  ordinal,
});

function byMachine(plan: SequencePlan, events: readonly KeyedEvent[]): number[][] {
  const found: number[][] = [];
  const budget = new PendingBudget(1_000);
  const machine = new SequenceMachine(plan, budget, ({ events: of }) => found.push(of.map(({ ordinal }) => ordinal)));
  for (const [at, { ms, keys }] of events.entries()) {
    machine.push(
      matched(ms, at),
      keys.map((ids) => (ids.length === 0 ? undefined : ids.map(key))),
    );
  }
  machine.end();
  return found;
}

describe('the machine of sequences', () => {
  it('finds what the rules say, in their order', () => {
    fc.assert(
      fc.property(anyPlan, anyEvents, (asked, given) => {
        expect(byMachine(asked, given)).toEqual(byRules(asked, given));
      }),
      { numRuns: 10 * EQL_RUNS },
    );
  });

  it('keeps no more than it may, and nothing that the span has ended', () => {
    const stages = { stages: [0, 1], gaps: [[], []], trailing: [], layout: [0, 1], until: null };
    const run = (maxspanMs: number | null): void => {
      const machine = new SequenceMachine({ ...stages, maxspanMs }, new PendingBudget(100), () => undefined);
      for (let at = 0; at < 10_000; at += 1) machine.push(matched(at, at), [[key(String(at))]]);
    };
    expect(() => run(null)).toThrow(QueryNeedsTooMuchMemory);
    expect(() => run(100)).toThrow(QueryNeedsTooMuchMemory);
    expect(() => run(98)).not.toThrow();
  });
});

describe('the samples of events', () => {
  it('are the earliest events of each term, all different, of each key', () => {
    const asked = fc.tuple(fc.integer({ min: 2, max: 3 }), fc.integer({ min: 1, max: 4 }), anyEvents);
    fc.assert(
      fc.property(asked, ([count, most, given]) => {
        const collector = new SampleCollector(count, most, new PendingBudget(100_000));
        for (const [at, { ms, keys }] of given.entries()) {
          collector.push(
            matched(ms, at),
            keys.slice(0, count).map((ids) => (ids.length === 0 ? undefined : ids.map(key))),
          );
        }
        const found = [...collector.samples()].map(({ keys: [id], events: of }) => [
          id,
          ...of.map(({ ordinal }) => ordinal),
        ]);
        const expected = ['x', 'y'].flatMap((id) => {
          const ofTerm = (place: number): number[] =>
            given.flatMap(({ keys }, at) => (keys[place]?.includes(id) === true ? [at] : []));
          let all: number[][] = [[]];
          for (let place = 0; place < count; place += 1) {
            all = all.flatMap((of) => ofTerm(place).flatMap((at) => (of.includes(at) ? [] : [[...of, at]])));
          }
          return all.slice(0, most).map((of) => [id, ...of]);
        });
        expect(found).toEqual(expected);
      }),
      { numRuns: EQL_RUNS },
    );
  });
});
