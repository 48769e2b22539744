import { asProjectId } from '../../src/modules/access/index.js';
import { addMember, type Owner, ownerWithProject } from './actors.js';
import { alertEventsOf } from './alert-events.js';
import { runAlertDeliveries } from './alerts.js';
import type { TestApp } from './app.js';
import { addressOf } from './console-pages.js';
import { deliveryOf, type Json, makeDue, ruleMatch, runRetries } from './delivery.js';
import { eventually } from './eventually.js';
import { Objects } from './objects.js';
import { type Receiver, startReceiver } from './receiver.js';
import { eventIs, rulesOf } from './rules.js';
import { SecretsClient } from './secrets.js';
import { SentinelClient } from './sentinel.js';
import { createSource, setPlan, type SourceRecord } from './sources.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Sentinel trains for three days before it evaluates. */
const TRAINED_BUCKETS = 4 * 288;
/** No retry becomes due during a test. */
const RETRY_DELAY_SECONDS = 3_600;
const MAX_BATCH_EVENTS = 500;

/** A project in which every page of the console has something to show. Nothing in it changes by itself. */
export interface WalkedProject {
  readonly owner: Owner;
  /** The address of the overview. */
  readonly address: string;
  /** The hour of the events, as the members `from` and `to` of an address. The hour before has fewer events. */
  readonly from: string;
  readonly to: string;
  /** A moment after everything was stored, in milliseconds since 1970. */
  readonly now: number;
  readonly sources: { readonly checkout: SourceRecord; readonly quiet: SourceRecord };
  readonly rules: { readonly failures: string; readonly slow: string };
  readonly alerts: { readonly open: string; readonly resolved: string };
  readonly channels: { readonly dead: string };
  readonly attempts: { readonly retried: string; readonly dead: string };
  /** An alert delivery that has failed. */
  readonly failedDelivery: string;
  readonly dashboard: string;
  /** Another project of the owner, whose history Sentinel has evaluated. */
  readonly watched: { readonly projectId: string; readonly address: string; readonly finding: string };
  close(): Promise<void>;
}

/** Fills a project, mostly through the API. Rules are evaluated by the tests alone (`RULES_ENV`). */
export async function fillProject(app: TestApp): Promise<WalkedProject> {
  const owner = await ownerWithProject(app);
  // Smaller plans have one source.
  await setPlan(app, owner, 'scale');
  const receiver = await startReceiver(200);
  const to = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
  const sources = {
    checkout: await createSource(app, owner, { name: 'Checkout' }),
    quiet: await createSource(app, owner, { name: 'Old shop', is_enabled: false }),
  };
  await sendEvents(app, owner, sources, to);
  await addPeople(app, owner);
  await addBelongings(app, owner);
  const { rules, alerts, failedDelivery } = await raiseAlerts(app, owner, receiver);
  const delivered = await deliver(app, owner, receiver);
  const dashboard = await addViews(app, owner);
  const watched = await watchedProject(app, owner);
  return {
    owner,
    address: await addressOf(app, owner),
    from: new Date(to - HOUR_MS).toISOString(),
    to: new Date(to).toISOString(),
    now: Date.now(),
    sources,
    rules,
    alerts,
    failedDelivery,
    ...delivered,
    dashboard,
    watched,
    close: () => receiver.close(),
  };
}

interface Sent {
  readonly event_type: string;
  readonly source: string;
  readonly timestamp: string;
  readonly severity?: string;
  readonly message?: string;
  readonly payload?: object;
}

async function sendEvents(app: TestApp, owner: Owner, sources: WalkedProject['sources'], to: number): Promise<void> {
  const at = (minutesBefore: number, index = 0): string =>
    new Date(to - minutesBefore * MINUTE_MS + index * 37).toISOString();
  const many = (count: number, make: (index: number) => Sent): Sent[] =>
    Array.from({ length: count }, (_, i) => make(i));
  const request = (
    path: (index: number) => string,
    method: string,
    status_code: (index: number) => number,
    latency_ms: (index: number) => number,
    first: number,
  ) => {
    return (index: number): Sent => ({
      event_type: 'http.request',
      source: 'web',
      timestamp: at(first - (index % 40), index),
      severity: status_code(index) >= 500 ? 'error' : 'info',
      payload: {
        method,
        path: path(index),
        status_code: status_code(index),
        latency_ms: latency_ms(index),
        user: `user-${String.fromCharCode(97 + (index % 23))}`,
        plan: index % 4 === 0 ? 'pro' : 'free',
      },
    });
  };
  const plain = (event_type: string, first: number, span: number, payload: (index: number) => object = () => ({})) => {
    return (index: number): Sent => ({
      event_type,
      source: 'shop',
      timestamp: at(first - (index % span), index),
      payload: { user: `user-${String.fromCharCode(97 + (index % 23))}`, ...payload(index) },
    });
  };
  // These events are in the hour before, so that figures have a change against the previous period.
  const before = [
    ...many(
      30,
      request(
        (index) => `/orders/${index}`,
        'GET',
        () => 200,
        (index) => 20 + index,
        105,
      ),
    ),
    ...many(25, plain('cart.opened', 100, 30)),
  ];
  const events = [
    ...before,
    ...many(1_100, plain('page.viewed', 55, 50)),
    ...many(
      46,
      request(
        (index) => `/orders/${100 + index}`,
        'GET',
        (index) => (index % 9 === 0 ? 500 : 200),
        (index) => 31 + 13 * index,
        50,
      ),
    ),
    ...many(
      34,
      request(
        () => '/cart',
        'GET',
        (index) => (index % 5 === 0 ? 404 : 200),
        (index) => 12 + 7 * index,
        48,
      ),
    ),
    ...many(
      17,
      request(
        () => '/checkout',
        'POST',
        (index) => (index % 4 === 0 ? 503 : 201),
        (index) => 450 + 311 * index,
        46,
      ),
    ),
    ...many(
      21,
      plain('cart.opened', 45, 20, (index) => ({ country: ['de', 'fr', 'it'][index % 3] })),
    ),
    ...many(
      13,
      plain('order.placed', 24, 10, (index) => ({ total: 19.5 + 100 * index })),
    ),
    ...many(6, plain('payment.settled', 12, 5)),
    { event_type: 'deploy.finished', source: 'ci', timestamp: at(33), message: 'Deployed the shop', payload: {} },
    { event_type: 'deploy.finished', source: 'ci', timestamp: at(14), message: 'Deployed the shop', payload: {} },
  ];
  await ingest(app, owner.apiKey, events);
  const ofCheckout = [
    ...many(7, (index) => ({
      ...plain('payment.failed', 8, 8)(index),
      severity: index % 2 === 0 ? 'critical' : 'warning',
      message: 'The card was declined',
    })),
    ...many(4, (index) => ({
      ...plain('exception', 26, 9)(index),
      severity: 'error',
      message: 'TypeError: the total is not a number',
    })),
  ];
  await ingest(app, sources.checkout.key.key, ofCheckout);
  // The source is off, so its page lists these events as refused.
  await app.request().post('/v1/events/ingest').set('X-API-Key', sources.quiet.key.key).send(events[0]).expect(403);
}

async function ingest(app: TestApp, key: string, events: readonly object[]): Promise<void> {
  for (let first = 0; first < events.length; first += MAX_BATCH_EVENTS) {
    const lines = events.slice(first, first + MAX_BATCH_EVENTS).map((event) => JSON.stringify(event));
    await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', key)
      .set('Content-Type', 'application/x-ndjson')
      .send(lines.join('\n'))
      .expect(200);
  }
}

async function post(app: TestApp, owner: Owner, path: string, body: object): Promise<Json> {
  const { body: answer } = await app.request().post(path).set('Authorization', owner.bearer).send(body).expect(201);
  return answer;
}

async function addPeople(app: TestApp, owner: Owner): Promise<void> {
  for (const role of ['admin', 'member', 'operator', 'viewer']) await addMember(app, owner, role);
  const invites = `/v1/organizations/${owner.organizationId}/invites`;
  await post(app, owner, invites, { email: 'ann@example.com', role: 'viewer' });
  const { id } = await post(app, owner, invites, { email: 'bob@example.com', role: 'operator' });
  await app
    .request()
    .post(`/v1/organizations/invites/${id}/revoke`)
    .set('Authorization', owner.bearer)
    .expect((answer) => {
      if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    });
}

/** Adds keys, secrets and files. */
async function addBelongings(app: TestApp, owner: Owner): Promise<void> {
  const { id } = await post(app, owner, '/v1/api-keys', {
    project_id: owner.projectId,
    name: 'Old server',
    scopes: ['events:write'],
  });
  await app.request().post(`/v1/api-keys/${id}/revoke`).set('Authorization', owner.bearer).expect(200);
  const secrets = new SecretsClient(app, owner, owner.projectId);
  await secrets.made('PAGER_TOKEN', 'first');
  const replaced = await secrets.made('SHOP_TOKEN', 'first');
  await secrets.replace(replaced, 'second');
  await secrets.replace(replaced, 'third');
  const objects = new Objects(app, owner);
  await objects.stored('report.csv', 'a'.repeat(1_536));
  await objects.stored('note.txt', 'short');
  await objects.stored('exports/large.txt', 'b'.repeat(300_000));
}

async function raiseAlerts(app: TestApp, owner: Owner, receiver: Receiver) {
  const client = rulesOf(app, owner);
  const destination = (name: string, path: string): Promise<Json> =>
    post(app, owner, '/v1/alert-destinations', {
      project_id: owner.projectId,
      type: 'webhook',
      name,
      target_url: `${receiver.url}${path}`,
    });
  await destination('On call', '/on-call');
  await destination('Broken pager', '/broken');
  // A refusal is not retried.
  receiver.answer(400, '/broken');
  const rules = {
    failures: await client.rule({ name: 'Payments fail', severity: 'critical' }),
    slow: await client.rule({
      name: 'Many carts',
      severity: 'warning',
      condition: {
        kind: 'threshold',
        window_seconds: 300,
        aggregate: 'count',
        op: 'gte',
        value: 1_000,
        ...eventIs('cart.opened'),
      },
    }),
  };
  const events = alertEventsOf(app, owner);
  const fired = { rule: { id: rules.failures } };
  const resolved = await events.fire({ ...fired, message: 'Payments failed' });
  await events.act(resolved, 'acknowledge');
  await events.act(resolved, 'resolve');
  const open = await events.fire({ ...fired, message: 'Payments fail again' });
  await events.fire({ ...fired, message: 'Payments fail again' });
  await events.fire({ ...fired, message: 'Payments fail again' });
  const group = (country: string, severity: 'critical' | 'warning' | 'info') => ({
    message: `Payments fail in ${country}`,
    fingerprint: `rule ${country}`,
    groupValues: { 'properties.country': country },
    rule: { severity },
  });
  await events.fire(group('de', 'warning'));
  await events.fire(group('fr', 'info'));
  const acknowledged = await events.fire(group('it', 'warning'));
  await events.act(acknowledged, 'acknowledge');
  const snoozed = await events.fire(group('es', 'critical'));
  await events.act(snoozed, 'snooze', { until: new Date(Date.now() + 24 * HOUR_MS).toISOString() });
  await events.silence({ filter: { field: 'rule_name', op: 'eq', value: 'Silenced' }, reason: 'The shop moves' });
  const silenced = await events.fire({
    message: 'Nobody hears of it',
    rule: { name: 'Silenced', severity: 'warning' },
  });
  await events.act(silenced, 'comment', { body: 'Known' });
  const deliveries = await eventually(
    async (): Promise<Json> => {
      await runAlertDeliveries(app);
      return (await events.ask('/deliveries', { limit: 100 })).body;
    },
    ({ items, total }) => total >= 10 && items.every(({ status }: Json) => status === 'sent' || status === 'failed'),
  );
  const failedDelivery: string = deliveries.items.find(({ status }: Json) => status === 'failed').id;
  return { rules, alerts: { open, resolved }, failedDelivery };
}

/** Sends to channels that take it, refuse it, and take a retry. */
async function deliver(app: TestApp, owner: Owner, receiver: Receiver) {
  const delivery = deliveryOf(app, owner);
  const webhook = (name: string, path: string, max_attempts: number): Promise<string> =>
    delivery.webhook(`${receiver.url}${path}`, {
      name,
      configuration: { retry_policy: { max_attempts, base_delay_seconds: RETRY_DELAY_SECONDS } },
    });
  const match = (channel: string): Promise<string> => ruleMatch(app, owner.projectId, channel);
  const good = await webhook('Shop', '/shop', 3);
  const sent = [await match(good), await match(good)];
  receiver.answer(503, '/dead');
  const dead = await webhook('Dead end', '/dead', 0);
  const letters = [await match(dead), await match(dead), await match(dead)];
  receiver.answer(500, '/failing');
  const failing = await webhook('Failing', '/failing', 3);
  const retried = await match(failing);
  await match(failing);
  receiver.answer(502, '/late');
  const late = await match(await webhook('Late', '/late', 3));
  for (const id of [...sent, ...letters, retried, late])
    await eventually(
      async () => {
        await runRetries(app);
        return delivery.attempt(id);
      },
      ({ completed_at, next_retry_at }) => completed_at !== null || next_retry_at !== null,
    );
  receiver.answer(200, '/late');
  for (const id of [retried, late]) {
    await makeDue(app, id);
    await runRetries(app);
    await eventually(
      () => delivery.audits(id),
      (audits) => audits.length > 0 && audits.every(({ finished_at }) => finished_at !== null),
    );
  }
  await eventually(
    async (): Promise<Json> => (await delivery.get('/history', { limit: 100 })).body,
    ({ items }) => items.every((each: Json) => each.completed_at !== null || each.next_retry_at !== null),
  );
  return { channels: { dead }, attempts: { retried, dead: letters[0] ?? '' } };
}

async function addViews(app: TestApp, owner: Owner): Promise<string> {
  const views = `/v1/projects/${owner.projectId}/saved-views`;
  await post(app, owner, views, { name: 'Failed payments', kind: 'view', filters: { event: 'payment.failed' } });
  const panel = (id: string, question: object, y: number) => ({
    id,
    title: id,
    question,
    layout: { x: 0, y, w: 12, h: 12 },
  });
  const questions: [string, object][] = [
    ['All events', { kind: 'figure', search: {} }],
    ['Revenue', { kind: 'figure', search: { aggregate: 'sum', field: 'properties.total', event: 'order.placed' } }],
    ['By event', { kind: 'analysis', search: { ask: 'breakdown', by: 'event' } }],
    ['Requests', { kind: 'performance', part: 'figures', search: {} }],
    ['Routes', { kind: 'performance', part: 'names', search: {} }],
    ['Payments', { kind: 'logs', search: { event: 'payment.failed' } }],
    ['Placed', { kind: 'query', search: { q: 'order.placed where true' } }],
  ];
  const panels = questions.map(([id, question], index) => panel(id, question, 12 * index));
  return (await post(app, owner, views, { name: 'Shop', kind: 'dashboard', filters: { panels } })).id;
}

async function watchedProject(app: TestApp, ofShop: Owner): Promise<WalkedProject['watched']> {
  const { id } = await post(app, ofShop, '/v1/projects', {
    organization_id: ofShop.organizationId,
    name: 'Watched shop',
    slug: 'watched-shop',
  });
  const owner = { ...ofShop, projectId: asProjectId(id) };
  await app.rows('DELETE FROM sentinel_projects');
  await app.rows('DELETE FROM alert_heartbeats');
  const sentinel = new SentinelClient(app, owner);
  await sentinel.put(-TRAINED_BUCKETS - 1, -1, { events: 50, errors: 1 });
  await sentinel.put(0, 0, { events: 50, errors: 30 });
  await sentinel.count();
  await sentinel.watchFrom(0);
  await sentinel.detect();
  const [finding] = await sentinel.findings();
  return { projectId: id, address: await addressOf(app, owner), finding: finding.id };
}
