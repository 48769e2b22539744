import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertClient, alertsOf, expectedSignature, runAlertDeliveries } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, deliveryOf, type Json } from '../../support/delivery.js';
import { Sender } from '../../support/ingestion.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { eventIs, evaluateRules, matchEvents, type RuleClient, RULES_ENV, rulesOf } from '../../support/rules.js';
import { createSource } from '../../support/sources.js';
import { age } from '../../support/virtual-rules.js';

const SECRET = 'the-secret-of-the-receiver-0123456789';
const STORM = 10_000;
const LINES = 1_000;
const DESTINATIONS = 3;

describe('rules that are woken by events', () => {
  let app: TestApp;
  let sender: Sender;
  let owner: Owner;
  let rules: RuleClient;
  let alerts: AlertClient;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await createTestApp({ env: RULES_ENV });
    sender = new Sender(app.url);
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
    alerts = alertsOf(app, owner);
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  afterAll(async () => {
    sender.close();
    await app.close();
  });

  const send = async (of: Owner, ...events: object[]): Promise<string[]> => {
    const ids: string[] = [];
    for (const event of events) {
      const answer = await sender.ingest(of.apiKey, { event_type: 'payment.failed', source: 'shop', ...event });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      ids.push(String(answer.body.ingested_event_id));
    }
    return ids;
  };
  /** Sends and has them matched. */
  const ingest = async (...events: object[]): Promise<string[]> => {
    const ids = await send(owner, ...events);
    await matchEvents(app);
    return ids;
  };
  /** Alert events of a project, the oldest first. */
  const raised = (of: Owner = owner): Promise<Json[]> =>
    app.rows(
      `SELECT alert_rule_id, group_values, occurrences::int, status, message, payload, event_id, last_event_id, severity
       FROM alert_events WHERE project_id = $1 ORDER BY created_at, id`,
      [of.projectId],
    );
  const occurrences = async (of?: Owner): Promise<number[]> =>
    (await raised(of)).map((one) => one.occurrences as number);
  const stateOf = async (id: string): Promise<string> => (await rules.get(id)).state as string;
  /** What has come to the receiver, sent now. */
  const notices = async (): Promise<Json[]> => {
    await runAlertDeliveries(app);
    return receiver.received.map(({ body }) => JSON.parse(body));
  };
  /** What workers do once a minute. */
  const look = (): Promise<number> => app.nest.get(MaintenanceRunner).run();

  it('fire for each event that fits, with the event in the alert', async () => {
    const id = await rules.rule({
      severity: 'critical',
      condition: {
        kind: 'match',
        all: [
          { field: 'event', op: 'eq', value: 'payment.failed' },
          { field: 'properties.amount', op: 'gte', value: 100 },
        ],
      },
    });
    expect(await stateOf(id)).toBe('inactive');
    const ids = await ingest(
      { payload: { amount: 99 } },
      { payload: { amount: 100, currency: 'EUR' }, message: 'Card refused' },
      { payload: { amount: '100' } },
      { event_type: 'payment.sent', payload: { amount: 100 } },
      { payload: { amount: 1e9 } },
    );
    expect(await raised()).toEqual([
      {
        alert_rule_id: id,
        group_values: {},
        occurrences: 2,
        status: 'open',
        severity: 'critical',
        message: 'Payments fail: Card refused',
        payload: { amount: 100, currency: 'EUR', message: 'Card refused', source: 'shop' },
        event_id: ids[1],
        last_event_id: ids[4],
      },
    ]);
    expect(await stateOf(id)).toBe('firing');
    expect(await app.rows('SELECT FROM event_outbox')).toEqual([]);
  });

  it('make an alert for each group, and give events of one group to one alert', async () => {
    await rules.rule({ group_by: ['properties.shop', 'log.status'] });
    const shop = (name: unknown, status_code = 200): object => ({ payload: { shop: name, status_code } });
    await ingest(shop('a'), shop('b'), shop('a'), shop('a', 500), shop(7), shop('7'), shop({ deep: 1 }), {});
    await ingest(shop('a'));
    const found = (await raised()).map((one) => [
      one.group_values['properties.shop'],
      one.group_values['log.status'],
      one.occurrences,
    ]);
    expect(found).toHaveLength(6);
    expect(found).toEqual(
      expect.arrayContaining([
        ['a', 200, 3],
        ['b', 200, 1],
        ['a', 500, 1],
        [7, 200, 1],
        ['7', 200, 1],
        [null, 200, 2],
      ]),
    );
  });

  it('put what is more than 200 groups of a batch together', async () => {
    await rules.rule({ group_by: ['properties.n'] });
    const lines = Array.from({ length: 250 }, (_, n) => ({
      event_type: 'payment.failed',
      source: 'shop',
      payload: { n },
    }));
    expect((await sender.lines(owner.apiKey, lines)).body.accepted).toBe(250);
    await matchEvents(app);
    const counts = await occurrences();
    expect(counts).toHaveLength(201);
    expect(counts.sort((a, b) => b - a).slice(0, 2)).toEqual([50, 1]);
  });

  it('see events of their own project alone, and so do those who read the alerts', async () => {
    const stranger = await ownerWithProject(app);
    const theirs = rulesOf(app, stranger);
    const theirHook = await startReceiver();
    await alerts.destination(receiver.url);
    await alertsOf(app, stranger).destination(theirHook.url);
    const [mine, their] = [await rules.rule({ name: 'Mine' }), await theirs.rule({ name: 'Theirs' })];
    await send(owner, {}, {});
    await send(stranger, {});
    await matchEvents(app);
    expect((await raised()).map((one) => [one.alert_rule_id, one.occurrences])).toEqual([[mine, 2]]);
    expect((await raised(stranger)).map((one) => [one.alert_rule_id, one.occurrences])).toEqual([[their, 1]]);
    expect((await notices()).map((notice) => notice.project_id)).toEqual([owner.projectId]);
    expect(theirHook.received.map(({ body }) => JSON.parse(body).project_id)).toEqual([stranger.projectId]);
    await theirHook.close();
    const list = await alerts.send('get', `/v1/alerts/events?project_id=${owner.projectId}`);
    expect(list.body.items.map((one: Json) => one.alert_rule_id)).toEqual([mine]);
  });

  it('take no events from before they were made, switched on again or given to them', async () => {
    await rules.rule({ name: 'First' });
    await send(owner, {}, {});
    const second = await rules.rule({ name: 'Second' });
    await ingest({});
    expect(await occurrences()).toEqual(expect.arrayContaining([3, 1]));
    await rules.patch(second, { is_enabled: false });
    await send(owner, {});
    await rules.patch(second, { is_enabled: true });
    await ingest({});
    expect(await occurrences()).toEqual(expect.arrayContaining([5, 2]));
  });

  it('tell a storm once for each destination and cooldown, with the number in it', async () => {
    for (let at = 0; at < DESTINATIONS; at += 1) await alerts.destination(`${receiver.url}/${at}`);
    await rules.rule({ cooldown_seconds: 600 });
    const lines = Array.from({ length: LINES }, () => ({ event_type: 'payment.failed', source: 'shop' }));
    const batches = Array.from({ length: STORM / LINES }, () => sender.lines(owner.apiKey, lines));
    const storm = Promise.all(batches);
    await matchEvents(app);
    await storm;
    await matchEvents(app);
    expect(await occurrences()).toEqual([STORM]);
    const numbers = async (): Promise<number[]> =>
      (await notices()).map(({ payload }) => Number(payload.occurrences ?? 1));
    const first = await numbers();
    expect(first).toHaveLength(DESTINATIONS);
    await age(app, 400);
    await look();
    expect(await numbers()).toHaveLength(DESTINATIONS);
    await age(app, 201);
    await look();
    const both = await numbers();
    expect(both).toHaveLength(2 * DESTINATIONS);
    expect(both.reduce((sum, number) => sum + number, 0)).toBe(STORM * DESTINATIONS);
    await look();
    expect(await numbers()).toHaveLength(2 * DESTINATIONS);
  });

  it('tell the linked destinations alone, and everybody when nothing is linked', async () => {
    const [linked, other] = [
      await alerts.destination(`${receiver.url}/linked`),
      await alerts.destination(`${receiver.url}/other`),
    ];
    const id = await rules.rule({ destination_ids: [linked], cooldown_seconds: 0 });
    const paths = async (): Promise<string[]> => {
      await notices();
      return receiver.received
        .splice(0)
        .map(({ path }) => path)
        .sort();
    };
    await ingest({});
    expect(await paths()).toEqual(['/linked']);
    await rules.link(id, { destination_ids: [other] });
    await ingest({});
    expect(await paths()).toEqual(['/other']);
    await rules.link(id, {});
    await ingest({});
    expect(await paths()).toEqual(['/linked', '/other']);
  });

  it('tell no other receiver of the project once what they were linked to is deleted, and say so', async () => {
    await alerts.destination(`${receiver.url}/other`);
    const linked = await alerts.destination(`${receiver.url}/linked`);
    const id = await rules.rule({ destination_ids: [linked], cooldown_seconds: 0, group_by: ['properties.n'] });
    const toNobody = async (): Promise<number> =>
      Number(/^alert_notices_to_nobody_total (\d+)/m.exec(await app.metrics())?.[1] ?? 0);
    const before = await toNobody();
    // Its last link goes while it fires.
    const storm = Array.from({ length: 20 }, (_, n) => ({ payload: { n } }));
    await send(owner, ...storm);
    await Promise.all([matchEvents(app), alerts.send('delete', `/v1/alert-destinations/${linked}`)]);
    await ingest({ payload: { n: 'late' } });
    expect((await notices()).length).toBeLessThanOrEqual(storm.length);
    expect(receiver.received.map(({ path }) => path).filter((path) => path !== '/linked')).toEqual([]);
    expect(await rules.get(id)).toMatchObject({ state: 'firing', notifies: 'nobody' });
    const [late] = await app.rows<{ types: string[] }>(
      `SELECT array_agg(t.type ORDER BY t.position) AS types FROM alert_timeline t JOIN alert_events a ON a.id = t.alert_event_id
       WHERE a.project_id = $1 AND a.group_values ->> 'properties.n' = 'late'`,
      [owner.projectId],
    );
    expect(late?.types).toEqual(['opened', 'nobody_notified']);
    expect(await toNobody()).toBeGreaterThan(before);
  });

  it('wait for the condition to hold, as long as events come often enough', async () => {
    const id = await rules.rule({ for_seconds: 60 });
    await ingest({});
    expect([await stateOf(id), await raised()]).toEqual(['pending', []]);
    await age(app, 50);
    await ingest({});
    expect(await stateOf(id)).toBe('pending');
    await age(app, 50);
    await ingest({}, {});
    expect([await stateOf(id), await occurrences()]).toEqual(['firing', [2]]);
    // Nothing for as long as it has to hold: over, and it begins anew.
    await age(app, 61);
    await ingest();
    expect([await stateOf(id), (await raised()).map(({ status }) => status)]).toEqual(['inactive', ['resolved']]);
    await ingest({});
    await age(app, 61);
    await ingest({});
    expect([await stateOf(id), await raised()]).toEqual(['pending', [expect.objectContaining({ occurrences: 2 })]]);
  });

  it('go on firing for as long as they are told to, and tell once that it is over', async () => {
    await alerts.destination(receiver.url);
    const id = await rules.rule({ keep_firing_seconds: 120, cooldown_seconds: 0, group_by: ['properties.shop'] });
    await ingest({ payload: { shop: 'a' } }, { payload: { shop: 'b' } });
    await age(app, 100);
    await ingest({ payload: { shop: 'a' } });
    await age(app, 30);
    await evaluateRules(app);
    expect((await raised()).map((one) => [one.group_values['properties.shop'], one.status])).toEqual(
      expect.arrayContaining([
        ['a', 'open'],
        ['b', 'resolved'],
      ]),
    );
    expect(await stateOf(id)).toBe('firing');
    await age(app, 100);
    await evaluateRules(app);
    await evaluateRules(app);
    expect(await stateOf(id)).toBe('inactive');
    const told = (await notices()).map((notice) => notice.status as string);
    expect(told.filter((status) => status === 'resolved')).toHaveLength(2);
    // The next event begins another episode.
    await ingest({ payload: { shop: 'a' } });
    expect((await raised()).map(({ status }) => status)).toEqual(['resolved', 'resolved', 'open']);
  });

  it('come to rest also when they no longer wait for anything', async () => {
    const id = await rules.rule({ keep_firing_seconds: 3_600 });
    await ingest({});
    await rules.patch(id, { keep_firing_seconds: 0 });
    expect(await stateOf(id)).toBe('firing');
    await age(app, 3_601);
    await evaluateRules(app);
    expect([await stateOf(id), (await raised()).map(({ status }) => status)]).toEqual(['inactive', ['resolved']]);
  });

  it('come to rest after the time they are told to hold now, shorter or longer', async () => {
    const id = await rules.rule({ keep_firing_seconds: 3_600 });
    await ingest({});
    await age(app, 100);
    await rules.patch(id, { keep_firing_seconds: 60 });
    await evaluateRules(app);
    expect([await stateOf(id), (await raised()).map(({ status }) => status)]).toEqual(['inactive', ['resolved']]);
    await ingest({});
    await rules.patch(id, { keep_firing_seconds: 3_600 });
    await age(app, 100);
    await evaluateRules(app);
    expect([await stateOf(id), (await raised()).map(({ status }) => status)]).toEqual(['firing', ['resolved', 'open']]);
    await rules.patch(id, { keep_firing_seconds: 0, for_seconds: 7_200 });
    await age(app, 7_000);
    await evaluateRules(app);
    expect(await stateOf(id)).toBe('firing');
    await age(app, 200);
    await evaluateRules(app);
    expect(await stateOf(id)).toBe('inactive');
  });

  it('show where their series stand, also while an earlier alert is open', async () => {
    const id = await rules.rule({ for_seconds: 60 });
    await ingest({});
    await age(app, 50);
    await ingest({});
    await age(app, 50);
    await ingest({});
    expect(await stateOf(id)).toBe('firing');
    await rules.patch(id, { group_by: ['properties.shop'] });
    expect(await stateOf(id)).toBe('inactive');
    await ingest({});
    expect([await stateOf(id), (await raised()).map(({ status }) => status)]).toEqual(['pending', ['open']]);
  });

  it('are not held up by an alert that cannot be raised, nor by a rule that cannot be read', async () => {
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
      Number(/^alert_rule_evaluation_failures_total (\d+)/m.exec(await app.metrics())?.[1] ?? 0);
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

  it('say why they fail until they have been asked again, whatever else of the project is matched meanwhile', async () => {
    const id = await rules.rule();
    const late = await rules.rule({ name: 'Late' });
    await rules.rule({ name: 'Other', condition: { kind: 'match' } });
    await app.rows(
      `UPDATE alert_rules SET last_error = 'It failed', last_error_at = now(),
         watched_since = CASE WHEN id = $2 THEN now() + interval '1 hour' ELSE watched_since END WHERE id = ANY ($1)`,
      [[id, late], late],
    );
    const errors = async (): Promise<unknown[]> => [
      (await rules.get(id)).last_error,
      (await rules.get(late)).last_error,
    ];
    await ingest({ event_type: 'order.paid' });
    expect(await errors()).toEqual(['It failed', 'It failed']);
    await ingest({});
    expect(await errors()).toEqual([null, 'It failed']);
    expect(await occurrences()).toEqual(expect.arrayContaining([1, 2]));
  });

  it('would have done over the past what a back-test says, of which nothing is stored', async () => {
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
          await send(owner, { timestamp: new Date(beginning + at * 1_000).toISOString(), payload: { shop } });
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
});

describe('from an event to those who are told', () => {
  it('goes by itself, signed so that own code and a library verify it', async () => {
    const app = await createTestApp({ env: DELIVERY_ENV });
    const receiver = await startReceiver();
    try {
      const owner = await ownerWithProject(app);
      const rules = rulesOf(app, owner);
      const hook = await alertsOf(app, owner).destination(`${receiver.url}/hook`, { secret: SECRET });
      const channel = await deliveryOf(app, owner).webhook(`${receiver.url}/channel`);
      const id = await rules.rule({ destination_ids: [hook], channel_ids: [channel], group_by: ['properties.shop'] });
      const source = await createSource(app, owner);
      const answer = await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', source.key.key)
        .send({ event_type: 'payment.failed', source: 'shop', message: 'Grüße: refused', payload: { shop: 'Köln' } })
        .expect(200);
      const requests = await receiver.requests(2);
      const told = requests.find(({ path }) => path === '/hook');
      const attempted = requests.find(({ path }) => path === '/channel');
      if (told === undefined || attempted === undefined) throw new Error('both are told');
      const list = await alertsOf(app, owner).send('get', `/v1/alerts/events?project_id=${owner.projectId}`);
      const [alert] = list.body.items as Json[];
      expect(JSON.parse(told.body)).toEqual({
        alert_event_id: alert.id,
        alert_rule_id: id,
        project_id: owner.projectId,
        event_id: answer.body.ingested_event_id,
        event_type: 'payment.failed',
        source: 'shop',
        severity: 'warning',
        status: 'open',
        message: 'Payments fail: Grüße: refused',
        payload: { shop: 'Köln', source: 'shop', message: 'Grüße: refused' },
        created_at: alert.created_at,
      });
      expect(told.headers['x-service-signature']).toBe(expectedSignature(SECRET, told));
      const library = new Webhook(Buffer.from(SECRET), { format: 'raw' });
      expect(library.verify(told.body, told.headers as Record<string, string>)).toEqual(JSON.parse(told.body));
      expect(JSON.parse(attempted.body)).toMatchObject({
        type: 'rule_match',
        channel_id: channel,
        rule: { id, name: 'Payments fail' },
        event: { alert_event_id: alert.id, id: answer.body.ingested_event_id },
      });
      expect(await app.rows('SELECT kind, event_id, rule_id, source_id FROM delivery_attempts')).toEqual([
        { kind: 'rule_match', event_id: answer.body.ingested_event_id, rule_id: id, source_id: source.id },
      ]);
      expect((await rules.get(id)).state).toBe('firing');
    } finally {
      await app.close();
      await receiver.close();
    }
  });
});
