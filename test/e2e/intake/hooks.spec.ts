import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import {
  HOOK_SECRET as secret,
  ofGitHub,
  ofGitLab,
  ofHmac,
  ofShopify,
  ofSlack,
  ofStandard,
  ofStripe,
  type SignedDelivery,
  STANDARD_SECRET,
} from '../../support/hook-deliveries.js';
import { intake, type IntakeEvent } from '../../support/intake-api.js';
import { api, service, type Tenant, tenant } from '../../support/service.js';
import { createHook, type HookSource } from '../../support/source-hooks.js';
import { ingestionDatabase } from '../../support/sql-builders/ingestion.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';

const GITHUB = { scheme: 'github', secret };
const HMAC = { scheme: 'hmac-sha256', secret, header: 'X-Signature', prefix: 'sha256=' };
const JSON_BODY: [string, string] = ['Content-Type', 'application/json'];
const STORED = { accepted: 1, rejected: 0, duplicates: 0 };
const NOTHING = { accepted: 0, rejected: 0, duplicates: 0, results: [] };
const DUPLICATE = { accepted: 1, rejected: 0, duplicates: 1 };
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const PULL_REQUEST = { action: 'opened', number: 2, pull_request: { title: 'Mend the door' } };

interface Failure {
  readonly api_key_id: string | null;
  readonly reason_code: string;
  readonly status_code: number;
  readonly request_id: string | null;
  readonly count: number;
}

describe('a webhook', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
    await setPlan(acme.organizationId, 'scale');
  });

  const pathOf = ({ hook_url }: HookSource): string => new URL(hook_url).pathname.replace('/intake/', '');
  const send = (hook: HookSource, { headers, body }: SignedDelivery, more: Record<string, string> = {}) =>
    intake.send(pathOf(hook), body, { ...headers, ...more });
  const stored = () => intake.events(acme);
  const only = async (): Promise<IntakeEvent> => {
    const events = await stored();
    const [event] = events;
    if (event === undefined || events.length > 1) throw new Error(`${events.length} events are stored`);
    return event;
  };
  const failuresOf = async ({ id }: HookSource): Promise<Failure[]> =>
    ((await api.as(acme.owner).get(`/v1/ingest-sources/${id}/failures`).expect(200)).body as { items: Failure[] })
      .items;

  it.each<[string, object, SignedDelivery, string]>([
    ['GitHub', GITHUB, ofGitHub('pull_request', PULL_REQUEST), 'github.pull_request.opened'],
    [
      'Stripe',
      { scheme: 'stripe', secret },
      ofStripe({ id: 'evt_1', type: 'charge.succeeded', data: { object: { amount: 100 } } }),
      'stripe.charge.succeeded',
    ],
    ['Shopify', { scheme: 'shopify', secret }, ofShopify('orders/create', { id: 1 }), 'shopify.orders/create'],
    [
      'Slack',
      { scheme: 'slack', secret },
      ofSlack({ type: 'event_callback', event_id: 'Ev1', event: { type: 'app_mention' } }),
      'slack.app_mention',
    ],
    ['GitLab', { scheme: 'gitlab', secret }, ofGitLab({ object_kind: 'push', ref: 'main' }), 'gitlab.push'],
    [
      'Standard Webhooks',
      { scheme: 'standard-webhooks', secret: STANDARD_SECRET },
      ofStandard({ type: 'user.created', data: { id: 1 } }),
      'user.created',
    ],
    ['a sender of its own', HMAC, ofHmac({ type: 'ignored' }, { 'Idempotency-Key': 'k-1' }), 'shop-hooks'],
  ])('is verified for %s, and stored once when it is sent twice', async (_, verification, delivery, type) => {
    const hook = await createHook(acme, verification);
    const first = await send(hook, delivery);
    expect(first).toMatchObject({
      status: 200,
      headers: { 'x-ratelimit-policy': 'intake' },
      body: { ...STORED, results: [{ position: 0, accepted: true, duplicate: false, ingested_event_id: ID }] },
    });
    const event = await only();
    expect(first.body).toMatchObject({ results: [{ ingested_event_id: event.id }] });
    expect(event).toMatchObject({ event: type, source: 'shop-hooks', properties: JSON.parse(delivery.body) as object });
    expect(await send(hook, delivery)).toMatchObject({
      status: 200,
      body: { ...DUPLICATE, results: [{ duplicate: true, ingested_event_id: event.id }] },
    });
    const { items } = (await api.as(acme.owner).get(`/v1/ingest-sources/${hook.id}/events`).expect(200)).body as {
      items: object[];
    };
    expect(items).toEqual([expect.objectContaining({ id: event.id, source_id: hook.id, api_key_id: null })]);
    expect(await failuresOf(hook)).toEqual([]);
  });

  it('is stored once when twenty senders bring the same delivery at the same time', async () => {
    const hook = await createHook(acme, GITHUB);
    const delivery = ofGitHub('push', { ref: 'main' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(hook, delivery)));
    const { id } = await only();
    const firsts = answers.filter(({ body }) => body.duplicates === 0);
    expect([answers.map(({ status }) => status), firsts.length]).toEqual([answers.map(() => 200), 1]);
    for (const { body } of answers) expect(body).toMatchObject({ accepted: 1, results: [{ ingested_event_id: id }] });
  });

  it('is stored for each source that it is sent to, and for each delivery without an id', async () => {
    const [first, second] = [await createHook(acme, GITHUB), await createHook(acme, GITHUB, { name: 'Second' })];
    const delivery = ofGitHub('push', { ref: 'main' });
    for (const hook of [first, second]) expect((await send(hook, delivery)).body).toMatchObject(STORED);
    const { 'X-GitHub-Delivery': _, ...headers } = delivery.headers;
    for (const hook of [first, first]) expect((await send(hook, { ...delivery, headers })).body).toMatchObject(STORED);
    expect((await stored()).map(({ source }) => source)).toEqual(['shop-hooks', 'second', 'shop-hooks', 'shop-hooks']);
  });

  // Node does not pass on a header called `__proto__`, so it has no signature there.
  it.each([
    ['constructor', 200],
    ['toString', 200],
    ['hasOwnProperty', 200],
    ['__proto__', 401],
  ])('is verified by a header called %s, and a valid signature there is answered with %i', async (header, status) => {
    const hook = await createHook(acme, { ...HMAC, header });
    const { body, headers } = ofHmac({ opened: true });
    const signature = headers['X-Signature'] ?? '';
    const statusOf = async (...pairs: [string, string][]): Promise<number> =>
      (await fetch(`${service.url}/intake/${pathOf(hook)}`, { method: 'POST', body, headers: [...pairs, JSON_BODY] }))
        .status;
    expect(await statusOf()).toBe(401);
    expect(await statusOf([header, 'sha256=00'])).toBe(401);
    expect(await statusOf(['X-Signature', signature])).toBe(401);
    expect(await stored()).toEqual([]);
    expect(await statusOf([header, signature])).toBe(status);
    expect(await stored()).toHaveLength(status === 200 ? 1 : 0);
  });

  it('needs only its secret address while its source has no verification', async () => {
    const hook = await createHook(acme, undefined, { name: 'Zürich: Tür 1' });
    for (const body of ['{"opened":true}', '', '[1]', '7'])
      expect(await intake.send(pathOf(hook), body, {})).toMatchObject({ status: 200, body: STORED });
    const events = await stored();
    expect(events.map(({ properties }) => properties)).toMatchObject([
      { opened: true },
      {},
      { data: [1] },
      { data: 7 },
    ]);
    expect(events[0]).toMatchObject({ event: 'z-rich--t-r-1', source: 'z-rich--t-r-1' });
  });

  it.each<[string, object, SignedDelivery, object]>([
    ['ping of GitHub', GITHUB, ofGitHub('ping', { zen: 'Design for failure.', hook_id: 1 }), NOTHING],
    [
      'url_verification of Slack',
      { scheme: 'slack', secret },
      ofSlack({ type: 'url_verification', challenge: '3eZbrw1a' }),
      { challenge: '3eZbrw1a' },
    ],
  ])('is verified, answered and not stored when it is the %s', async (_, verification, delivery, answer) => {
    const hook = await createHook(acme, verification);
    expect(await send(hook, delivery)).toMatchObject({ status: 200, body: answer });
    expect((await send(hook, { ...delivery, body: `${delivery.body} ` })).status).toBe(401);
    expect(await stored()).toEqual([]);
  });

  it('is accepted as a form with its payload from GitHub only', async () => {
    const hook = await createHook(acme, GITHUB);
    const form = ofGitHub('pull_request', `payload=${encodeURIComponent(JSON.stringify(PULL_REQUEST))}`);
    expect(await send(hook, form)).toMatchObject({ status: 200, body: STORED });
    expect(await only()).toMatchObject({ event: 'github.pull_request.opened', properties: PULL_REQUEST });
    for (const body of ['', 'payload=1&payload=2', 'load={}', 'payload={', '%'])
      expect([body, (await send(hook, ofGitHub('push', body))).status]).toEqual([body, 422]);
    const slack = await createHook(acme, { scheme: 'slack', secret });
    expect(await send(slack, ofSlack('command=%2Fdeploy'))).toMatchObject({
      status: 415,
      headers: { 'accept-post': 'application/json' },
      body: { detail: 'Unsupported Media Type' },
    });
  });

  it.each<[string, Record<string, string>, string | Buffer, number]>([
    ['JSON of its own type', { 'Content-Type': 'application/vnd.shop+json; charset=utf-8' }, '{}', 200],
    ['compressed JSON', { 'Content-Encoding': 'gzip' }, gzipSync('{}'), 200],
    ['text', { 'Content-Type': 'text/plain' }, 'hello', 415],
    ['XML', { 'Content-Type': 'application/xml' }, '<a/>', 415],
    ['JSON that is cut off', {}, '{"a":', 422],
    ['bytes that are no UTF-8', {}, Buffer.from([0x22, 0xff, 0x22]), 422],
    ['more than 5 MiB', {}, `"${'x'.repeat(5 * 1024 * 1024)}"`, 413],
    ['more than 5 MiB when decompressed', { 'Content-Encoding': 'gzip' }, gzipSync(Buffer.alloc(6_000_000, 32)), 413],
    ['an event that is too large', {}, `"${'x'.repeat(3 * 1024 * 1024)}"`, 422],
  ])('is answered by its media type, syntax and size when it has %s', async (_, headers, body, status) => {
    const hook = await createHook(acme);
    expect((await intake.send(pathOf(hook), body, headers)).status).toBe(status);
    expect(await stored()).toHaveLength(status === 200 ? 1 : 0);
  });

  it('is refused when its signature or time is not valid, and the refusals are shown without an API key', async () => {
    const hook = await createHook(acme, { scheme: 'stripe', secret });
    const event = { id: 'evt_1', type: 'charge.succeeded' };
    const good = ofStripe(event);
    const invalid = { status: 401, body: { detail: 'Webhook signature is not valid' } };
    expect(await send(hook, { ...good, headers: {} })).toMatchObject(invalid);
    expect(await send(hook, { ...good, body: `${good.body} ` }, { 'X-Request-ID': 'hook-2' })).toMatchObject(invalid);
    const old = ofStripe(event, Math.floor(Date.now() / 1_000) - 400);
    expect(await send(hook, old, { 'X-Request-ID': 'hook-3' })).toMatchObject({
      status: 401,
      body: { detail: 'Webhook timestamp is more than 5 minutes away' },
    });
    const failures = (await failuresOf(hook)).sort((a, b) => (a.reason_code < b.reason_code ? -1 : 1));
    expect(failures).toEqual([
      expect.objectContaining({ api_key_id: null, reason_code: 'invalid_signature', status_code: 401, count: 2 }),
      expect.objectContaining({ api_key_id: null, reason_code: 'timestamp_out_of_range', status_code: 401, count: 1 }),
    ]);
    expect(failures.map(({ request_id }) => request_id)).toEqual(['hook-2', 'hook-3']);
    expect(await send(hook, good)).toMatchObject({ status: 200, body: STORED });
  });

  it('is verified by the secret that was set last', async () => {
    const hook = await createHook(acme, { ...GITHUB, secret: 'before' });
    const delivery = ofGitHub('push', {});
    expect((await send(hook, delivery)).status).toBe(401);
    await api.as(acme.owner).patch(`/v1/ingest-sources/${hook.id}`, { verification: GITHUB }).expect(200);
    expect((await send(hook, delivery)).status).toBe(200);
  });

  it('is not found at an unknown address, at an old one, and after its source is deleted', async () => {
    const hook = await createHook(acme);
    const missing = { status: 404, body: { detail: 'Webhook address not found' } };
    const address = pathOf(hook);
    const { body } = await api.as(acme.owner).patch(`/v1/ingest-sources/${hook.id}`, { rotate_hook: true }).expect(200);
    for (const path of [address, address.toUpperCase().replace('HOOKS', 'hooks'), `hooks/${'0'.repeat(32)}`, 'hooks/x'])
      expect(await intake.send(path, '{}', { 'X-API-Key': acme.key.apiKey })).toMatchObject(missing);
    const rotated = pathOf(body as HookSource);
    await api.as(acme.owner).delete(`/v1/ingest-sources/${hook.id}`).expect(204);
    expect(await intake.send(rotated, '{}', {})).toMatchObject(missing);
  });

  it('is refused and recorded while its source is disabled or its project is archived', async () => {
    const hook = await createHook(acme, GITHUB);
    const delivery = ofGitHub('push', {});
    const source = `/v1/ingest-sources/${hook.id}`;
    await api.as(acme.owner).post(`${source}/disable`).expect(200);
    expect(await send(hook, delivery)).toMatchObject({ status: 403, body: { detail: 'Event source is disabled' } });
    await api.as(acme.owner).post(`${source}/enable`).expect(200);
    await api.as(acme.owner).post(`/v1/projects/${acme.projectId}/archive`).expect(200);
    expect(await send(hook, delivery)).toMatchObject({ status: 403, body: { detail: 'Project is archived' } });
    const reasons = (await failuresOf(hook)).map(({ reason_code, api_key_id }) => [reason_code, api_key_id]);
    expect(reasons.sort()).toEqual([
      ['project_archived', null],
      ['source_disabled', null],
    ]);
    await api.as(acme.owner).delete(`/v1/projects/${acme.projectId}`).expect(204);
    expect((await send(hook, delivery)).status).toBe(404);
  });

  it('is refused by quotas and billing, and does not take its delivery id then', async () => {
    const hook = await createHook(acme, GITHUB);
    const delivery = ofGitHub('push', {});
    await ingestionDatabase.setMonthlyEvents(acme.organizationId, 0);
    expect(await send(hook, delivery)).toMatchObject({
      status: 403,
      headers: { 'x-service-block-reason': 'limit_exceeded' },
      body: { accepted: 0, rejected: 1, detail: expect.any(String) },
    });
    await ingestionDatabase.setMonthlyEvents(acme.organizationId, null);
    await ingestionDatabase.setBillingStatus(acme.organizationId, 'inactive');
    expect((await send(hook, delivery)).status).toBe(403);
    await ingestionDatabase.setBillingStatus(acme.organizationId, 'active');
    const failures = (await failuresOf(hook)).map(({ reason_code, api_key_id }) => [reason_code, api_key_id]);
    expect(failures.sort()).toEqual([
      ['billing_inactive', null],
      ['limit_exceeded', null],
    ]);
    expect(await send(hook, delivery)).toMatchObject({ status: 200, body: STORED });
  });

  it('has its sensitive properties redacted', async () => {
    const settings = `/v1/projects/${acme.projectId}/settings`;
    const { body } = await api.as(acme.owner).get(settings).expect(200);
    await api
      .as(acme.owner)
      .put(settings, { ...(body as object), redacted_properties: ['password'] })
      .expect(200);
    const hook = await createHook(acme, GITHUB);
    await send(hook, ofGitHub('pull_request', { ...PULL_REQUEST, password: 'hunter2' }));
    expect(JSON.stringify(await only())).not.toContain('hunter2');
  });

  it('is metered as a request and an event without an API key', async () => {
    const hook = await createHook(acme, GITHUB);
    await send(hook, ofGitHub('push', {}), { 'X-API-Key': acme.key.apiKey });
    expect((await send(hook, { ...ofGitHub('push', {}), body: 'changed' })).status).toBe(401);
    const days = await eventually(
      () => ingestionDatabase.countedDays(acme.projectId),
      (rows) => rows.some(({ requests }) => requests > 0),
    );
    expect(days).toEqual([{ requests: 1, events: 1 }]);
    const { body } = await api.as(acme.owner).get('/v1/usage', { project_id: acme.projectId }).expect(200);
    expect(JSON.stringify(body)).not.toContain(acme.key.id);
  });
});
