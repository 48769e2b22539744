import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AlertingApi, type AlertEvent, type Silence } from '../../support/alerting-api.js';
import type { StreamClient } from '../../support/event-stream.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type Account, api, job, type Tenant, tenant } from '../../support/service.js';
import { letAlertTimePass, setSilenceFilter, silences } from '../../support/sql-builders/alerting.js';
import { openStream } from '../../support/stream-api.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOBODY = '0199f3a1-0000-7000-8000-000000000000';
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9/';
const COOLDOWN_SECONDS = 300;
const ROLE_REFUSED = { detail: 'Insufficient project role' };
const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('a stream of alert events', () => {
  const clients: StreamClient[] = [];
  let acme: Tenant;
  let alerts: AlertingApi;

  beforeEach(async () => {
    acme = await tenant();
    alerts = new AlertingApi(acme);
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  async function open(who: Account = acme.owner): Promise<StreamClient> {
    const client = await openStream(`/v1/alerts/events/stream?project_id=${acme.projectId}`, who);
    clients.push(client);
    return client;
  }

  it('begins with the alert events of the project, and continues with every change', async () => {
    const first = await alerts.raised();
    const second = await alerts.raised({ fingerprint: 'second' });
    await new AlertingApi(await tenant()).raised();
    const client = await open();
    expect([client.status, client.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const received = () => client.messages.flatMap(({ alert_event }) => alert_event ?? []);
    await client.until(() => received().length === 2);
    expect(received().map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(received()[0]).toEqual(await alerts.event(first.id));
    await alerts.acted(first.id, 'acknowledge');
    await client.until(() => received().length === 3);
    expect(received()[2]).toEqual(await alerts.event(first.id));
    await alerts.acted(first.id, 'comments', { body: 'x' });
    await alerts.raised({ fingerprint: 'second' });
    await client.until(() => received().length === 4);
    expect(received()[3]).toMatchObject({ id: second.id, occurrences: 2 });
    await client.until(({ messages }) => messages.at(-1)?.type === 'heartbeat');
    expect(client.text).toMatch(/^(data: \{"type":"(alert_event|heartbeat)",[^\n]+\}\n\n)+$/);
  });

  it('misses none of 150 alert events that are raised at once', async () => {
    const client = await open();
    const lanes = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const raised: string[] = [];
        for (let turn = 0; turn < 15; turn += 1) raised.push((await alerts.raised()).id);
        return raised;
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

  it('returns 403 to other accounts, and ends when its reader is removed from the organization', async () => {
    const refused = await open((await tenant()).owner);
    expect([refused.status, await refused.over]).toEqual([403, 'ended']);
    const viewer = await acme.viewer();
    const client = await open(viewer);
    await client.until(({ heartbeats }) => heartbeats.length > 0);
    await api.as(acme.owner).delete(`/v1/organizations/${acme.organizationId}/members/${viewer.id}`).expect(200);
    expect(await client.over).toBe('ended');
  });
});

describe('a notification of an alert event', () => {
  let acme: Tenant;
  let alerts: AlertingApi;
  let receiver: Receiver;

  beforeEach(async () => {
    acme = await tenant();
    alerts = new AlertingApi(acme);
    receiver = await startReceiver();
    await alerts.destination(receiver.url);
  });
  afterEach(() => receiver.close());

  const letTimePass = (ms: number) => letAlertTimePass(acme.projectId, ms / 1_000);

  it('is sent at the beginning and at the end of each episode, and not when an episode is reopened', async () => {
    const ruleId = await alerts.rule();
    const eventIds = await alerts.send({}, {}, {});
    const { id, created_at } = await alerts.counted(ruleId, 3);
    await receiver.requests(1);
    await alerts.acted(id, 'resolve');
    await receiver.requests(2);
    await alerts.acted(id, 'reopen');
    await alerts.acted(id, 'resolve');
    const next = await alerts.fire(ruleId);
    const received = await receiver.requests(3);
    const bodies = received.map(({ body }) => JSON.parse(body) as object);
    const notified = {
      alert_event_id: id,
      alert_rule_id: ruleId,
      project_id: acme.projectId,
      event_id: eventIds[2],
      event_type: 'payment.failed',
      source: 'checkout',
      severity: 'critical',
      message: 'Payments fail: card declined',
      payload: { amount: 120, message: 'card declined', source: 'checkout', occurrences: 3 },
      created_at,
    };
    expect(bodies).toEqual([
      { ...notified, status: 'open' },
      {
        ...notified,
        status: 'resolved',
        message: expect.stringMatching(/^Payments fail: Resolved after \d+ s: card declined$/),
      },
      expect.objectContaining({ alert_event_id: next, status: 'open' }),
    ]);
    expect(await alerts.notifications(id)).toHaveLength(2);
  });

  it('is not sent by a reopening, but for what occurs after it', async () => {
    const ruleId = await alerts.rule();
    const silence = await alerts.silenced();
    const id = await alerts.fire(ruleId, {}, {}, {});
    await alerts.acted(id, 'resolve');
    await alerts.endSilence(silence.id).expect(204);
    await alerts.acted(id, 'reopen');
    await alerts.dueDone();
    await alerts.acted(id, 'resolve');
    await alerts.acted(id, 'reopen');
    await alerts.dueDone();
    expect(await alerts.notifications(id)).toEqual([]);
    await alerts.fire(ruleId);
    await alerts.acted(id, 'resolve');
    expect(await alerts.notifications(id)).toEqual([
      { status: 'open', occurrences: 1 },
      { status: 'resolved', occurrences: 4 },
    ]);
  });

  it('is sent once in a cooldown, with the number of occurrences since the last one', async () => {
    const ruleId = await alerts.rule({ cooldown_seconds: COOLDOWN_SECONDS });
    const id = await alerts.fire(ruleId);
    await Promise.all(Array.from({ length: 30 }, () => alerts.send({}, {}, {})));
    await alerts.counted(ruleId, 91);
    await alerts.dueDone();
    expect(await alerts.notifications(id)).toEqual([{ status: 'open', occurrences: 1 }]);
    await letTimePass(COOLDOWN_SECONDS * 1_000);
    // Both rounds and the service itself work on what is due, at the same time.
    await Promise.all([job('maintenance'), job('maintenance'), alerts.fire(ruleId)]);
    await alerts.dueDone();
    await letTimePass(COOLDOWN_SECONDS * 1_000);
    await alerts.dueDone();
    const [, ...later] = await alerts.notifications(id);
    expect(later.reduce((sum, { occurrences }) => sum + occurrences, 0)).toBe(91);
    await letTimePass(COOLDOWN_SECONDS * 1_000);
    await alerts.dueDone();
    expect(await alerts.notifications(id)).toHaveLength(1 + later.length);
  });

  it('is sent without a request as soon as the cooldown is over', async () => {
    const ruleId = await alerts.rule({ cooldown_seconds: COOLDOWN_SECONDS });
    const id = await alerts.fire(ruleId);
    await alerts.fire(ruleId, {}, {});
    expect(await alerts.notifications(id)).toHaveLength(1);
    await letTimePass(COOLDOWN_SECONDS * 1_000);
    await receiver.requests(2);
    expect((await alerts.notifications(id)).at(-1)).toEqual({ status: 'open', occurrences: 2 });
  });

  it('is held back by a snooze, and sent after it with the occurrences since', async () => {
    const ruleId = await alerts.rule();
    const id = await alerts.fire(ruleId);
    await alerts.acted(id, 'snooze', { until: fromNow(HOUR) });
    for (let n = 0; n < 3; n += 1) await alerts.fire(ruleId);
    await alerts.dueDone();
    expect(await alerts.notifications(id)).toHaveLength(1);
    await letTimePass(HOUR);
    await alerts.dueDone();
    expect(await alerts.notifications(id)).toEqual([
      { status: 'open', occurrences: 1 },
      { status: 'open', occurrences: 3 },
    ]);
    expect(await alerts.types(id)).toEqual(['opened', 'notified', 'snoozed', 'snooze_ended', 'notified']);
  });

  it('is sent at once with what a snooze held back when somebody acknowledges the alert event', async () => {
    const ruleId = await alerts.rule();
    const id = await alerts.fire(ruleId);
    await alerts.acted(id, 'snooze', { until: fromNow(HOUR) });
    await alerts.fire(ruleId, {}, {});
    await alerts.acted(id, 'acknowledge');
    expect((await alerts.notifications(id)).at(-1)).toEqual({ status: 'acknowledged', occurrences: 2 });
  });

  it('is held back by a silence, and sent after it when the alert event is unresolved', async () => {
    const ruleId = await alerts.rule({ cooldown_seconds: COOLDOWN_SECONDS });
    const silence = await alerts.silenced();
    const other = await alerts.raised({ event_type: 'x', source: 's' });
    expect(await alerts.notifications(other.id)).toHaveLength(1);
    const resolved = await alerts.raised({ event_type: 'payment.failed' });
    const id = await alerts.fire(ruleId);
    await alerts.fire(ruleId, {}, {}, {}, {});
    await alerts.acted(resolved.id, 'resolve');
    await alerts.dueDone();
    expect([await alerts.notifications(id), await alerts.notifications(resolved.id)]).toEqual([[], []]);
    await alerts.endSilence(silence.id).expect(204);
    await alerts.dueDone();
    expect(await alerts.notifications(id)).toEqual([{ status: 'open', occurrences: 5 }]);
    expect(await alerts.notifications(resolved.id)).toEqual([]);
  });

  it('is sent when the silence expires, or no longer matches', async () => {
    const ruleId = await alerts.rule();
    await alerts.silenced({ ends_at: fromNow(60_000) });
    const id = await alerts.fire(ruleId);
    await letTimePass(60_000);
    await alerts.dueDone();
    expect(await alerts.notifications(id)).toHaveLength(1);
    const again = await alerts.silenced();
    await alerts.fire(ruleId);
    expect(await alerts.notifications(id)).toHaveLength(1);
    const filter = { field: 'source', op: 'eq', value: 'elsewhere' };
    const changed = await alerts.changeSilence(again.id, { filter }).expect(200);
    expect((changed.body as { filter: object }).filter).toEqual(filter);
    await alerts.dueDone();
    expect(await alerts.notifications(id)).toHaveLength(2);
  });
});

describe('a silence', () => {
  let acme: Tenant;
  let alerts: AlertingApi;

  beforeEach(async () => {
    acme = await tenant();
    alerts = new AlertingApi(acme);
  });

  const read = async (id: string) =>
    (await api.as(acme.owner).get(`/v1/alerts/silences/${id}`).expect(200)).body as Silence;
  const list = async (query: object = {}) => (await alerts.get('/silences', query).expect(200)).body as Silence[];
  const states = async () => (await list()).map(({ id, state }) => [id, state]);

  it('is pending, active or expired by its times, and the audit log has each change of it', async () => {
    const filter = { all: [{ field: 'event', op: 'starts_with', value: 'payment.' }] };
    const active = await alerts.silenced({ filter, ends_at: fromNow(HOUR), reason: 'Maintenance' });
    expect(active).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
      filter,
      starts_at: expect.stringMatching(/Z$/),
      ends_at: expect.stringMatching(/Z$/),
      reason: 'Maintenance',
      created_by: acme.owner.id,
      state: 'active',
      filter_error: null,
      created_at: expect.stringMatching(/Z$/),
    });
    const pending = await alerts.silenced({ starts_at: fromNow(HOUR), ends_at: fromNow(2 * HOUR) });
    expect(pending).toMatchObject({ state: 'pending', reason: null });
    expect(await states()).toEqual([
      [pending.id, 'pending'],
      [active.id, 'active'],
    ]);
    expect(await read(active.id)).toEqual(active);

    const moved = await alerts.changeSilence(pending.id, { starts_at: fromNow(-1_000), reason: 'Now' }).expect(200);
    expect(moved.body).toMatchObject({ state: 'active', reason: 'Now', ends_at: pending.ends_at });
    const cleared = await alerts.changeSilence(pending.id, { reason: null }).expect(200);
    expect(cleared.body).toMatchObject({ reason: null });
    for (const { id } of [active, pending, active]) await alerts.endSilence(id).expect(204);
    expect(await list({ state: 'expired' })).toHaveLength(2);
    expect(await list({ state: 'active' })).toEqual([]);
    await alerts.changeSilence(active.id, { reason: 'x' }).expect(409, { detail: 'Silence has expired' });
    const unbegun = await alerts.silenced({ starts_at: fromNow(HOUR), ends_at: fromNow(2 * HOUR) });
    await alerts.endSilence(unbegun.id).expect(204);
    expect((await read(unbegun.id)).state).toBe('expired');

    const activity = await api.as(acme.owner).get(`/v1/projects/${acme.projectId}/activity`).expect(200);
    const { items } = activity.body as { items: { action: string; target_type: string }[] };
    const ofSilences = items.filter(({ target_type }) => target_type === 'alert_silence').reverse();
    expect(ofSilences.map(({ action }) => action.replace('alert_silence.', ''))).toEqual([
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

  /** An event of a payment, and an alert event that was raised by hand about it. */
  const raisedAboutPayment = async (): Promise<AlertEvent> => {
    const [event_id] = await alerts.send({
      source: 'web',
      severity: 'error',
      environment: 'production',
      payload: { status_code: 503, card: { kind: 'debit' } },
    });
    return alerts.raised({ event_id, severity: 'critical', message: 'Payments fail: card declined' });
  };

  it.each<[string, object]>([
    ['the severity of the alert event', { field: 'severity', op: 'eq', value: 'critical' }],
    ['the message', { field: 'message', op: 'contains', value: 'declined' }],
    ['the source', { field: 'source', op: 'eq', value: 'web' }],
    ['a property of the event', { field: 'properties.card.kind', op: 'eq', value: 'debit' }],
    ['the environment of the event', { field: 'environment', op: 'eq', value: 'production' }],
    ['the log of the event', { field: 'log.status', op: 'gte', value: 500 }],
    ['a pattern of the event type', { any: [{ field: 'event', op: 'matches', value: '^pay.*failed$' }] }],
  ])('holds a notification back when its filter matches %s', async (_, filter) => {
    await alerts.destination(NOWHERE);
    await alerts.silenced({ filter });
    const { id } = await raisedAboutPayment();
    expect(await alerts.notifications(id)).toEqual([]);
  });

  it.each<[string, object]>([
    ['the severity of the event only', { field: 'severity', op: 'eq', value: 'error' }],
    ['a field that is missing', { field: 'external_event_id', op: 'exists' }],
  ])('does not hold a notification back when its filter is about %s', async (_, filter) => {
    await alerts.destination(NOWHERE);
    await alerts.silenced({ filter });
    const { id } = await raisedAboutPayment();
    expect(await alerts.notifications(id)).toHaveLength(1);
  });

  it('holds a notification back when its filter matches the name of the rule', async () => {
    await alerts.destination(NOWHERE);
    const [ruleId, other] = [await alerts.rule(), await alerts.rule({ name: 'Checkout fails' })];
    await alerts.silenced({ filter: { field: 'rule_name', op: 'eq', value: 'Payments fail' } });
    await alerts.send({});
    const [held, notified] = [await alerts.counted(ruleId, 1), await alerts.counted(other, 1)];
    expect(await alerts.notifications(held.id)).toEqual([]);
    expect(await alerts.notifications(notified.id)).toHaveLength(1);
  });

  it('holds nothing back in another project, and is not listed there', async () => {
    const inGlobex = new AlertingApi(await tenant());
    await alerts.silenced();
    await inGlobex.destination(NOWHERE);
    const { id } = await inGlobex.raised({ event_type: 'payment.failed' });
    expect(await inGlobex.notifications(id)).toHaveLength(1);
    expect((await inGlobex.get('/silences').expect(200)).body).toEqual([]);
  });

  it('returns 422 when it is created with an invalid filter, time or reason', async () => {
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
  });

  it('returns 422 when it is changed to an invalid filter or time', async () => {
    const { id } = await alerts.silenced();
    for (const body of [
      { ends_at: fromNow(-1_000) },
      { starts_at: fromNow(2 * HOUR) },
      { ends_at: fromNow(367 * DAY) },
      { starts_at: fromNow(367 * DAY) },
      { filter: { field: 'message', op: 'matches', value: '(^|a|$){60}x' } },
      { filter: null },
      { starts_at: 'x' },
    ]) {
      expect([body, (await alerts.changeSilence(id, body)).status]).toEqual([body, 422]);
    }
  });

  it('returns 404 when its id is unknown, and 422 when an unknown state is listed', async () => {
    await api.as(acme.owner).get(`/v1/alerts/silences/${NOBODY}`).expect(404, { detail: 'Silence not found' });
    await alerts.get('/silences', { state: 'old' }).expect(422);
  });

  it('can last a year', async () => {
    await alerts.silence({ ends_at: fromNow(365 * DAY) }).expect(201);
  });

  it('holds nothing back, and shows the reason, when its filter is no longer accepted', async () => {
    await alerts.destination(NOWHERE);
    const { id } = await alerts.silenced();
    await setSilenceFilter(id, { any: Array(21).fill({ field: 'event', op: 'matches', value: 'payment' }) });
    const notified = await alerts.raised({ event_type: 'payment.failed' });
    expect(await alerts.notifications(notified.id)).toHaveLength(1);
    expect(await list()).toMatchObject([
      { id, state: 'active', filter_error: 'any.20.value: a filter has at most 20 patterns' },
    ]);
  });

  it('is created, changed and ended by operators only, and shown to viewers', async () => {
    const { id } = await alerts.silenced();
    const viewer = alerts.as(await acme.viewer());
    expect((await viewer.get('/silences').expect(200)).body).toHaveLength(1);
    const member = alerts.as(await acme.member());
    await member.silence().expect(403, ROLE_REFUSED);
    await member.changeSilence(id, {}).expect(403, ROLE_REFUSED);
    await member.endSilence(id).expect(403, ROLE_REFUSED);
    await alerts
      .as(await acme.operator())
      .silence()
      .expect(201);
  });

  it('returns 409 when its project has 100 others, also in a race', async () => {
    await silences(acme.projectId, 99);
    const answers = await Promise.all(Array.from({ length: 4 }, () => alerts.silence()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'Project has too many silences' });
  });
});
