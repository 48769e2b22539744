import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import type { Json } from '../../support/delivery.js';
import { insertEvents } from '../../support/event-rows.js';
import { evaluateRules, type RuleClient, RULES_ENV, rulesOf } from '../../support/rules.js';
import { VirtualRules } from '../../support/virtual-rules.js';

/** Long ago, so that the present has no part in it; in the middle of an hour. */
const START = new Date('2026-03-01T12:20:00.000Z');
const COUNT_OVER_10 = { kind: 'threshold', window_seconds: 300, aggregate: 'count', op: 'gt', value: 10 };

/** Evaluations of rules so far, also those that failed. */
async function evaluationsOf(app: TestApp): Promise<number> {
  const text = await app.metrics();
  const counts = [...text.matchAll(/^oes_alert_rule_evaluations_total\{.*\} (\d+)$/gm)].map(([, count]) =>
    Number(count),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

describe('a rule on a window', () => {
  let app: TestApp;
  let owner: Owner;
  let rules: RuleClient;
  let time: VirtualRules;

  beforeAll(async () => {
    app = await createTestApp({ env: RULES_ENV });
  });
  beforeEach(async () => {
    // Those of the tests before come due again meanwhile.
    await app.rows('DELETE FROM alert_rules');
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
    time = new VirtualRules(app, owner.projectId, START);
    await isUpSince(time.at(-86_400));
  });
  afterAll(() => app.close());

  /** Ingestion and evaluation have been running for as long as this. */
  const isUpSince = async (since: Date): Promise<void> => {
    await app.rows(
      `INSERT INTO alert_heartbeats (name, up_since, beat_at)
       SELECT name, $1, now() + interval '1 hour' FROM unnest('{ingestion,evaluation}'::text[]) name
       ON CONFLICT ON CONSTRAINT pk_alert_heartbeats DO UPDATE SET up_since = $1, beat_at = excluded.beat_at`,
      [since],
    );
  };
  const make = async (rule: object): Promise<string> => {
    const id = await rules.rule(rule);
    await time.begin();
    return id;
  };
  const raised = (): Promise<Json[]> =>
    app.rows(
      `SELECT group_values, occurrences::int, status, message, payload, event_id FROM alert_events
       WHERE project_id = $1 ORDER BY created_at, id`,
      [owner.projectId],
    );

  it('is evaluated only once when it is due while several workers race', async () => {
    const other = await createTestApp({ env: RULES_ENV, databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          // Over so long that none of them is due again before the test says so.
          rules.rule({ name: `Rule ${n}`, condition: { ...COUNT_OVER_10, window_seconds: 3_600, op: 'lt' } }),
        ),
      );
      await rules.rule({ name: 'Off', is_enabled: false, condition: { ...COUNT_OVER_10, op: 'lt' } });
      // Not what a round tells: it counts projects, too, all of which are judged at the end of each five minutes.
      const evaluated = async (): Promise<number> => (await evaluationsOf(app)) + (await evaluationsOf(other));
      const before = await evaluated();
      await app.rows(`UPDATE sentinel_projects SET due_at = now(), judged_until = judged_until - interval '5 minutes'`);
      await Promise.all([app, other, app, other].map(evaluateRules));
      expect((await evaluated()) - before).toBe(20);
      expect(await raised()).toHaveLength(20);
      expect((await raised()).filter(({ occurrences }) => occurrences !== 1)).toEqual([]);
      await evaluateRules(app);
      expect((await evaluated()) - before).toBe(20);
      await app.rows(`UPDATE alert_rules SET next_evaluation_at = now() WHERE next_evaluation_at IS NOT NULL`);
      await Promise.all([app, other, app, other].map(evaluateRules));
      // It is the same episode.
      expect((await raised()).filter(({ occurrences }) => occurrences !== 1)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  describe('a back-test', () => {
    const SECONDS = 900;
    const stored = (): Promise<unknown> =>
      Promise.all(
        ['alert_rules', 'alert_rule_series', 'alert_events', 'alert_deliveries', 'audit_events'].map((name) =>
          app.rows(`SELECT * FROM ${name} t ORDER BY t::text`),
        ),
      );
    const holds = fc.record({
      for_seconds: fc.constantFrom(0, 0, 60),
      keep_firing_seconds: fc.constantFrom(0, 0, 90),
      group_by: fc.constantFrom<string[]>([], ['properties.shop']),
    });
    const events = fc.array(
      fc.record({ at: fc.integer({ min: 0, max: SECONDS - 1 }), shop: fc.constantFrom('a', 'b'), n: fc.nat(20) }),
      { maxLength: 60 },
    );
    const condition = fc.oneof(
      fc.record({
        kind: fc.constant('threshold'),
        window_seconds: fc.constantFrom(60, 120),
        aggregate: fc.constant('avg'),
        aggregate_field: fc.constant('properties.n'),
        op: fc.constant('gte'),
        value: fc.integer({ min: 5, max: 15 }),
      }),
      fc.record({
        kind: fc.constant('rate_of_change'),
        window_seconds: fc.constantFrom(60, 120),
        compare_seconds: fc.constantFrom(60, 300),
        aggregate: fc.constant('count'),
        direction: fc.constantFrom('up', 'down', 'both'),
        percent: fc.constantFrom(50, 100),
      }),
      fc.record({ kind: fc.constant('absence'), window_seconds: fc.constantFrom(60, 120) }),
    );

    it('returns the firings that the workers would have produced', async () => {
      let firings = 0;
      await fc.assert(
        fc.asyncProperty(condition, holds, events, async (written, held, sent) => {
          await app.rows('DELETE FROM alert_rules WHERE project_id = $1', [owner.projectId]);
          await app.rows('DELETE FROM alert_events WHERE project_id = $1', [owner.projectId]);
          await app.rows('DELETE FROM events WHERE project_id = $1', [owner.projectId]);
          time.now = START.getTime();
          await insertEvents(
            app,
            owner.projectId,
            sent.map(({ at, shop, n }) => ({ timestamp: time.at(at), properties: { shop, n } })),
          );
          const id = await make({ condition: written, ...held });
          await isUpSince(time.at(0));
          const before = await stored();
          const answer = await rules.backtest(id, {
            from_ts: time.at(0).toISOString(),
            to_ts: time.at(SECONDS).toISOString(),
          });
          expect(answer.status).toBe(200);
          expect(await stored()).toEqual(before);
          const { evaluations, step_seconds: step, truncated, firings: told } = answer.body;
          expect([evaluations, truncated]).toEqual([Math.floor(SECONDS / step) + 1, false]);

          const lived: Json[] = [];
          for (let look = 0; look < evaluations; look += 1) {
            await time.evaluate(id);
            const alerts = await raised();
            alerts.forEach(({ group_values: group, message: reason, status }, at) => {
              const now = time.at(0).toISOString();
              lived[at] ??= { at: now, until: null, group, reason };
              if (status === 'resolved') lived[at].until ??= now;
            });
            time.advance(step);
          }
          const seen = told.map(({ at, until, group, reason }: Json) => ({ at, until, group, reason }));
          const inOrder = (all: Json[]): string[] => all.map((one) => JSON.stringify(one)).sort();
          expect(inOrder(seen)).toEqual(inOrder(lived));
          firings += lived.length;
        }),
        { numRuns: 8 },
      );
      expect(firings).toBeGreaterThan(0);
    });
  });
});
