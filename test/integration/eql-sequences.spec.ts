import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EQL_RUNS } from '../support/eql.js';
import type { KeyTuple } from '../../src/modules/events/eql/matching/join-keys.js';
import type { MatchedEvent } from '../../src/modules/events/eql/matching/matched-event.js';
import { PendingBudget, QueryNeedsTooMuchMemory } from '../../src/modules/events/eql/matching/pending-budget.js';
import { SampleCollector } from '../../src/modules/events/eql/matching/sample-collector.js';
import { SequenceMachine } from '../../src/modules/events/eql/matching/sequence-machine.js';
import type { SequencePlan } from '../../src/modules/events/eql/matching/sequence-plan.js';

const TERMS = 5;

interface Event {
  readonly ms: number;
  /** By term: the keys with which it fits. */
  readonly keys: readonly (readonly string[])[];
}

const key = (id: string): KeyTuple => ({ id, values: [id], weight: 1 });
const matched = (ms: number, ordinal: number): MatchedEvent => ({
  id: String(ordinal),
  ms,
  ordinal,
});

function byMachine(plan: SequencePlan, events: readonly Event[]): number[][] {
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

/** The rules word by word, each looking through all events again. */
function byRules({ stages, gaps, trailing, until, maxspanMs }: SequencePlan, events: readonly Event[]): number[][] {
  const msOf = (at: number): number => events[at]?.ms ?? 0;
  const fits = (at: number, term: number, id: string): boolean => events[at]?.keys[term]?.includes(id) === true;
  const all = events.map((_, at) => at);
  const found: { of: number[]; endMs: number }[] = [];
  const isLone = (of: readonly number[], id: string): number | null => {
    const [first, last] = [of[0] ?? 0, of.at(-1) ?? 0];
    if (maxspanMs === null) return 0;
    const leads = all.filter((at) => at < first && (gaps[0] ?? []).some((term) => fits(at, term, id)));
    const trails = all.filter((at) => at > last && trailing.some((term) => fits(at, term, id)));
    const [hasLead, hasTrail] = [(gaps[0] ?? []).length > 0, trailing.length > 0];
    const spans: number[] = [];
    if (!hasTrail) spans.push(msOf(last) - maxspanMs);
    else if (!hasLead) spans.push(msOf(first));
    else for (let from = msOf(last) - maxspanMs; from <= msOf(first); from += 0.5) spans.push(from);
    const whole = spans.filter(
      (from) =>
        !leads.some((at) => hasLead && msOf(at) >= from) &&
        !trails.some((at) => hasTrail && msOf(at) <= from + maxspanMs),
    );
    if (whole.length === 0) return null;
    if (!hasTrail) return 0;
    const led = Math.max(-Infinity, ...leads.map(msOf));
    return hasLead ? Math.max(msOf(last), led + maxspanMs) : msOf(first) + maxspanMs;
  };
  const slots = new Map<string, (number[] | undefined)[]>();
  for (const at of all) {
    const complete: [number[], string][] = [];
    for (let stage = stages.length - 1; stage >= 0; stage -= 1) {
      for (const id of events[at]?.keys[stages[stage] ?? 0] ?? []) {
        const own = slots.get(id) ?? [];
        slots.set(id, own);
        let before: number[] | undefined = [];
        if (stage > 0) {
          before = own[stage - 1];
          own[stage - 1] = undefined;
          if (before === undefined) continue;
          if (maxspanMs !== null && msOf(at) - msOf(before[0] ?? 0) > maxspanMs) continue;
          const last = before.at(-1) ?? 0;
          if (
            all.some((other) => other > last && other < at && (gaps[stage] ?? []).some((term) => fits(other, term, id)))
          ) {
            continue;
          }
        }
        if (stage === stages.length - 1) complete.push([[...before, at], id]);
        else own[stage] = [...before, at];
      }
    }
    for (const [of, id] of complete) {
      const endMs = isLone(of, id);
      if (endMs !== null) found.push({ of, endMs });
    }
    if (until !== null) for (const id of events[at]?.keys[until] ?? []) slots.delete(id);
  }
  // Sorting keeps the order of those that end together.
  return (trailing.length === 0 ? found : found.sort((a, b) => a.endMs - b.endMs)).map(({ of }) => of);
}

const term = fc.nat(TERMS - 1);
const terms = fc.array(term, { maxLength: 1 });
const plan = fc
  .tuple(
    fc.array(fc.tuple(term, terms), { minLength: 1, maxLength: 4 }),
    terms,
    fc.option(term),
    fc.option(fc.integer({ min: 1, max: 6 })),
  )
  .map(([stages, trailing, until, maxspanMs]): SequencePlan => {
    const hasSpan = maxspanMs !== null;
    return {
      stages: stages.map(([stage]) => stage),
      gaps: stages.map(([, missing]) => (hasSpan ? missing : [])),
      trailing: hasSpan ? trailing : [],
      layout: [],
      until,
      maxspanMs,
    };
  });
const events = fc
  .array(
    fc.record({
      step: fc.nat(2),
      keys: fc.array(fc.constantFrom<readonly string[]>([], [], ['x'], ['y'], ['x', 'y']), {
        minLength: TERMS,
        maxLength: TERMS,
      }),
    }),
    { maxLength: 24 },
  )
  .map((written) => {
    let ms = 0;
    return written.map(({ step, keys }): Event => ({ ms: (ms += step), keys }));
  });

describe('the machine of sequences', () => {
  it('finds what the rules say, in their order', () => {
    fc.assert(
      fc.property(plan, events, (asked, given) => {
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
    const asked = fc.tuple(fc.integer({ min: 2, max: 3 }), fc.integer({ min: 1, max: 4 }), events);
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
