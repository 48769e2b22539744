import { describe, expect, it } from '@jest/globals';
import type { KeyTuple } from '../../../src/modules/events/eql/matching/join-keys.js';
import type { MatchedEvent } from '../../../src/modules/events/eql/matching/matched-event.js';
import { PendingBudget, QueryNeedsTooMuchMemory } from '../../../src/modules/events/eql/matching/pending-budget.js';
import { SequenceMachine } from '../../../src/modules/events/eql/matching/sequence-machine.js';
import { PENDING_PARTIALS } from '../../../src/modules/events/eql/running/run-limits.js';

const key = (id: string): KeyTuple => ({ id, values: [id], weight: 1 });
const matched = (ms: number, ordinal: number): MatchedEvent => ({
  id: String(ordinal),
  ms,
  ordinal,
});

describe('the machine of sequences', () => {
  it('holds a key with a million values to the bound of the service', () => {
    const stages = { stages: [0, 1], gaps: [[], []], trailing: [], layout: [0, 1], until: null };
    const run = (maxspanMs: number | null): number => {
      let completed = 0;
      const machine = new SequenceMachine({ ...stages, maxspanMs }, new PendingBudget(PENDING_PARTIALS), () => {
        completed += 1;
      });
      for (let at = 0; at < 1_000_000; at += 1) {
        machine.push(matched(at, at), [[key(String(at))]]);
        // One in a thousand is completed by the event behind it.
        if (at % 1_000 === 0) machine.push(matched(at, at), [undefined, [key(String(at))]]);
      }
      return completed;
    };
    expect(run(PENDING_PARTIALS - 2)).toBe(1_000);
    expect(() => run(PENDING_PARTIALS + 1_000)).toThrow(QueryNeedsTooMuchMemory);
    expect(() => run(null)).toThrow(QueryNeedsTooMuchMemory);
  });
});
