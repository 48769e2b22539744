import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertClient, alertsOf } from '../../support/alerts.js';
import type { Json } from '../../support/delivery.js';
import { Sender } from '../../support/ingestion.js';
import { eventIs, evaluateRules, matchEvents, type RuleClient, rulesOf } from '../../support/rules.js';
import { app } from './api-app.js';

describe('an alert rule of single events', () => {
  let sender: Sender;
  let owner: Owner;
  let rules: RuleClient;
  let alerts: AlertClient;

  beforeAll(() => {
    sender = new Sender(app.url);
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
    alerts = alertsOf(app, owner);
  });
  afterAll(() => sender.close());

  const send = async (...events: object[]): Promise<void> => {
    for (const event of events) {
      const answer = await sender.ingest(owner.apiKey, { event_type: 'payment.failed', source: 'shop', ...event });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    }
  };
  /** Sends events and has them matched. */
  const ingest = async (...events: object[]): Promise<void> => {
    await send(...events);
    await matchEvents(app);
  };
  /** The alert events of the project, the oldest first. */
  const raised = (): Promise<Json[]> =>
    app.rows(
      `SELECT alert_rule_id, group_values, occurrences::int, status
       FROM alert_events WHERE project_id = $1 ORDER BY created_at, id`,
      [owner.projectId],
    );
  const occurrences = async (): Promise<number[]> => (await raised()).map((one) => one.occurrences as number);

  it('is evaluated also when an alert event cannot be stored and when another rule cannot be read', async () => {
    await rules.rule({ name: 'Poison', group_by: ['properties.shop'] });
    const good = await rules.rule({ name: 'Good' });
    const unreadable = await rules.rule({ name: 'Unreadable' });
    await app.rows(`UPDATE alert_rules SET condition = '{"kind": "match", "all": [{"op": "was"}]}' WHERE id = $1`, [
      unreadable,
    ]);
    await app.rows(
      `ALTER TABLE alert_events ADD CONSTRAINT poison CHECK (group_values ->> 'properties.shop' IS DISTINCT FROM 'bad')`,
    );
    try {
      await ingest({ payload: { shop: 'fine' } }, { payload: { shop: 'bad' } }, { payload: { shop: 'fine' } });
    } finally {
      await app.rows('ALTER TABLE alert_events DROP CONSTRAINT poison');
    }
    const found = (await raised()).map((one) => [one.alert_rule_id === good, one.occurrences]);
    expect(found).toEqual(
      expect.arrayContaining([
        [true, 3],
        [false, 2],
      ]),
    );
    expect(found).toHaveLength(2);
    const logged = app.logLines.join('\n');
    expect(logged).toContain('cannot be raised and is left out');
    expect(logged).toContain(`rule ${unreadable} cannot be read`);
    // Once for each batch, and a batch is all that follows.
    const failures = async (): Promise<number> =>
      Number(/^oes_alert_rule_evaluation_failures_total (\d+)/m.exec(await app.metrics())?.[1] ?? 0);
    const before = await failures();
    await ingest({});
    expect(await failures()).toBe(before + 1);
    const failing = await rules.get(unreadable);
    expect(failing).toMatchObject({
      state: 'failing',
      last_error: expect.stringContaining('no longer accepted: all.0'),
    });
    expect((await rules.backtest(unreadable)).body.detail).toEqual({
      code: 'evaluation_failed',
      reason: failing.last_error,
    });
    expect(await occurrences()).toEqual(expect.arrayContaining([4]));
    await rules.patch(unreadable, { condition: { kind: 'match', ...eventIs('payment.failed') } });
    await ingest({});
    expect(await rules.get(unreadable)).toMatchObject({ state: 'firing', last_error: null, last_error_at: null });
  });

  it('fires over the past as its back-test says, and the back-test stores nothing', async () => {
    const SECONDS = 1_500;
    const beginning = Date.now() - 7_200_000;
    const held = fc.record({
      for_seconds: fc.constantFrom(0, 0, 60, 120),
      keep_firing_seconds: fc.constantFrom(0, 0, 90),
      group_by: fc.constantFrom<string[]>([], ['properties.shop']),
    });
    const times = fc.array(fc.record({ at: fc.nat(SECONDS), shop: fc.constantFrom('a', 'b') }), { maxLength: 25 });
    const stored = (): Promise<unknown> =>
      Promise.all(
        ['alert_rules', 'alert_rule_series', 'alert_events', 'alert_deliveries', 'event_outbox', 'audit_events'].map(
          (name) => app.rows(`SELECT * FROM ${name} t ORDER BY t::text`),
        ),
      );
    const apart = Array.from({ length: 16 }, (_, n) => ({ at: n * 61, shop: n % 2 === 0 ? 'a' : 'b' }));
    let episodes = 0;
    await fc.assert(
      fc.asyncProperty(held, times, async (holds, sent) => {
        for (const table of ['alert_rules', 'alert_events', 'events']) {
          await app.rows(`DELETE FROM ${table} WHERE project_id = $1`, [owner.projectId]);
        }
        // What waits to be raised has places that grow by a digit on the way.
        await app.rows(`SELECT setval(pg_get_serial_sequence('alert_rule_firings', 'position'), 5)`);
        const id = await rules.rule({ ...holds, cooldown_seconds: 86_400 });
        for (const { at, shop } of [...sent].sort((a, b) => a.at - b.at)) {
          await send({ timestamp: new Date(beginning + at * 1_000).toISOString(), payload: { shop } });
        }
        await app.rows('UPDATE alert_rules SET watched_since = $1', [new Date(beginning)]);
        await app.rows('UPDATE event_outbox SET created_at = timestamps[1]');
        const before = await stored();
        const answer = await rules.backtest(id, { from_ts: new Date(beginning).toISOString() });
        expect([answer.status, answer.body.evaluations, answer.body.truncated]).toEqual([200, sent.length, false]);
        expect(await stored()).toEqual(before);
        await matchEvents(app);
        await evaluateRules(app);
        const ofEpisode = (group: Json, count: number, isOver: boolean): string =>
          JSON.stringify([group, count, isOver]);
        const told = answer.body.firings.map((one: Json) => ofEpisode(one.group, one.occurrences, one.until !== null));
        const lived = (await raised()).map((one) =>
          ofEpisode(one.group_values, one.occurrences as number, one.status === 'resolved'),
        );
        expect(told.sort()).toEqual(lived.sort());
        episodes += lived.length;
      }),
      // More come of the first than are raised at once.
      { numRuns: 15, examples: [[{ for_seconds: 0, keep_firing_seconds: 90, group_by: ['properties.shop'] }, apart]] },
    );
    expect(episodes).toBeGreaterThan(0);
  });

  it('counts its notifications in a metric when everything that it was linked to is deleted', async () => {
    const linked = await alerts.destination('http://127.0.0.1:9/');
    await rules.rule({ destination_ids: [linked] });
    const toNobody = async (): Promise<number> =>
      Number(/^oes_alert_notices_to_nobody_total (\d+)/m.exec(await app.metrics())?.[1] ?? 0);
    const before = await toNobody();
    await alerts.send('delete', `/v1/alert-destinations/${linked}`);
    await ingest({});
    expect(await toNobody()).toBe(before + 1);
  });
});
