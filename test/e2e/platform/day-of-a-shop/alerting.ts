import { expect } from '@jest/globals';
import type { Json } from '../../../support/delivery-api.js';
import { eventually } from '../../../support/eventually.js';
import type { Caller } from '../../../support/shop/person.js';
import type { Shop } from '../../../support/shop/shop.js';
import { openStream } from '../../../support/stream-api.js';
import { it } from './it.js';

const HOUR_MS = 3_600_000;
const PAYMENT_FAILS = { field: 'event', op: 'eq', value: 'payment.failed' };
const COUNTRIES = ['DE', 'FR', 'US'];

const refuse = (server: Caller, country: string, amount: number): Promise<Json> =>
  server.post('/v1/events/ingest', {
    event_type: 'payment.failed',
    source: 'payments',
    severity: 'critical',
    status: 'failed',
    message: 'The bank declined the card',
    environment: 'production',
    properties: { country, plan: 'pro', amount, reason: 'card_declined' },
  });

/** The alerts of the shop: its destinations, rules, notifications and silences. */
export function alerting(shop: () => Shop): void {
  let destinationId = '';
  let ruleId = '';
  let alerts: Json[] = [];

  it('creates destinations for its alerts, and sends a test to one', async () => {
    const { ada, hooks, projectId } = shop();
    const onCall = await ada.post('/v1/alert-destinations', {
      project_id: projectId,
      type: 'webhook',
      name: 'On call',
      target_url: `${hooks.url}/on-call`,
      secret: 'example-signing-secret',
    });
    destinationId = onCall.id;
    expect((await ada.post(`/v1/alert-destinations/${onCall.id}/test`)).ok).toBe(true);
    expect((await hooks.requests(1))[0]?.path).toBe('/on-call');
    const chat = await ada.post('/v1/alert-destinations', {
      project_id: projectId,
      type: 'slack',
      name: 'Payments chat',
      target_url: `${hooks.url}/services/payments`,
    });
    expect((await ada.post(`/v1/alert-destinations/${chat.id}/disable`)).is_enabled).toBe(false);
    expect((await ada.post(`/v1/alert-destinations/${chat.id}/enable`)).is_enabled).toBe(true);
    expect(await ada.get('/v1/alert-destinations', { project_id: projectId })).toHaveLength(2);
    await ada.delete(`/v1/alert-destinations/${chat.id}`);
  });

  it('creates rules, and tests one with the events of a day', async () => {
    const { ada, projectId, day } = shop();
    const often = await ada.post('/v1/alert-rules', {
      project_id: projectId,
      name: 'Many payments fail',
      severity: 'critical',
      condition: {
        kind: 'threshold',
        window_seconds: 3_600,
        aggregate: 'count',
        op: 'gte',
        value: 2,
        all: [PAYMENT_FAILS, { field: 'environment', op: 'eq', value: 'production' }],
      },
      group_by: ['environment'],
      for_seconds: 0,
      cooldown_seconds: 1_800,
      destination_ids: [destinationId],
      runbook_url: 'https://wiki.example.com/payments-fail',
      notes: 'Ask the payments team before you restart anything.',
    });
    await ada.patch(`/v1/alert-rules/${often.id}`, {
      name: 'Payments of an hour fail',
      condition: { ...often.condition, value: 3 },
      keep_firing_seconds: 600,
    });
    const rule = await ada.post('/v1/alert-rules', {
      project_id: projectId,
      name: 'Payment fails',
      severity: 'warning',
      condition: { kind: 'match', all: [PAYMENT_FAILS, { field: 'properties.amount', op: 'gte', value: 20 }] },
      group_by: ['properties.country'],
    });
    ruleId = rule.id;
    const tried = await ada.post(`/v1/alert-rules/${rule.id}/backtest`, day);
    expect(tried).toMatchObject({ rule_id: rule.id, truncated: false });
    expect(tried.firings.length).toBeGreaterThan(0);
    const linked = await ada.put(`/v1/alert-rules/${rule.id}/destinations`, { destination_ids: [destinationId] });
    expect(linked).toMatchObject({ notifies: 'linked', destination_ids: [destinationId] });
    expect((await ada.get(`/v1/alert-rules/${often.id}`)).condition.value).toBe(3);
    expect(await ada.get('/v1/alert-rules', { project_id: projectId })).toHaveLength(2);
    await ada.delete(`/v1/alert-rules/${often.id}`);
  });

  it('has one alert for each country, whose notifications fail while the receiver returns 404', async () => {
    const { ada, server, hooks, projectId } = shop();
    hooks.answer(404, '/on-call');
    const stream = await openStream(`/v1/alerts/events/stream?project_id=${projectId}`, ada.account);
    for (const [nth, country] of COUNTRIES.entries()) await refuse(server, country, 40 + 10 * nth);
    await stream.until(
      ({ messages }) => messages.filter(({ alert_event: alert }) => alert?.status === 'open').length === 3,
    );
    stream.close();
    const failed = { project_id: projectId, status: 'failed', destination_id: destinationId };
    await eventually(
      () => ada.get('/v1/alerts/deliveries', failed),
      ({ total }) => total === 3,
    );
    const found = await ada.get('/v1/alerts/events', { project_id: projectId, status: 'open', range: '24h' });
    alerts = found.items;
    expect(alerts.map(({ group_values: group }) => group['properties.country']).sort()).toEqual(COUNTRIES);
    expect((await ada.get(`/v1/alert-rules/${ruleId}`)).state).toBe('firing');
  });

  it('corrects the URL of a destination, and sends the failed notifications again', async () => {
    const { ada, hooks, projectId } = shop();
    await ada.patch(`/v1/alert-destinations/${destinationId}`, {
      name: 'On-call team',
      target_url: `${hooks.url}/teams/on-call`,
    });
    const of = { project_id: projectId, destination_id: destinationId };
    const { items } = await ada.get('/v1/alerts/deliveries', { ...of, status: 'failed' });
    const [first] = items;
    expect(first).toMatchObject({ failure_reason: expect.stringContaining('http_404') });
    expect((await ada.post(`/v1/alerts/deliveries/${first.id}/retry`)).status).toBe('pending');
    expect(await ada.post('/v1/alerts/deliveries/retry-failed', of)).toEqual({ retried: 2, remaining: 0 });
    await eventually(
      () => ada.get('/v1/alerts/deliveries', { ...of, status: 'sent' }),
      ({ total }) => total === 3,
    );
    expect(await ada.get(`/v1/alerts/deliveries/${first.id}`)).toMatchObject({ status: 'sent', response_code: 200 });
    expect(hooks.received.filter(({ path }) => path === '/teams/on-call')).toHaveLength(3);
  });

  it('acknowledges, assigns, comments, snoozes, resolves and reopens its alerts', async () => {
    const { ada, grace, projectId } = shop();
    const [first, ...others] = alerts.map(({ id }): string => id);
    const path = `/v1/alerts/events/${first}`;
    await grace.post(`${path}/acknowledge`, { note: 'Asking the bank' });
    await ada.post(`${path}/assign`, { user_id: grace.id });
    await grace.post(`${path}/comments`, { body: 'The bank says that its gateway is slow since 9:40' });
    await grace.post(`${path}/snooze`, { until: new Date(Date.now() + HOUR_MS).toISOString() });
    await grace.post(`${path}/resolve`, { note: 'The bank has repaired its gateway' });
    await grace.post(`${path}/reopen`, { note: 'It fails again' });
    await grace.post(`${path}/resolve`, { note: 'The bank has replaced its gateway' });
    expect((await grace.get(path)).status).toBe('resolved');
    const acts = await ada.get(`${path}/timeline`);
    expect(acts.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['opened', 'acknowledged', 'assigned', 'commented', 'snoozed', 'reopened', 'resolved']),
    );
    const { results } = await grace.post('/v1/alerts/events/bulk', {
      ids: others,
      action: 'acknowledge',
      note: 'The same gateway',
    });
    expect(results).toEqual(others.map((id) => ({ id, ok: true, detail: null })));
    await grace.post('/v1/alerts/events', {
      project_id: projectId,
      message: 'Customers write that the till hangs',
      severity: 'info',
      source: 'support',
      event_type: 'support.reported',
      payload: { tickets: 3, page: '/checkout' },
    });
    const of = { project_id: projectId, range: '24h' };
    expect(await ada.get('/v1/alerts/summary', of)).toMatchObject({ total: 4, by_status: { resolved: 1, open: 1 } });
    expect((await ada.get('/v1/alerts/metrics', of)).time_to_acknowledge.count).toBe(3);
  });

  it('has no notification of an alert while a silence matches', async () => {
    const { ada, server, projectId } = shop();
    const silence = await ada.post('/v1/alerts/silences', {
      project_id: projectId,
      filter: { all: [PAYMENT_FAILS, { field: 'properties.country', op: 'eq', value: 'DE' }] },
      ends_at: new Date(Date.now() + 2 * HOUR_MS).toISOString(),
      reason: 'The bank repairs its gateway',
    });
    await ada.patch(`/v1/alerts/silences/${silence.id}`, {
      filter: PAYMENT_FAILS,
      reason: 'The bank repairs its gateways everywhere',
    });
    expect((await ada.get(`/v1/alerts/silences/${silence.id}`)).state).toBe('active');
    const before = (await ada.get('/v1/alerts/deliveries', { project_id: projectId })).total;
    await refuse(server, 'AT', 25);
    await eventually(
      () => ada.get('/v1/alerts/events', { project_id: projectId, alert_rule_id: ruleId, range: '24h' }),
      ({ total }) => total === 4,
    );
    expect(await ada.get('/v1/alerts/silences', { project_id: projectId })).toHaveLength(1);
    expect((await ada.get('/v1/alerts/deliveries', { project_id: projectId })).total).toBe(before);
    await ada.delete(`/v1/alerts/silences/${silence.id}`);
  });
}
