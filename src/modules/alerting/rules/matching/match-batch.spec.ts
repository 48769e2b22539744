import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { asProjectId } from '../../../access/index.js';
import { filterOf, storedCondition } from '../../../events/conditions/index.js';
import type { StoredSeries } from '../machine/series.repository.js';
import type { LiveRule } from '../live-rules.repository.js';
import { CompiledRules } from './compiled-rules.js';
import type { AcceptedEvent, AcceptedLocator } from '../../../events/event-store/index.js';
import { type Act, actsOf, HitFinder, MOST_STEPS_OF_AN_EVENT, type SeriesHits } from './match-batch.js';
import { lapsed } from '../machine/matched-series.js';
import { RulesTooCostly } from '../outcomes/failure-reasons.js';
import { propertyRuns } from '../../../../../test/support/property-runs.js';

const SINCE = 1_000_000_000_000;

function rule(more: { condition?: object; groupBy?: string[]; holds?: LiveRule['holds']; id?: string }): LiveRule {
  const condition = storedCondition({ kind: 'match', ...more.condition });
  return {
    id: more.id ?? 'rule',
    projectId: asProjectId('project'),
    name: 'Rule',
    severity: 'info',
    condition,
    filter: filterOf(condition),
    groupBy: more.groupBy ?? [],
    holds: more.holds ?? { forSeconds: 0, keepFiringSeconds: 0 },
    cooldownSeconds: 0,
    isFailing: false,
    revision: 1,
    watchedSince: new Date(SINCE),
    lastEvaluatedAt: null,
    targets: { kind: 'project' },
  };
}

function event(at: number, fields: Record<string, unknown> = {}): AcceptedEvent {
  const position = String(at);
  return { position, ordinal: 1, id: position, timestamp: position, acceptedAt: new Date(SINCE + at * 1_000), fields };
}

const never = (): never => {
  throw new Error('no fault was expected');
};

function findHits(
  rules: readonly LiveRule[],
  events: readonly AcceptedEvent[],
  compiled: CompiledRules,
  onFault: (rule: LiveRule, event: AcceptedLocator, error: unknown) => void,
): SeriesHits[] {
  const finder = new HitFinder(rules, compiled, onFault);
  for (const one of events) for (const answer of finder.evaluate(one)) expect(answer).toBeUndefined();
  return finder.hits;
}

/**
 * Runs batches one after the other. @returns how often the rule fired before each recovery, and the series afterwards
 */
function run(one: LiveRule, batches: readonly AcceptedEvent[][]): { done: string[]; after: StoredSeries | undefined } {
  const compiled = new CompiledRules();
  let stored: StoredSeries | undefined;
  const acts: Act[] = [];
  for (const batch of batches) {
    for (const hits of findHits([one], batch, compiled, never)) {
      const result = actsOf(hits, stored);
      acts.push(...result.acts);
      stored = result.after?.state.state === 'inactive' ? undefined : (result.after ?? undefined);
    }
  }
  const done: string[] = [];
  let fires = 0;
  for (const act of [...acts, { kind: 'recover' as const }]) {
    if (act.kind === 'fire') fires += act.occurrences;
    else {
      done.push(`${fires}`);
      fires = 0;
    }
  }
  return { done, after: stored };
}

const seconds = fc.integer({ min: 0, max: 100 });
const holds = fc.record({
  forSeconds: fc.constantFrom(0, 10, 40),
  keepFiringSeconds: fc.constantFrom(0, 10, 60),
});

describe('a batch of matching events', () => {
  it('does the same however the events are dealt out to batches', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(seconds, fc.boolean()), { minLength: 1, maxLength: 40 }), holds, (waits, held) => {
        let at = 0;
        const batches: AcceptedEvent[][] = [[]];
        for (const [wait, cut] of waits) {
          if (cut) batches.push([]);
          batches.at(-1)?.push(event((at += wait)));
        }
        const one = rule({ holds: held });
        expect(run(one, batches)).toEqual(run(one, [batches.flat()]));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('is one occurrence for each event when nothing has to hold', () => {
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 40 }), (times) => {
        expect(run(rule({}), [times.map((at) => event(at))]).done).toEqual([String(times.length)]);
      }),
    );
  });

  it('tells of the event that began an occurrence, and knows the last', () => {
    const batch = [event(1), event(11), event(21), event(90), event(95), event(105)];
    const told = (held: LiveRule['holds']): unknown[] => {
      const [hits] = findHits([rule({ holds: held })], batch, new CompiledRules(), never);
      if (hits === undefined) throw new Error('the events match');
      return actsOf(hits, undefined).acts.map((act) =>
        act.kind === 'fire' ? [act.first.position, act.last.position, act.occurrences] : act.kind,
      );
    };
    expect(told({ forSeconds: 0, keepFiringSeconds: 0 })).toEqual([['1', '105', 6]]);
    expect(told({ forSeconds: 20, keepFiringSeconds: 0 })).toEqual([['21', '21', 1], 'recover']);
    expect(told({ forSeconds: 0, keepFiringSeconds: 30 })).toEqual([['1', '21', 3], 'recover', ['90', '105', 3]]);
  });

  it('fires at the first event that ends a run of gaps below the time it has to hold', () => {
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 40 }), fc.constantFrom(10, 40), (waits, forSeconds) => {
        let [at, runFrom, last] = [0, 0, 0];
        let fires = 0;
        const events: AcceptedEvent[] = [];
        for (const [index, wait] of waits.entries()) {
          at += wait;
          if (index === 0 || at - last >= forSeconds) runFrom = at;
          last = at;
          if (at - runFrom >= forSeconds) fires += 1;
          events.push(event(at));
        }
        const { done } = run(rule({ holds: { forSeconds, keepFiringSeconds: 0 } }), [events]);
        expect(done.reduce((sum, count) => sum + Number(count), 0)).toBe(fires);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('leaves a series that comes to rest by time alone', () => {
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 20 }), holds, (waits, held) => {
        fc.pre(held.forSeconds + held.keepFiringSeconds > 0);
        let at = 0;
        const { after } = run(rule({ holds: held }), [waits.map((wait) => event((at += wait)))]);
        const dueAt = after?.dueAt ?? 0;
        const wait =
          after?.state.state === 'pending' ? held.forSeconds : Math.max(held.forSeconds, held.keepFiringSeconds);
        expect(dueAt).toBe(SINCE + (at + wait) * 1_000);
        if (after)
          expect(lapsed(after, dueAt, held).after).toMatchObject({ state: { state: 'inactive' }, dueAt: null });
      }),
    );
  });

  it('asks each rule about its own events, and a fault of one stops nothing', () => {
    const groups = rule({ id: 'groups', groupBy: ['properties.shop'] });
    const late = { ...rule({ id: 'late' }), watchedSince: new Date(SINCE + 2_000) };
    const strict = rule({ id: 'strict', condition: { all: [{ field: 'properties.bad', op: 'exists', value: true }] } });
    const bad = event(3);
    Object.defineProperty(bad.fields, 'properties.bad', {
      enumerable: true,
      get: () => {
        throw new Error('poison');
      },
    });
    const faults: string[] = [];
    const hits = findHits(
      [groups, late, strict],
      [event(1, { 'properties.shop': 'a' }), event(2, { 'properties.shop': 'b', 'properties.bad': 1 }), bad],
      new CompiledRules(),
      (of, on) => faults.push(`${of.id} ${on.position}`),
    );
    expect(
      hits.map((hit) => [hit.rule.id, hit.series.groupValues, hit.events.map(({ position }) => position)]),
    ).toEqual([
      ['groups', { 'properties.shop': 'a' }, ['1']],
      ['groups', { 'properties.shop': 'b' }, ['2']],
      ['groups', { 'properties.shop': null }, ['3']],
      ['late', {}, ['2', '3']],
      ['strict', {}, ['2']],
    ]);
    expect(faults).toEqual(['strict 3']);
  });

  it('takes so many steps over one event for all rules together; those that come after say so, for that event alone', async () => {
    const TEXT = 'ab'.repeat(2_048);
    // Each rule takes about 43,000,000 steps, which is as costly as a filter may be.
    const dear = Array.from({ length: 12 }, (_, of) =>
      rule({
        id: `dear ${of}`,
        condition: {
          any: Array.from({ length: 20 }, (__, index) => ({
            field: 'properties.text',
            op: 'matches',
            value: `(a|b)*a[ab]{100}[^c]{100}[^d]{40}c${index}`,
          })),
        },
      }),
    );
    const cheap = rule({ id: 'cheap', condition: { all: [{ field: 'properties.text', op: 'exists', value: true }] } });
    const faults: string[] = [];
    const finder = new HitFinder([...dear, cheap], new CompiledRules(), (of, on, error) => {
      expect(error).toBeInstanceOf(RulesTooCostly);
      faults.push(`${of.id} ${on.position}`);
    });
    for (const one of [event(1, { 'properties.text': TEXT }), event(2, { 'properties.text': 'ab' })]) {
      for (const answer of finder.evaluate(one)) await answer;
    }
    const ofOne = 20 * 4_096 * 8 * (8 * 8 + 2);
    const asked = Math.floor(MOST_STEPS_OF_AN_EVENT / ofOne);
    expect(asked).toBeLessThan(dear.length);
    expect(faults).toEqual([...dear.slice(asked).map(({ id }) => `${id} 1`), 'cheap 1']);
    expect(finder.hits.map((hit) => [hit.rule.id, hit.events.map(({ position }) => position)])).toEqual([
      ['cheap', ['2']],
    ]);
    expect(finder.answers.size).toBe(dear.length + 1);
  });

  it('knows which rules were asked: none about events from before it, or of types that cannot fit', () => {
    const payments = rule({ id: 'payments', condition: { all: [{ field: 'event', op: 'eq', value: 'payment' }] } });
    const late = { ...rule({ id: 'late' }), watchedSince: new Date(SINCE + 10_000) };
    const finder = new HitFinder([payments, late, rule({ id: 'all' })], new CompiledRules(), never);
    const answersTo = (one: AcceptedEvent): string[] => {
      expect([...finder.evaluate(one)].filter((answer) => answer !== undefined)).toEqual([]);
      return [...finder.answers];
    };
    expect(answersTo(event(1, { event: 'order' }))).toEqual(['all']);
    expect(answersTo(event(2, { event: 'payment' }))).toEqual(['all', 'payments']);
    expect(answersTo(event(11, { event: 'order' }))).toEqual(['all', 'payments', 'late']);
  });
});
