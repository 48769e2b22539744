import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type AlertEvent, AlertingApi } from '../../support/alerting-api.js';
import { deliveryOf } from '../../support/delivery-api.js';
import { eventually } from '../../support/eventually.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { RulesApi } from '../../support/rules-api.js';
import { api, type Tenant, tenant } from '../../support/service.js';
import { createSource } from '../../support/sources-api.js';
import {
  lastEventOf,
  letRuleTimePass,
  postponeRule,
  queuedEventRows,
  setRuleError,
  whileMatchingWaits,
} from '../../support/sql-builders/rules.js';
import { expectedSignature } from '../../support/webhook-signature.js';

const SECRET = 'the-secret-of-the-receiver-0123456789';
const STORM = 10_000;
const LINES = 1_000;
const DESTINATIONS = 3;

interface RaisedEvent extends AlertEvent {
  event_id: string | null;
  severity: string;
  message: string;
  payload: object;
  group_values: Record<string, unknown>;
}

interface Notification {
  project_id: string;
  status: string;
  payload: { occurrences?: number };
}

let acme: Tenant;
let rules: RulesApi;
let alerts: AlertingApi;
let receiver: Receiver;

beforeEach(async () => {
  acme = await tenant();
  rules = new RulesApi(acme);
  alerts = new AlertingApi(acme);
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const post = (of: Tenant, body: object | string) => api.as(of.key).post('/v1/events/ingest', body);
/** Sends events one after the other. @returns their ids */
const send = async (of: Tenant, ...events: object[]): Promise<string[]> => {
  const ids: string[] = [];
  for (const event of events) {
    const { body } = await post(of, { event_type: 'payment.failed', source: 'shop', ...event }).expect(200);
    ids.push((body as { ingested_event_id: string }).ingested_event_id);
  }
  return ids;
};
/** Sends events in one request. @returns how many were accepted */
const sendLines = async (events: readonly object[]): Promise<number> => {
  const lines = events.map((event) => JSON.stringify({ event_type: 'payment.failed', source: 'shop', ...event }));
  const { body } = await post(acme, lines.join('\n')).type('application/x-ndjson').expect(200);
  return (body as { accepted: number }).accepted;
};
/** Sends events, and waits until they are matched. */
const ingest = async (...events: object[]): Promise<string[]> => {
  const ids = await send(acme, ...events);
  await rules.matched();
  return ids;
};
const letTimePass = (seconds: number) => letRuleTimePass(acme.projectId, seconds);
/** The alert events of a project, the oldest first. */
const raised = async (of: AlertingApi = alerts): Promise<RaisedEvent[]> =>
  ((await of.list({ limit: 500 })).items as RaisedEvent[]).reverse();
const occurrences = async (): Promise<number[]> => (await raised()).map((one) => one.occurrences);
const statuses = async (): Promise<string[]> => (await raised()).map(({ status }) => status);
const stateOf = (id: string): Promise<string> => rules.stateOf(id);
/** Waits until nothing is due to be sent to a destination of a project. */
const notified = async (of: Tenant = acme): Promise<void> => {
  const pending = { project_id: of.projectId, status: 'pending' };
  await eventually(
    async () => (await api.as(of.owner).get('/v1/alerts/deliveries', pending).expect(200)).body as { total: number },
    ({ total }) => total === 0,
  );
};
const bodiesOf = ({ received }: Receiver): Notification[] =>
  received.map(({ body }) => JSON.parse(body) as Notification);
/** Everything that the receiver has been sent, once nothing more is due. */
const notifications = async (): Promise<Notification[]> => {
  await alerts.dueDone();
  await notified();
  return bodiesOf(receiver);
};

describe('an alert rule of single events', () => {
  it('fires for each event that matches, and its alert event shows the first of these events', async () => {
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
    const [found, ...others] = await raised();
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      alert_rule_id: id,
      occurrences: 2,
      status: 'open',
      severity: 'critical',
      message: 'Payments fail: Card refused',
      event_id: ids[1],
    });
    expect([found?.group_values, found?.payload]).toEqual([
      {},
      { amount: 100, currency: 'EUR', message: 'Card refused', source: 'shop' },
    ]);
    expect(await lastEventOf(found?.id ?? '')).toBe(ids[4]);
    expect(await stateOf(id)).toBe('firing');
    expect(await queuedEventRows(acme.projectId)).toBe(0);
  });

  it('raises an alert event for each group, and counts events of the same group in one alert event', async () => {
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

  it('raises one alert event for all groups of a batch beyond the first 200', async () => {
    await rules.rule({ group_by: ['properties.n'] });
    expect(await sendLines(Array.from({ length: 250 }, (_, n) => ({ payload: { n } })))).toBe(250);
    await rules.matched();
    const counts = await occurrences();
    expect(counts).toHaveLength(201);
    expect(counts.sort((a, b) => b - a).slice(0, 2)).toEqual([50, 1]);
  });

  it('matches only events of its own project, and its alert events are shown and sent only there', async () => {
    const globex = await tenant();
    const [theirs, theirAlerts, theirHook] = [new RulesApi(globex), new AlertingApi(globex), await startReceiver()];
    try {
      await alerts.destination(receiver.url);
      await theirAlerts.destination(theirHook.url);
      const [mine, their] = [await rules.rule({ name: 'Mine' }), await theirs.rule({ name: 'Theirs' })];
      await send(acme, {}, {});
      await send(globex, {});
      await rules.matched();
      await theirs.matched();
      const found = async (of: AlertingApi) => (await raised(of)).map((one) => [one.alert_rule_id, one.occurrences]);
      expect(await found(alerts)).toEqual([[mine, 2]]);
      expect(await found(theirAlerts)).toEqual([[their, 1]]);
      expect((await notifications()).map(({ project_id }) => project_id)).toEqual([acme.projectId]);
      await notified(globex);
      expect(bodiesOf(theirHook).map(({ project_id }) => project_id)).toEqual([globex.projectId]);
    } finally {
      await theirHook.close();
    }
  });

  it('matches no event from before it was created or enabled again', async () => {
    await rules.rule({ name: 'First' });
    const second = await whileMatchingWaits(acme.projectId, async () => {
      await send(acme, {}, {});
      const id = await rules.rule({ name: 'Second' });
      await send(acme, {});
      return id;
    });
    await rules.matched();
    expect(await occurrences()).toEqual(expect.arrayContaining([3, 1]));
    await rules.patch(second, { is_enabled: false }).expect(200);
    await whileMatchingWaits(acme.projectId, async () => {
      await send(acme, {});
      await rules.patch(second, { is_enabled: true }).expect(200);
      await send(acme, {});
    });
    await rules.matched();
    expect(await occurrences()).toEqual(expect.arrayContaining([5, 2]));
  });

  it('notifies each destination once in a cooldown about a storm, and the notifications count each event once', async () => {
    for (let at = 0; at < DESTINATIONS; at += 1) await alerts.destination(`${receiver.url}/${at}`);
    await rules.rule({ cooldown_seconds: 6_000 });
    const lines = Array.from({ length: LINES }, () => ({}));
    const storm = Promise.all(Array.from({ length: STORM / LINES }, () => sendLines(lines)));
    await rules.matched();
    expect(await storm).toEqual(Array.from({ length: STORM / LINES }, () => LINES));
    await rules.matched();
    expect(await occurrences()).toEqual([STORM]);
    const numbers = async (): Promise<number[]> =>
      (await notifications()).map(({ payload }) => payload.occurrences ?? 1);
    expect(await numbers()).toHaveLength(DESTINATIONS);
    await letTimePass(4_000);
    expect(await numbers()).toHaveLength(DESTINATIONS);
    await letTimePass(2_001);
    const both = await numbers();
    expect(both).toHaveLength(2 * DESTINATIONS);
    expect(both.reduce((sum, number) => sum + number, 0)).toBe(STORM * DESTINATIONS);
    await letTimePass(6_001);
    expect(await numbers()).toHaveLength(2 * DESTINATIONS);
  });

  it('notifies only its linked destinations, and every destination when none is linked', async () => {
    const [linked, other] = [
      await alerts.destination(`${receiver.url}/linked`),
      await alerts.destination(`${receiver.url}/other`),
    ];
    const id = await rules.rule({ destination_ids: [linked], cooldown_seconds: 0 });
    const paths = async (): Promise<string[]> => {
      await notifications();
      return receiver.received
        .splice(0)
        .map(({ path }) => path)
        .sort();
    };
    await ingest({});
    expect(await paths()).toEqual(['/linked']);
    await rules.link(id, { destination_ids: [other] }).expect(200);
    await ingest({});
    expect(await paths()).toEqual(['/other']);
    await rules.link(id, {}).expect(200);
    await ingest({});
    expect(await paths()).toEqual(['/linked', '/other']);
  });

  it('notifies no other receiver once its last linked destination is deleted, and its alert events say so', async () => {
    await alerts.destination(`${receiver.url}/other`);
    const linked = await alerts.destination(`${receiver.url}/linked`);
    const id = await rules.rule({ destination_ids: [linked], cooldown_seconds: 0, group_by: ['properties.n'] });
    const storm = Array.from({ length: 20 }, (_, n) => ({ payload: { n } }));
    await whileMatchingWaits(acme.projectId, () => send(acme, ...storm));
    // Its last link is deleted while it fires.
    await Promise.all([rules.matched(), api.as(acme.owner).delete(`/v1/alert-destinations/${linked}`).expect(204)]);
    await ingest({ payload: { n: 'late' } });
    expect((await notifications()).length).toBeLessThanOrEqual(storm.length);
    expect(receiver.received.map(({ path }) => path).filter((path) => path !== '/linked')).toEqual([]);
    expect(await rules.get(id)).toMatchObject({ state: 'firing', notifies: 'nobody' });
    const late = (await raised()).find(({ group_values }) => group_values['properties.n'] === 'late');
    expect(await alerts.types(late?.id ?? '')).toEqual(['opened', 'nobody_notified']);
  });

  it('fires after its for_seconds when events come often enough, and waits again after a pause of as many seconds', async () => {
    const id = await rules.rule({ for_seconds: 3_600 });
    await ingest({});
    expect([await stateOf(id), await raised()]).toEqual(['pending', []]);
    await letTimePass(3_000);
    await ingest({});
    expect(await stateOf(id)).toBe('pending');
    await letTimePass(3_000);
    await ingest({}, {});
    expect([await stateOf(id), await occurrences()]).toEqual(['firing', [2]]);
    // Nothing matches for as long as the condition has to hold: the episode ends, and the time begins again.
    await letTimePass(3_601);
    await rules.matched();
    expect([await stateOf(id), await statuses()]).toEqual(['inactive', ['resolved']]);
    await ingest({});
    await whileMatchingWaits(acme.projectId, async () => {
      await letTimePass(3_601);
      await send(acme, {});
    });
    await rules.matched();
    expect([await stateOf(id), await raised()]).toEqual(['pending', [expect.objectContaining({ occurrences: 2 })]]);
  });

  it('keeps firing for its keep_firing_seconds, and notifies once of the end of each episode', async () => {
    await alerts.destination(receiver.url);
    const id = await rules.rule({ keep_firing_seconds: 1_200, cooldown_seconds: 0, group_by: ['properties.shop'] });
    await ingest({ payload: { shop: 'a' } }, { payload: { shop: 'b' } });
    await letTimePass(1_000);
    await ingest({ payload: { shop: 'a' } });
    await letTimePass(300);
    await rules.matched();
    expect((await raised()).map((one) => [one.group_values['properties.shop'], one.status])).toEqual(
      expect.arrayContaining([
        ['a', 'open'],
        ['b', 'resolved'],
      ]),
    );
    expect(await stateOf(id)).toBe('firing');
    await letTimePass(1_000);
    await rules.matched();
    await rules.matched();
    expect(await stateOf(id)).toBe('inactive');
    expect((await notifications()).filter(({ status }) => status === 'resolved')).toHaveLength(2);
    // The next event begins another episode.
    await ingest({ payload: { shop: 'a' } });
    expect(await statuses()).toEqual(['resolved', 'resolved', 'open']);
  });

  it('becomes inactive also when its keep_firing_seconds are set to 0 while it fires', async () => {
    const id = await rules.rule({ keep_firing_seconds: 3_600 });
    await ingest({});
    await whileMatchingWaits(acme.projectId, async () => {
      await rules.patch(id, { keep_firing_seconds: 0 }).expect(200);
      expect(await stateOf(id)).toBe('firing');
      await letTimePass(3_601);
    });
    await rules.matched();
    expect([await stateOf(id), await statuses()]).toEqual(['inactive', ['resolved']]);
  });

  it('becomes inactive after the seconds to hold that it has now, also when these were changed while it fired', async () => {
    const id = await rules.rule({ keep_firing_seconds: 3_600 });
    await ingest({});
    await letTimePass(1_000);
    await rules.patch(id, { keep_firing_seconds: 600 }).expect(200);
    await rules.matched();
    expect([await stateOf(id), await statuses()]).toEqual(['inactive', ['resolved']]);
    await ingest({});
    await rules.patch(id, { keep_firing_seconds: 3_600 }).expect(200);
    await letTimePass(1_000);
    await rules.matched();
    expect([await stateOf(id), await statuses()]).toEqual(['firing', ['resolved', 'open']]);
    await rules.patch(id, { keep_firing_seconds: 0, for_seconds: 7_200 }).expect(200);
    await letTimePass(5_000);
    await rules.matched();
    expect(await stateOf(id)).toBe('firing');
    await letTimePass(1_500);
    await rules.matched();
    expect(await stateOf(id)).toBe('inactive');
  });

  it('shows the state of its series, also while an earlier alert event is open', async () => {
    const id = await rules.rule({ for_seconds: 3_600 });
    await ingest({});
    await letTimePass(3_000);
    await ingest({});
    await letTimePass(3_000);
    await ingest({});
    expect(await stateOf(id)).toBe('firing');
    await rules.patch(id, { group_by: ['properties.shop'] }).expect(200);
    expect(await stateOf(id)).toBe('inactive');
    await ingest({});
    expect([await stateOf(id), await statuses()]).toEqual(['pending', ['open']]);
  });

  it('shows why it fails until it is evaluated again, and not only until another rule is', async () => {
    const id = await rules.rule();
    const late = await rules.rule({ name: 'Late' });
    await rules.rule({ name: 'Other', condition: { kind: 'match' } });
    await setRuleError([id, late], 'It failed');
    await postponeRule(late);
    const errors = async () => [(await rules.get(id)).last_error, (await rules.get(late)).last_error];
    await ingest({ event_type: 'order.paid' });
    expect(await errors()).toEqual(['It failed', 'It failed']);
    await ingest({});
    expect(await errors()).toEqual([null, 'It failed']);
    expect(await occurrences()).toEqual(expect.arrayContaining([1, 2]));
  });

  it('notifies a destination and a channel of an event without a request, signed as the documentation says', async () => {
    const hook = await api
      .as(acme.owner)
      .post('/v1/alert-destinations', {
        project_id: acme.projectId,
        type: 'webhook',
        name: 'Receiver',
        target_url: `${receiver.url}/hook`,
        secret: SECRET,
      })
      .expect(201);
    const { id: hookId } = hook.body as { id: string };
    const delivery = deliveryOf(acme);
    const channel = await delivery.webhook(`${receiver.url}/channel`);
    const id = await rules.rule({ destination_ids: [hookId], channel_ids: [channel], group_by: ['properties.shop'] });
    const source = await createSource(acme);
    const sent = await api
      .as({ apiKey: source.key.key })
      .post('/v1/events/ingest', {
        event_type: 'payment.failed',
        source: 'shop',
        message: 'Grüße: refused',
        payload: { shop: 'Köln' },
      })
      .expect(200);
    const { ingested_event_id: eventId } = sent.body as { ingested_event_id: string };
    const requests = await receiver.requests(2);
    const told = requests.find(({ path }) => path === '/hook');
    const attempted = requests.find(({ path }) => path === '/channel');
    if (told === undefined || attempted === undefined) throw new Error('one of both was notified twice');
    const [alert] = await raised();
    expect(JSON.parse(told.body)).toEqual({
      alert_event_id: alert?.id,
      alert_rule_id: id,
      project_id: acme.projectId,
      event_id: eventId,
      event_type: 'payment.failed',
      source: 'shop',
      severity: 'warning',
      status: 'open',
      message: 'Payments fail: Grüße: refused',
      payload: { shop: 'Köln', source: 'shop', message: 'Grüße: refused' },
      created_at: alert?.created_at,
    });
    expect(told.headers['x-service-signature']).toBe(expectedSignature(SECRET, told));
    const library = new Webhook(Buffer.from(SECRET), { format: 'raw' });
    expect(library.verify(told.body, told.headers as Record<string, string>)).toEqual(JSON.parse(told.body));
    expect(JSON.parse(attempted.body)).toMatchObject({
      type: 'rule_match',
      channel_id: channel,
      rule: { id, name: 'Payments fail' },
      event: { alert_event_id: alert?.id, id: eventId },
    });
    const { items: attempts } = (await delivery.get('/history')).body as { items: { id: string }[] };
    expect(attempts).toHaveLength(1);
    expect(await delivery.attempt(attempts[0]?.id ?? '')).toMatchObject({
      kind: 'rule_match',
      event_id: eventId,
      rule_id: id,
      source_id: source.id,
    });
    expect(await stateOf(id)).toBe('firing');
  });
});
