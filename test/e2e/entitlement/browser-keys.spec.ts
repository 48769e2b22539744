import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { options, preflight } from '../../support/browser-requests.js';
import { api, service, type Tenant, tenant } from '../../support/service.js';
import { storedApiKeys } from '../../support/sql-builders/entitlement.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';
import { openWebPages, type WebPage } from '../../support/web-pages.js';

const SHOP = 'https://shop.example.com';
const OTHER = 'https://other.example.com';
/** The shared service lets pages of this origin call every route. */
const CONSOLE = 'https://console.example.com';
const INGEST = '/v1/events/ingest';
const ORIGIN_REFUSED = { detail: 'Origin is not allowed for this API key' };
const KEY_NOT_FOUND = { detail: 'API key not found' };

interface KeyRecord {
  id: string;
  key: string;
  source_id: string;
  name: string;
  prefix: string;
  scopes: string[];
  status: string;
  rate_limit_per_minute: number;
}

describe('a browser key', () => {
  let acme: Tenant;
  let sourceId: string;

  beforeEach(async () => {
    acme = await tenant();
    await setPlan(acme.organizationId, 'scale');
    sourceId = (await createdSource({ type: 'browser' })).id;
  });

  const createdSource = async (more: object = {}) => {
    const source = { project_id: acme.projectId, name: 'Checkout', ...more };
    const { body } = await api.as(acme.owner).post('/v1/ingest-sources', source).expect(201);
    return body as { id: string; key: KeyRecord };
  };
  const path = (id = '', source = sourceId) => `/v1/ingest-sources/${source}/browser-keys${id && `/${id}`}`;
  const create = (body: object) => api.as(acme.owner).post(path(), { name: 'Shop', allowed_origins: [SHOP], ...body });
  const created = async (body: object = {}) => (await create(body).expect(201)).body as KeyRecord;
  const list = async (source = sourceId) =>
    (await api.as(acme.owner).get(path('', source)).expect(200)).body as KeyRecord[];
  const change = (id: string, body: object, source = sourceId) => api.as(acme.owner).patch(path(id, source), body);
  const changed = async (id: string, body: object) => (await change(id, body).expect(200)).body as KeyRecord;
  const revoke = (id: string, source = sourceId) => api.as(acme.owner).delete(path(id, source));
  const ingest = (apiKey: string, body: object = {}) =>
    api.as({ apiKey }).post(INGEST, { event_type: 'order.paid', source: 'shop', ...body });
  const from = (origin: string, apiKey: string, body?: object): Test => ingest(apiKey, body).set('Origin', origin);

  it('has origins and a rate, only writes events, and is shown once', async () => {
    const { key, ...record } = await created({
      allowed_origins: ['HTTPS://Shop.Example.com:443', SHOP, 'http://localhost:5173/'],
    });
    expect(key).toMatch(/^oesb_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(record).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
      source_id: sourceId,
      name: 'Shop',
      prefix: key.slice(5, 13),
      scopes: ['events:write'],
      status: 'active',
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
      allowed_origins: [SHOP, 'http://localhost:5173'],
      rate_limit_per_minute: 60,
    });
    expect((await list()).map(({ id }) => id)).toEqual([record.id]);
    // The list of all keys of the project has browser keys, too.
    const { body } = await api.as(acme.owner).get('/v1/api-keys', { project_id: acme.projectId }).expect(200);
    expect((body as KeyRecord[]).find(({ id }) => id === record.id)).toEqual(record);
    const stored = await storedApiKeys(acme.projectId);
    expect(stored).toContain(record.id);
    expect(stored).not.toContain(key);
    await from(SHOP, key).expect(200);
    await from('http://localhost:5173', key).expect(200);
  });

  it.each([
    ['no allowed origin', { allowed_origins: [] }, ['body', 'allowed_origins']],
    ['an origin with a path', { allowed_origins: [`${SHOP}/cart`] }, ['body', 'allowed_origins', 0]],
    ['an origin with a query', { allowed_origins: [SHOP, `${SHOP}?a=1`] }, ['body', 'allowed_origins', 1]],
    ['an origin with a wildcard', { allowed_origins: ['https://*.example.com'] }, ['body', 'allowed_origins', 0]],
    ['an origin with a user', { allowed_origins: ['https://me@shop.example.com'] }, ['body', 'allowed_origins', 0]],
    ['an origin with another scheme', { allowed_origins: ['ftp://shop.example.com'] }, ['body', 'allowed_origins', 0]],
    ['the origin null', { allowed_origins: ['null'] }, ['body', 'allowed_origins', 0]],
    ['a rate of 0', { rate_limit_per_minute: 0 }, ['body', 'rate_limit_per_minute']],
    ['a rate above 10000', { rate_limit_per_minute: 10_001 }, ['body', 'rate_limit_per_minute']],
    ['a rate that is not an integer', { rate_limit_per_minute: 1.5 }, ['body', 'rate_limit_per_minute']],
  ])('returns 422 when it is created or changed with %s', async (_, body, loc) => {
    const refused = await create(body).expect(422);
    expect((refused.body as { detail: { loc: unknown }[] }).detail.map((row) => row.loc)).toEqual([loc]);
    const { id } = await created();
    await change(id, body).expect(422);
  });

  it('returns 422 when it is created with an end in the past', async () => {
    const refused = await create({ expires_at: '2020-01-01T00:00:00Z' }).expect(422);
    expect((refused.body as { detail: { loc: unknown }[] }).detail.map((row) => row.loc)).toEqual([
      ['body', 'expires_at'],
    ]);
  });

  it('accepts rates from 1 to 10000, and changed origins take effect at once', async () => {
    const { id, key, ...record } = await created({ rate_limit_per_minute: 10_000 });
    expect(record.rate_limit_per_minute).toBe(10_000);
    expect(await changed(id, { rate_limit_per_minute: 1 })).toEqual({ ...record, id, rate_limit_per_minute: 1 });
    await from(SHOP, key).expect(200);
    expect(await changed(id, { allowed_origins: [OTHER] })).toMatchObject({
      allowed_origins: [OTHER],
      rate_limit_per_minute: 1,
    });
    await from(SHOP, key).expect(403, ORIGIN_REFUSED);
    await from(OTHER, key).expect(200);
    await changed(id, {});
  });

  it('can be renamed like every API key, and keeps its single scope', async () => {
    const { id } = await created();
    const asKey = (body: object) => api.as(acme.owner).patch(`/v1/api-keys/${id}`, body);
    await asKey({ name: 'Renamed', scopes: ['events:write', 'events:write'] }).expect(200);
    await asKey({ scopes: ['events:read', 'events:write'] }).expect(422);
    expect(await list()).toEqual([expect.objectContaining({ id, name: 'Renamed', scopes: ['events:write'] })]);
  });

  it('writes events from its origins only, and does nothing else', async () => {
    const { key } = await created();
    await ingest(key).expect(403, ORIGIN_REFUSED);
    for (const origin of [
      OTHER,
      'http://shop.example.com',
      `${SHOP}:8443`,
      'null',
      'https://shop.example.com.evil.example',
    ]) {
      await from(origin, key).expect(403, ORIGIN_REFUSED);
    }
    await from(SHOP, key).expect(200);
    const asKey = api.as({ apiKey: key });
    for (const route of ['/v1/usage/current', '/v1/billing/status']) {
      await asKey.get(route).set('Origin', SHOP).expect(403, { detail: 'Missing required scope: events:read' });
    }
    await asKey.get('/v1/api-keys/me').expect(200);
    // The origin makes no difference to an ordinary key.
    await from(OTHER, acme.key.apiKey).expect(200);
  });

  it('keeps its origins and rate when it is rotated, and stays listed when it is revoked', async () => {
    const { id, key } = await created({ name: 'Turned' });
    const rotated = await api
      .as(acme.owner)
      .post(`/v1/ingest-sources/${sourceId}/keys/${id}/rotate`, { grace_seconds: 60 })
      .expect(200);
    const fresh = rotated.body as KeyRecord;
    expect(fresh).toMatchObject({ name: 'Turned', allowed_origins: [SHOP], rate_limit_per_minute: 60 });
    expect(fresh.key).toMatch(/^oesb_/);
    for (const one of [key, fresh.key]) {
      await from(SHOP, one).expect(200);
      await from(OTHER, one).expect(403, ORIGIN_REFUSED);
    }
    await revoke(fresh.id).expect(204, {});
    await revoke(fresh.id).expect(204);
    await from(SHOP, fresh.key).expect(403, { detail: 'API key is not active' });
    await change(fresh.id, { allowed_origins: [OTHER] }).expect(409, { detail: 'API key has been revoked' });
    expect((await list()).map(({ name, status }) => [name, status])).toEqual([
      ['Turned', 'revoked'],
      ['Turned', 'rotating'],
    ]);
  });

  it('is not found under the id of an ordinary key of the source', async () => {
    const { key } = await createdSource();
    await change(key.id, { allowed_origins: [SHOP] }, key.source_id).expect(404, KEY_NOT_FOUND);
    await revoke(key.id, key.source_id).expect(404, KEY_NOT_FOUND);
    expect(await list(key.source_id)).toEqual([]);
    await ingest(key.key).expect(200);
  });

  it('can be sent by any page to the ingest route only, and without credentials', async () => {
    for (const origin of [SHOP, OTHER, CONSOLE, 'null']) {
      const { headers } = await preflight(INGEST, origin).expect(204, {});
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-methods']).toBe('POST');
      expect(headers['access-control-allow-headers']).toMatch(/X-API-Key/);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    for (const route of [`${INGEST}/`, '/v1/events/Ingest', '/v1/api-keys/me', '/v1/usage/current']) {
      const { headers } = await preflight(route, OTHER);
      expect([route, headers['access-control-allow-origin']]).toEqual([route, undefined]);
    }
    expect((await preflight('/v1/api-keys/me', CONSOLE)).headers['access-control-allow-origin']).toBe(CONSOLE);
    expect((await options(INGEST, OTHER)).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('lets only pages of its origins read answers, including refusals', async () => {
    const { key } = await created();
    const allowed = async (request: Test): Promise<unknown[]> => {
      const { status, headers } = await request;
      return [status, headers['access-control-allow-origin'], headers['vary']];
    };
    expect(await allowed(from(SHOP, key))).toEqual([200, SHOP, expect.stringContaining('Origin')]);
    expect(await allowed(from(SHOP, key, { event_type: '' }))).toEqual([422, SHOP, expect.anything()]);
    expect((await allowed(from(OTHER, key))).slice(0, 2)).toEqual([403, undefined]);
    expect((await allowed(from(SHOP, acme.key.apiKey))).slice(0, 2)).toEqual([200, undefined]);
    expect((await allowed(from(CONSOLE, acme.key.apiKey))).slice(0, 2)).toEqual([200, CONSOLE]);
    const unknown = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    expect((await allowed(from(SHOP, unknown))).slice(0, 2)).toEqual([401, undefined]);
    const { headers } = await from(SHOP, key);
    expect(headers['access-control-expose-headers']).toMatch(/X-Request-ID.*X-Service-Block-Reason/);
  });

  describe('a key in a real browser', () => {
    let pages: readonly WebPage[];

    beforeAll(async () => {
      pages = await openWebPages(2);
    });

    it('sends events from a page of its origin, and from no other page', async () => {
      const [shop, other] = pages as [WebPage, WebPage];
      const { id, key } = await created({ name: 'Page', allowed_origins: [shop.origin] });
      const event = (event_type: string): object => ({
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': key, 'Idempotency-Key': event_type },
        body: JSON.stringify({ event_type, source: 'web' }),
      });
      expect(await shop.fetch(service.url + INGEST, event('from.shop'))).toMatchObject({
        status: 200,
        body: { accepted: true, api_key_id: id, event_type: 'from.shop' },
        headers: { 'x-request-id': expect.any(String) },
      });
      // The page of the origin can read a refusal of its input. Another page learns nothing.
      expect(await shop.fetch(service.url + INGEST, event(''))).toMatchObject({ status: 422 });
      expect(await other.fetch(service.url + INGEST, event('from.other'))).toEqual({
        failed: expect.stringMatching(/Failed to fetch/),
      });
      const me = `${service.url}/v1/api-keys/me`;
      expect(await shop.fetch(me, { headers: { 'X-API-Key': key } })).toHaveProperty('failed');
      const { body } = await api.as(acme.owner).get(`/v1/projects/${acme.projectId}/events`).expect(200);
      expect((body as { items: object[] }).items).toMatchObject([{ api_key_id: id, event: 'from.shop' }]);
    });
  });
});
