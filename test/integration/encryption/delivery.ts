import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { alertsOf, runAlertDeliveries } from '../../support/alerts.js';
import { deliveryOf, makeDue, ruleMatch, runRetries } from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { secretsOf } from '../../support/secrets.js';
import { app, off } from './instances.js';

const SECRET = 'protected-value-0123456789';

let receiver: Receiver;

/** Gives each test of a group a receiver of its own. Only the instance that a test runs sends. */
function useReceiver(): void {
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
}

describe('a protected header while encryption is switched off', () => {
  useReceiver();

  it('is not added, changed or sent, but can still be removed', async () => {
    const owner = await ownerWithProject(app);
    const before = deliveryOf(app, owner);
    const id = await before.webhook(receiver.url, { protected_headers: [{ name: 'X-A', value: SECRET }] });
    const delivery = deliveryOf(off, owner);
    const detail = 'Protected webhook headers are unavailable';
    const path = `/channels/${id}/protected-headers`;
    const header = { name: 'X-B', value: 'v' };
    const channel = { type: 'webhook', configuration: { url: receiver.url }, protected_headers: [header] };
    for (const answer of [
      await delivery.send('post', path, header),
      await delivery.send('patch', `${path}/X-A`, { value: 'v' }),
      await delivery.send('patch', `/channels/${id}`, { protected_headers: [header] }),
      await delivery.create(channel),
    ]) {
      expect([answer.status, answer.body]).toEqual([503, { detail }]);
    }
    expect((await delivery.get('/channels')).body).toHaveLength(1);
    const test = await delivery.send('post', `/channels/${id}/test`);
    expect([test.status, test.body]).toEqual([503, { detail }]);
    expect((await delivery.get('/history')).body.total).toBe(0);
    expect(receiver.connections()).toBe(0);
    expect(await delivery.send('delete', `${path}/X-A`)).toMatchObject({ status: 200 });
    const unsigned = await delivery.webhook(receiver.url);
    expect((await delivery.send('post', `/channels/${unsigned}/test`)).body.ok).toBe(true);
  });

  it('leaves new channels unsigned, and returns 503 to a rotation and to a test of a signed channel', async () => {
    const owner = await ownerWithProject(app);
    const signed = await deliveryOf(app, owner).webhook(receiver.url);
    const delivery = deliveryOf(off, owner);
    const detail = 'Webhook signing secrets are unavailable';
    const { body } = await delivery.create({ type: 'webhook', configuration: { url: receiver.url } });
    expect(body).toMatchObject({ has_signing_secret: false });
    expect(body).not.toHaveProperty('signing_secret');
    for (const answer of [
      await delivery.send('patch', `/channels/${body.id}`, { rotate_signing_secret: true }),
      await delivery.send('post', `/channels/${signed}/test`),
    ]) {
      expect([answer.status, answer.body]).toEqual([503, { detail }]);
    }
    expect(receiver.connections()).toBe(0);
  });

  it('prevents replay, Retry Now and drain with 503, and leaves the attempts of its channel unchanged', async () => {
    receiver.answer(500);
    const owner = await ownerWithProject(app);
    const before = deliveryOf(app, owner);
    const made = async (policy: object, protected_headers: object[], state: string): Promise<string> => {
      const channel = await before.webhook(receiver.url, {
        configuration: { retry_policy: policy },
        protected_headers,
      });
      const id = await ruleMatch(app, owner.projectId, channel);
      await runRetries(app);
      expect((await before.attempt(id)).retry_state).toBe(state);
      return id;
    };
    const headers = [{ name: 'X-A', value: SECRET }];
    const scheduled = await made({ base_delay_seconds: 3_600, max_delay_seconds: 3_600 }, headers, 'scheduled_retry');
    const dead = await made({ max_attempts: 0 }, headers, 'dlq');
    const open = await made({ max_attempts: 0 }, [], 'dlq');
    await app.rows(
      'UPDATE delivery_channels SET signing_secret = NULL WHERE id IN (SELECT channel_id FROM delivery_attempts WHERE id = $1)',
      [open],
    );
    const delivery = deliveryOf(off, owner);
    const sends = receiver.received.length;
    const rows = () => app.rows('SELECT to_jsonb(a) AS attempt FROM delivery_attempts a ORDER BY id');
    const unchanged = await rows();
    for (const [id, act] of [
      [scheduled, 'replay'],
      [scheduled, 'retry-now'],
      [dead, 'replay'],
      [dead, 'dlq-drain'],
    ] as const) {
      const answer = await delivery.send('post', `/history/${id}/${act}`);
      expect([act, answer.status, answer.body]).toEqual([
        act,
        503,
        { detail: 'Protected webhook headers are unavailable' },
      ]);
    }
    expect(await rows()).toEqual(unchanged);
    expect(receiver.received).toHaveLength(sends);
    receiver.answer(200);
    expect((await delivery.send('post', `/history/${open}/dlq-drain`)).status).toBe(200);
  });

  it('keeps the attempts of its channel pending and uncounted until it can be read', async () => {
    const owner = await ownerWithProject(app);
    const channel = await deliveryOf(app, owner).webhook(receiver.url, {
      protected_headers: [{ name: 'X-A', value: SECRET }],
    });
    const delivery = deliveryOf(off, owner);
    const id = await ruleMatch(off, owner.projectId, channel);
    await runRetries(off);
    expect(await delivery.attempt(id)).toMatchObject({
      status: 'pending',
      retry_state: 'pending',
      failure_reason: 'cryptography_unavailable',
      try_number: 0,
      retry_count: 0,
      completed_at: null,
    });
    expect(await off.metrics()).toMatch(/^oes_delivery_backlog 0$/m);
    expect(receiver.connections()).toBe(0);
    await makeDue(app, id);
    await runRetries(app);
    expect(await delivery.attempt(id)).toMatchObject({
      status: 'sent',
      try_number: 1,
      failure_reason: null,
    });
    expect(receiver.received[0]?.headers['x-a']).toBe(SECRET);
  });

  it('makes a test of its channel return 503 without an attempt when it names a secret', async () => {
    const owner = await ownerWithProject(app);
    await secretsOf(app, owner).made('TOKEN', 'value');
    const channel = await deliveryOf(app, owner).webhook(receiver.url, {
      protected_headers: [{ name: 'X-H0', value: '{{secret:TOKEN}}' }],
    });
    const answer = await deliveryOf(off, owner).send('post', `/channels/${channel}/test`);
    expect([answer.status, answer.body]).toEqual([503, { detail: 'Protected webhook headers are unavailable' }]);
    const history = await deliveryOf(app, owner).get('/history', { channel_id: channel });
    expect(history.body.total).toBe(0);
  });
});

describe('an alert destination while encryption is switched off', () => {
  useReceiver();

  it('returns 503 with a secret or a Slack address, and is created when there is nothing to encrypt', async () => {
    const alerts = alertsOf(off, await ownerWithProject(off));
    const refusal = { detail: 'Protected alert destination credentials are unavailable' };
    for (const body of [
      { target_url: 'https://example.com/', secret: SECRET },
      { target_url: 'https://hooks.slack.com/services/T000/B000/slackpathsecret', type: 'slack' },
    ]) {
      const answer = await alerts.create(body);
      expect([answer.status, answer.body]).toEqual([503, refusal]);
    }
    expect((await alerts.create({ target_url: 'http://127.0.0.1:1/' })).status).toBe(201);
  });

  it('keeps its deliveries pending without losing an attempt until its secret can be read', async () => {
    const alerts = alertsOf(app, await ownerWithProject(app));
    const id = await alerts.raiseFor(await alerts.destination(receiver.url, { secret: SECRET }));
    await runAlertDeliveries(off);
    expect(await alerts.delivery(id)).toMatchObject({
      status: 'pending',
      retry_count: 0,
      failure_reason: 'cryptography_unavailable',
    });
    expect(receiver.connections()).toBe(0);
    await app.rows('UPDATE alert_deliveries SET due_at = now() WHERE id = $1', [id]);
    await runAlertDeliveries(app);
    expect(await alerts.delivery(id)).toMatchObject({ status: 'sent', retry_count: 0 });
  });
});
