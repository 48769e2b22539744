import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventSubjectsReader } from '../../../src/modules/events/event-store/index.js';
import { SilencesRepository } from '../../../src/modules/alerting/alerts/silences/silences.repository.js';
import { newId } from '../../../src/platform/ids/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertEventsClient, alertEventsOf, runMaintenance } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, type Json } from '../../support/delivery.js';
import { StreamClient } from '../../support/event-stream.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { eventually } from '../../support/service-process.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('who hears of alert events', () => {
  let app: TestApp;
  let owner: Owner;
  let alerts: AlertEventsClient;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    alerts = alertEventsOf(app, owner);
  });
  afterAll(() => app.close());

  /** As if so much time had gone by since. */
  const goBy = async (ms: number): Promise<void> => {
    const seconds = ms / 1_000;
    await app.rows(
      `UPDATE alert_events SET snoozed_until = snoozed_until - make_interval(secs => $2),
         notice_due_at = notice_due_at - make_interval(secs => $2), notified_at = notified_at - make_interval(secs => $2)
       WHERE project_id = $1`,
      [owner.projectId, seconds],
    );
    await app.rows(
      `UPDATE alert_silences SET starts_at = starts_at - make_interval(secs => $2),
         ends_at = ends_at - make_interval(secs => $2) WHERE project_id = $1`,
      [owner.projectId, seconds],
    );
  };

  /** The maintenance job, and the end of what the service itself is at: it looks at what is due as well. */
  const tellDue = async (): Promise<void> => {
    await runMaintenance(app);
    await eventually(
      () =>
        app.rows(
          'SELECT id FROM alert_events WHERE project_id = $1 AND (snoozed_until <= now() OR notice_due_at <= now())',
          [owner.projectId],
        ),
      (due) => due.length === 0,
    );
  };

  describe('by the stream', () => {
    const clients: StreamClient[] = [];

    afterEach(() => {
      for (const client of clients.splice(0)) client.close();
    });

    async function open(who: Pick<Owner, 'bearer'> = owner): Promise<StreamClient> {
      const path = `/v1/alerts/events/stream?project_id=${owner.projectId}`;
      const client = await StreamClient.open(app, path, who.bearer);
      clients.push(client);
      return client;
    }

    it('that begins with what there is and goes on with every change', async () => {
      const rule = { id: newId() };
      const [first, second] = [await alerts.fire(), await alerts.fire({ rule })];
      await alertEventsOf(app, await ownerWithProject(app)).fire();
      const client = await open();
      expect([client.status, client.headers['content-type']]).toEqual([200, 'text/event-stream']);
      const told = (): Json[] => client.messages.flatMap(({ alert_event }) => alert_event ?? []);
      await client.until(() => told().length === 2);
      expect(told().map(({ id }) => id)).toEqual([first, second]);
      expect(told()[0]).toEqual(await alerts.get(first));
      await alerts.act(first, 'acknowledge');
      await client.until(() => told().length === 3);
      expect(told()[2]).toEqual(await alerts.get(first));
      await alerts.act(first, 'comments', { body: 'x' });
      await alerts.fire({ rule, occurrences: 4 });
      await client.until(() => told().length === 4);
      expect(told()[3]).toMatchObject({ id: second, occurrences: 5 });
      await client.until(({ messages }) => messages.at(-1)?.type === 'heartbeat');
      expect(client.text).toMatch(/^(data: \{"type":"(alert_event|heartbeat)",[^\n]+\}\n\n)+$/);
    });

    it('without a gap, however many change at once', async () => {
      const client = await open();
      // Fewer at a time than would wait for a connection longer than one may.
      const lanes = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const fired: string[] = [];
          for (let turn = 0; turn < 15; turn += 1) fired.push(await alerts.fire());
          return fired;
        }),
      );
      const ids = lanes.flat();
      const seen = new Set<string>();
      await client.until(({ messages }) => {
        for (const { alert_event } of messages) if (alert_event) seen.add(alert_event.id);
        return seen.size === ids.length;
      });
      expect([...seen].sort()).toEqual([...ids].sort());
    });

    it('for members alone, and no longer', async () => {
      const refused = await open(await ownerWithProject(app));
      expect([refused.status, await refused.over]).toEqual([403, 'ended']);
      const viewer = await addMember(app, owner, 'viewer');
      const client = await open(viewer);
      await client.until(({ heartbeats }) => heartbeats.length > 0);
      await alerts.http.send('delete', `/v1/organizations/${owner.organizationId}/members/${viewer.id}`);
      expect(await client.over).toBe('ended');
    });
  });

  describe('by destinations', () => {
    let receiver: Receiver;
    let rule: { id: string; cooldownSeconds: number };

    beforeEach(async () => {
      receiver = await startReceiver();
      rule = { id: newId(), cooldownSeconds: 300 };
      await alerts.http.destination(receiver.url);
    });
    afterEach(() => receiver.close());

    it('told at the beginning and at the end of each episode', async () => {
      const event = { id: newId(), type: 'payment.failed', source: 'checkout', timestamp: new Date() };
      const id = await alerts.fire({ rule: { ...rule, cooldownSeconds: 0 }, event, occurrences: 3 });
      await receiver.requests(1);
      await alerts.act(id, 'resolve');
      await receiver.requests(2);
      await alerts.act(id, 'reopen');
      await alerts.act(id, 'resolve');
      const next = await alerts.fire({ rule: { ...rule, cooldownSeconds: 0 } });
      const received = await receiver.requests(3);
      const bodies = received.map(({ body }) => JSON.parse(body));
      const { created_at } = await alerts.get(id);
      const told = {
        alert_event_id: id,
        alert_rule_id: rule.id,
        project_id: owner.projectId,
        event_id: event.id,
        event_type: 'payment.failed',
        source: 'checkout',
        severity: 'critical',
        message: 'Payments fail: card declined',
        payload: { amount: 120, occurrences: 3 },
        created_at,
      };
      expect(bodies).toEqual([
        { ...told, status: 'open' },
        {
          ...told,
          status: 'resolved',
          message: expect.stringMatching(/^Payments fail: Resolved after \d+ s: card declined$/),
        },
        expect.objectContaining({ alert_event_id: next, status: 'open' }),
      ]);
      expect(await alerts.notices(id)).toHaveLength(2);
    });

    it('told nothing by a reopening, and of what occurs after it', async () => {
      rule = { ...rule, cooldownSeconds: 0 };
      const silence = await alerts.silence();
      const id = await alerts.fire({ rule, occurrences: 3 });
      await alerts.act(id, 'resolve');
      await alerts.http.send('delete', `/v1/alerts/silences/${silence.body.id}`);
      await alerts.act(id, 'reopen');
      await tellDue();
      await alerts.act(id, 'resolve');
      await alerts.act(id, 'reopen');
      await tellDue();
      expect(await alerts.notices(id)).toEqual([]);
      await alerts.fire({ rule });
      await alerts.act(id, 'resolve');
      expect(await alerts.notices(id)).toEqual([
        { status: 'open', occurrences: 1 },
        { status: 'resolved', occurrences: 4 },
      ]);
    });

    it('told once in a cooldown, with the number of what occurred since', async () => {
      const id = await alerts.fire({ rule });
      await Promise.all(Array.from({ length: 30 }, () => alerts.fire({ rule, occurrences: 3 })));
      await tellDue();
      expect(await alerts.notices(id)).toEqual([{ status: 'open', occurrences: 1 }]);
      await goBy(300_000);
      await Promise.all([tellDue(), tellDue(), alerts.fire({ rule, occurrences: 1 })]);
      await goBy(300_000);
      await tellDue();
      const [, ...later] = await alerts.notices(id);
      expect(later.reduce((sum, { occurrences }) => sum + occurrences, 0)).toBe(91);
      await goBy(300_000);
      await tellDue();
      expect(await alerts.notices(id)).toHaveLength(1 + later.length);
    });

    it('told of a new episode when the cooldown of the last is over, and not of the end of one nobody heard of', async () => {
      const first = await alerts.fire({ rule });
      await alerts.recover(rule.id);
      const second = await alerts.fire({ rule });
      expect(second).not.toBe(first);
      expect(await alerts.notices(second)).toEqual([]);
      await alerts.recover(rule.id);
      expect(await alerts.notices(second)).toEqual([]);
      const flaps: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        flaps.push(await alerts.fire({ rule }));
        await alerts.recover(rule.id);
      }
      expect((await Promise.all(flaps.map((id) => alerts.notices(id)))).flat()).toEqual([]);
      const third = await alerts.fire({ rule });
      await goBy(300_000);
      await tellDue();
      expect(await alerts.notices(third)).toEqual([{ status: 'open', occurrences: 1 }]);
    });

    it('told by itself within a moment when nothing holds it back any more', async () => {
      const id = await alerts.fire({ rule });
      await alerts.fire({ rule, occurrences: 2 });
      expect(await alerts.notices(id)).toHaveLength(1);
      await goBy(300_000);
      await receiver.requests(2);
      expect((await alerts.notices(id)).at(-1)).toEqual({ status: 'open', occurrences: 2 });
    });

    it('not told while snoozed, and told of what occurred when it is over', async () => {
      const id = await alerts.fire({ rule: { ...rule, cooldownSeconds: 0 } });
      await alerts.act(id, 'snooze', { until: fromNow(HOUR) });
      for (let n = 0; n < 3; n += 1) await alerts.fire({ rule: { ...rule, cooldownSeconds: 0 } });
      await tellDue();
      expect(await alerts.notices(id)).toHaveLength(1);
      await goBy(HOUR);
      await tellDue();
      expect(await alerts.notices(id)).toEqual([
        { status: 'open', occurrences: 1 },
        { status: 'open', occurrences: 3 },
      ]);
      expect(await alerts.types(id)).toEqual(['opened', 'notified', 'snoozed', 'snooze_ended', 'notified']);
    });

    it('told at once of what was held back when somebody acknowledges a snoozed one', async () => {
      const id = await alerts.fire({ rule: { ...rule, cooldownSeconds: 0 } });
      await alerts.act(id, 'snooze', { until: fromNow(HOUR) });
      await alerts.fire({ rule: { ...rule, cooldownSeconds: 0 }, occurrences: 2 });
      await alerts.act(id, 'acknowledge');
      expect((await alerts.notices(id)).at(-1)).toEqual({ status: 'acknowledged', occurrences: 2 });
    });

    it('not told in silence, and told afterwards of what is unresolved', async () => {
      const silence = await alerts.silence();
      const other = await alerts.fire({ event: { id: newId(), type: 'x', source: 's', timestamp: new Date() } });
      expect(await alerts.notices(other)).toHaveLength(1);
      const [id, resolved] = [await alerts.fire({ rule }), await alerts.fire()];
      await alerts.fire({ rule, occurrences: 4 });
      await alerts.act(resolved, 'resolve');
      await tellDue();
      expect([await alerts.notices(id), await alerts.notices(resolved)]).toEqual([[], []]);
      expect((await alerts.http.send('delete', `/v1/alerts/silences/${silence.body.id}`)).status).toBe(204);
      await tellDue();
      expect(await alerts.notices(id)).toEqual([{ status: 'open', occurrences: 5 }]);
      expect(await alerts.notices(resolved)).toEqual([]);
    });

    it('not told of the end of what they know in silence, but once when the silence is over', async () => {
      const [id, reopened] = [await alerts.fire({ rule }), await alerts.fire()];
      const silence = await alerts.silence();
      const unknown = await alerts.fire();
      await alerts.recover(rule.id);
      for (const one of [reopened, unknown]) await alerts.act(one, 'resolve');
      await alerts.act(reopened, 'reopen');
      await tellDue();
      for (const one of [id, reopened]) {
        expect(await alerts.notices(one)).toEqual([{ status: 'open', occurrences: 1 }]);
      }
      await alerts.http.send('delete', `/v1/alerts/silences/${silence.body.id}`);
      await Promise.all([tellDue(), tellDue()]);
      await receiver.requests(3);
      await tellDue();
      expect(await alerts.notices(id)).toEqual([
        { status: 'open', occurrences: 1 },
        { status: 'resolved', occurrences: 1 },
      ]);
      expect([await alerts.notices(unknown), await alerts.notices(reopened)]).toEqual([[], [expect.anything()]]);
    });

    it('told again when a silence is over by itself or no longer fits', async () => {
      const silence = await alerts.silence({ ends_at: fromNow(60_000) });
      const id = await alerts.fire({ rule: { ...rule, cooldownSeconds: 0 } });
      await goBy(60_000);
      await tellDue();
      expect(await alerts.notices(id)).toHaveLength(1);
      const again = await alerts.silence();
      await alerts.fire({ rule: { ...rule, cooldownSeconds: 0 } });
      expect(await alerts.notices(id)).toHaveLength(1);
      const filter = { field: 'source', op: 'eq', value: 'elsewhere' };
      const changed = await alerts.http.send('patch', `/v1/alerts/silences/${again.body.id}`, { filter });
      expect(changed.body.filter).toEqual(filter);
      await tellDue();
      expect(await alerts.notices(id)).toHaveLength(2);
      expect(silence.status).toBe(201);
    });
  });

  describe('by silences', () => {
    it('that are pending, active and expired', async () => {
      const filter = { all: [{ field: 'event', op: 'starts_with', value: 'payment.' }] };
      const active = await alerts.silence({ filter, ends_at: fromNow(HOUR), reason: 'Maintenance' });
      expect([active.status, active.body]).toEqual([
        201,
        {
          id: expect.any(String),
          project_id: owner.projectId,
          filter,
          starts_at: expect.stringMatching(/Z$/),
          ends_at: expect.stringMatching(/Z$/),
          reason: 'Maintenance',
          created_by: owner.id,
          state: 'active',
          filter_error: null,
          created_at: expect.stringMatching(/Z$/),
        },
      ]);
      const pending = await alerts.silence({ starts_at: fromNow(HOUR), ends_at: fromNow(2 * HOUR) });
      expect(pending.body).toMatchObject({ state: 'pending', reason: null });
      const path = (of: typeof active): string => `/v1/alerts/silences/${of.body.id}`;
      const states = async (query = {}): Promise<unknown> =>
        ((await alerts.ask('/silences', query)).body as Json[]).map(({ id, state }) => [id, state]);
      expect(await states()).toEqual([
        [pending.body.id, 'pending'],
        [active.body.id, 'active'],
      ]);
      expect((await alerts.http.send('get', path(active))).body).toEqual(active.body);

      const moved = await alerts.http.send('patch', path(pending), { starts_at: fromNow(-1_000), reason: 'Now' });
      expect(moved.body).toMatchObject({ state: 'active', reason: 'Now', ends_at: pending.body.ends_at });
      expect((await alerts.http.send('patch', path(pending), { reason: null })).body.reason).toBeNull();
      for (const silence of [active, pending, active]) {
        expect((await alerts.http.send('delete', path(silence))).status).toBe(204);
      }
      expect(await states({ state: 'expired' })).toHaveLength(2);
      expect(await states({ state: 'active' })).toEqual([]);
      const late = await alerts.http.send('patch', path(active), { reason: 'x' });
      expect([late.status, late.body]).toEqual([409, { detail: 'Silence has expired' }]);
      const unbegun = await alerts.silence({ starts_at: fromNow(HOUR), ends_at: fromNow(2 * HOUR) });
      await alerts.http.send('delete', path(unbegun));
      expect((await alerts.http.send('get', path(unbegun))).body.state).toBe('expired');
      const audited = await app.rows<{ action: string }>(
        `SELECT action FROM audit_events WHERE target_type = 'alert_silence' AND project_id = $1 ORDER BY created_at, id`,
        [owner.projectId],
      );
      expect(audited.map(({ action }) => action.replace('alert_silence.', ''))).toEqual([
        'created',
        'created',
        'updated',
        'updated',
        'ended',
        'ended',
        'created',
        'ended',
      ]);
    });

    it.each<[string, object, boolean]>([
      ['severity of the alert', { field: 'severity', op: 'eq', value: 'critical' }, true],
      ['severity of the event', { field: 'severity', op: 'eq', value: 'error' }, false],
      ['message', { field: 'message', op: 'contains', value: 'declined' }, true],
      ['source', { field: 'source', op: 'eq', value: 'web' }, true],
      ['rule', { field: 'rule_name', op: 'eq', value: 'Payments fail' }, true],
      ['properties', { field: 'properties.card.kind', op: 'eq', value: 'debit' }, true],
      ['environment of the event', { field: 'environment', op: 'eq', value: 'production' }, true],
      ['log of the event', { field: 'log.status', op: 'gte', value: 500 }, true],
      ['group', { field: 'properties.shop', op: 'eq', value: 'Berlin' }, true],
      ['another group', { not: { field: 'properties.shop', op: 'eq', value: 'Berlin' } }, false],
      ['pattern', { any: [{ field: 'event', op: 'matches', value: '^pay.*failed$' }] }, true],
      ['a field that is missing', { field: 'external_event_id', op: 'exists' }, false],
    ])('fitting by %s', async (_, filter, isSilent) => {
      const ingested = await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({
          event_type: 'payment.failed',
          source: 'web',
          severity: 'error',
          environment: 'production',
          payload: { status_code: 503, card: { kind: 'debit' } },
        })
        .expect(200);
      const { ingested_event_id: eventId } = ingested.body as { ingested_event_id: string };
      const [stored] = await app.rows<{ timestamp: Date }>('SELECT timestamp FROM events WHERE id = $1', [eventId]);
      const event = { id: eventId, type: 'payment.failed', source: 'web', timestamp: stored?.timestamp ?? new Date() };
      await alerts.http.destination('http://127.0.0.1:9/');
      expect((await alerts.silence({ filter })).status).toBe(201);
      const id = await alerts.fire({ event, payload: {}, groupValues: { 'properties.shop': 'Berlin' } });
      expect(await alerts.notices(id)).toHaveLength(isSilent ? 0 : 1);
    });

    it('of one project alone', async () => {
      const other = alertEventsOf(app, await ownerWithProject(app));
      await alerts.silence();
      await other.http.destination('http://127.0.0.1:9/');
      expect(await other.notices(await other.fire())).toHaveLength(1);
      expect((await other.ask('/silences')).body).toEqual([]);
    });

    it('refused for bad input', async () => {
      for (const body of [
        { filter: undefined },
        { filter: {} },
        { filter: { field: 'nonsense', op: 'eq', value: 1 } },
        { filter: { field: 'event', op: 'matches', value: '(' } },
        { ends_at: undefined },
        { ends_at: fromNow(-1_000) },
        { starts_at: fromNow(2 * HOUR) },
        { ends_at: fromNow(367 * DAY) },
        { ends_at: '9999-12-31T23:59:59Z' },
        { starts_at: fromNow(367 * DAY), ends_at: fromNow(368 * DAY) },
        { filter: { field: 'message', op: 'matches', value: '(^|a|$){60}x' } },
        { filter: { any: Array(21).fill({ field: 'message', op: 'matches', value: 'x' }) } },
        { reason: 'x'.repeat(501) },
      ]) {
        expect([body, (await alerts.silence(body)).status]).toEqual([body, 422]);
      }
      const { id } = (await alerts.silence()).body as { id: string };
      for (const body of [
        { ends_at: fromNow(-1_000) },
        { starts_at: fromNow(2 * HOUR) },
        { ends_at: fromNow(367 * DAY) },
        { starts_at: fromNow(367 * DAY) },
        { filter: { field: 'message', op: 'matches', value: '(^|a|$){60}x' } },
        { filter: null },
        { starts_at: 'x' },
      ]) {
        expect([body, (await alerts.http.send('patch', `/v1/alerts/silences/${id}`, body)).status]).toEqual([
          body,
          422,
        ]);
      }
      const missing = await alerts.http.send('get', `/v1/alerts/silences/${newId()}`);
      expect([missing.status, missing.body]).toEqual([404, { detail: 'Silence not found' }]);
      expect((await alerts.ask('/silences', { state: 'old' })).status).toBe(422);
    });

    it('for a year, and no longer', async () => {
      expect((await alerts.silence({ ends_at: fromNow(365 * DAY) })).status).toBe(201);
    });

    it('that hold nothing back, and say so, when their filter is no longer accepted', async () => {
      await alerts.http.destination('http://127.0.0.1:9/');
      const { id } = (await alerts.silence()).body as { id: string };
      const patterns = Array(21).fill({ field: 'event', op: 'matches', value: 'payment' });
      await app.rows('UPDATE alert_silences SET filter = $2, revision = revision + 1 WHERE id = $1', [
        id,
        JSON.stringify({ any: patterns }),
      ]);
      const told = await alerts.fire();
      expect(await alerts.notices(told)).toHaveLength(1);
      expect((await alerts.ask('/silences')).body).toMatchObject([
        { id, state: 'active', filter_error: 'any.20.value: a filter has at most 20 patterns' },
      ]);
    });

    it('read and compiled once for all alert events, and anew when they change', async () => {
      await alerts.http.destination('http://127.0.0.1:9/');
      const ids: string[] = [];
      for (const value of ['a', 'b', 'c']) {
        const made = await alerts.silence({ filter: { field: 'message', op: 'matches', value: `^${value}$` } });
        ids.push(String(made.body.id));
      }
      const reads = jest.spyOn(app.nest.get(SilencesRepository, { strict: false }), 'filtersOf');
      try {
        const asked = (): string[][] => reads.mock.calls.map(([, some]) => [...some].sort());
        for (let at = 0; at < 3; at += 1) await alerts.fire();
        expect(asked()).toEqual([[...ids].sort()]);
        const change = { filter: { field: 'message', op: 'starts_with', value: 'Payments' } };
        expect((await alerts.http.send('patch', `/v1/alerts/silences/${ids[1]}`, change)).status).toBe(200);
        const held = await alerts.fire();
        expect(asked().slice(1)).toEqual([[ids[1]]]);
        expect(await alerts.notices(held)).toEqual([]);
      } finally {
        reads.mockRestore();
      }
    });

    it('about an event of which they read what they look at, and no more', async () => {
      await alerts.http.destination('http://127.0.0.1:9/');
      const ingested = await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({
          event_type: 'disk.full',
          source: 'db1',
          environment: 'staging',
          payload: { host: { name: 'db1', text: 'x' }, 'host.name': 'named', large: 'x'.repeat(100_000) },
        })
        .expect(200);
      const { ingested_event_id: event_id } = ingested.body as { ingested_event_id: string };
      const reads = jest.spyOn(app.nest.get(EventSubjectsReader, { strict: false }), 'of');
      try {
        await alerts.silence({ filter: { field: 'message', op: 'eq', value: 'Something else' } });
        expect(await alerts.notices(String((await alerts.raise({ event_id })).body.id))).toHaveLength(1);
        expect(reads).not.toHaveBeenCalled();
        const filter = {
          all: [
            { field: 'environment', op: 'eq', value: 'staging' },
            { field: 'properties.host.name', op: 'eq', value: 'named' },
            { field: 'properties.missing', op: 'exists', value: false },
          ],
        };
        await alerts.silence({ filter });
        expect(await alerts.notices(String((await alerts.raise({ event_id })).body.id))).toEqual([]);
        expect(await Promise.all(reads.mock.results.map(({ value }) => value))).toEqual([
          {
            fields: { environment: 'staging' },
            properties: { 'host.name': 'named', host: { name: 'db1', text: 'x' } },
          },
        ]);
      } finally {
        reads.mockRestore();
      }
    });

    it('without keeping others waiting while the worst of them are asked', async () => {
      const worst = (place: number): object => ({
        any: Array.from({ length: 20 }, (_, index) => ({
          field: 'properties.text',
          op: 'matches',
          value: `(a|b)*a[ab]{100}[^c]{${90 + (index % 10)}}c${place}-${index}`,
        })),
      });
      const filters = Array.from({ length: 40 }, (_, place) => JSON.stringify(worst(place)));
      await app.rows(
        `INSERT INTO alert_silences (id, project_id, filter, starts_at, ends_at)
         SELECT gen_random_uuid(), $1, filter, now(), now() + interval '1 hour' FROM unnest($2::json[]) AS filter`,
        [owner.projectId, filters],
      );
      await alerts.http.destination('http://127.0.0.1:9/');
      const raised = alerts.raise({ payload: { text: 'ab'.repeat(2_048) } });
      const isOver = raised.then(() => true);
      const health = async (): Promise<boolean> => {
        await app.request().get('/health').expect(200);
        return false;
      };
      let answeredMeanwhile = 0;
      while (!(await Promise.race([isOver, health()]))) answeredMeanwhile += 1;
      const { status, body } = await raised;
      expect(status).toBe(201);
      expect(await alerts.notices(String(body.id))).toHaveLength(1);
      expect((await alerts.timeline(String(body.id))).at(-1)).toMatchObject({
        type: 'notified',
        detail: { silences_unasked: true },
      });
      expect(await app.metrics()).toMatch(/^alert_notices_despite_silences_total [1-9]/m);
      expect(answeredMeanwhile).toBeGreaterThan(5);
    });

    it('made by operators, seen by viewers', async () => {
      const { id } = (await alerts.silence()).body as { id: string };
      const viewer = alerts.as(await addMember(app, owner, 'viewer'));
      expect((await viewer.ask('/silences')).body).toHaveLength(1);
      const member = alerts.as(await addMember(app, owner, 'member'));
      for (const answer of [
        await member.silence(),
        await member.http.send('patch', `/v1/alerts/silences/${id}`, {}),
        await member.http.send('delete', `/v1/alerts/silences/${id}`),
      ]) {
        expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient project role' }]);
      }
      expect((await alerts.as(await addMember(app, owner, 'operator')).silence()).status).toBe(201);
    });

    it('no more than a project needs', async () => {
      await app.rows(
        `INSERT INTO alert_silences (id, project_id, filter, starts_at, ends_at)
         SELECT gen_random_uuid(), $1, '{"field": "event", "op": "eq", "value": "x"}', now(), now() + interval '1 hour'
         FROM generate_series(1, 99)`,
        [owner.projectId],
      );
      const answers = await Promise.all(Array.from({ length: 4 }, () => alerts.silence()));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'Project has too many silences' });
    });
  });
});
