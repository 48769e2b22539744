import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { callerOf, createSource, ingest, type KeyRecord, setPlan, type Verb } from '../../support/sources.js';
import { openWebPages, type WebPage, type WebPages } from '../../support/web-pages.js';

const SHOP = 'https://shop.example.com';
const OTHER = 'https://other.example.com';
const CONSOLE = 'https://console.example.com';
const INGEST = '/v1/events/ingest';

describe('browser-safe keys', () => {
  let app: TestApp;
  let owner: Owner;
  let sourceId: string;

  beforeAll(async () => {
    app = await createTestApp({ env: { CORS_ORIGINS: CONSOLE } });
    owner = await ownerWithProject(app);
    await setPlan(app, owner, 'scale');
    sourceId = (await createSource(app, owner, { type: 'browser' })).id;
  });
  afterAll(() => app.close());

  const browserKeys = (verb: Verb, rest = '', body?: object): Test =>
    callerOf(app, `/v1/ingest-sources/${sourceId}/browser-keys`, owner)(verb, rest, body);
  const keys = (verb: Verb, rest = '', body?: object): Test => callerOf(app, '/v1/api-keys', owner)(verb, rest, body);
  const issue = async (body: object = {}): Promise<KeyRecord> =>
    (await browserKeys('post', '', { name: 'Shop', allowed_origins: [SHOP], ...body }).expect(201)).body as KeyRecord;
  const from = (origin: string | undefined, key: string): Test =>
    origin === undefined ? ingest(app, key) : ingest(app, key).set('Origin', origin);
  const refusal = { detail: 'Origin is not allowed for this API key' };

  it('carry origins and a rate, only write events, and are shown once', async () => {
    const { key, ...record } = await issue({
      allowed_origins: ['HTTPS://Shop.Example.com:443', SHOP, 'http://localhost:5173/'],
    });
    expect(key).toMatch(/^oesb_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(record).toEqual({
      id: expect.any(String),
      project_id: owner.projectId,
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
    const listed = ((await browserKeys('get').expect(200)).body as KeyRecord[]).map(({ id }) => id);
    expect(listed).toEqual([record.id]);
    // The lists of all keys have them too.
    const all = (await keys('get', `?project_id=${owner.projectId}`).expect(200)).body as KeyRecord[];
    expect(all.find(({ id }) => id === record.id)).toEqual(record);
    expect(JSON.stringify(await app.rows('SELECT * FROM api_keys'))).not.toContain(key);
    await from(SHOP, key).expect(200);
    await from('http://localhost:5173', key).expect(200);
  });

  it.each([
    ['no origins', { allowed_origins: [] }, ['body', 'allowed_origins']],
    ['a path', { allowed_origins: [`${SHOP}/cart`] }, ['body', 'allowed_origins', 0]],
    ['a query', { allowed_origins: [SHOP, `${SHOP}?a=1`] }, ['body', 'allowed_origins', 1]],
    ['a wildcard', { allowed_origins: ['https://*.example.com'] }, ['body', 'allowed_origins', 0]],
    ['a user', { allowed_origins: ['https://me@shop.example.com'] }, ['body', 'allowed_origins', 0]],
    ['another scheme', { allowed_origins: ['ftp://shop.example.com'] }, ['body', 'allowed_origins', 0]],
    ['the null origin', { allowed_origins: ['null'] }, ['body', 'allowed_origins', 0]],
    ['a rate of 0', { rate_limit_per_minute: 0 }, ['body', 'rate_limit_per_minute']],
    ['a rate above 10000', { rate_limit_per_minute: 10_001 }, ['body', 'rate_limit_per_minute']],
    ['a broken rate', { rate_limit_per_minute: 1.5 }, ['body', 'rate_limit_per_minute']],
    ['an end that has passed', { expires_at: '2020-01-01T00:00:00Z' }, ['body', 'expires_at']],
  ])('are refused with %s', async (_, body, loc) => {
    const good = { name: 'Shop', allowed_origins: [SHOP] };
    const refused = await browserKeys('post', '', { ...good, ...body }).expect(422);
    expect((refused.body as { detail: { loc: unknown }[] }).detail.map((row) => row.loc)).toEqual([loc]);
    if ('expires_at' in body) return;
    const { id } = await issue();
    await browserKeys('patch', `/${id}`, body).expect(422);
  });

  it('take rates from 1 to 10000, and new origins, which hold at once', async () => {
    const { id, key, ...record } = await issue({ rate_limit_per_minute: 10_000 });
    expect(record.rate_limit_per_minute).toBe(10_000);
    const change = (body: object): Promise<unknown> =>
      browserKeys('patch', `/${id}`, body)
        .expect(200)
        .then((answer) => answer.body as unknown);
    expect(await change({ rate_limit_per_minute: 1 })).toEqual({ ...record, id, rate_limit_per_minute: 1 });
    await from(SHOP, key).expect(200);
    expect(await change({ allowed_origins: [OTHER] })).toMatchObject({
      allowed_origins: [OTHER],
      rate_limit_per_minute: 1,
    });
    await from(SHOP, key).expect(403, refusal);
    await from(OTHER, key).expect(200);
    await change({});
    await keys('patch', `/${id}`, { name: 'Renamed', scopes: ['events:write', 'events:write'] }).expect(200);
    await keys('patch', `/${id}`, { scopes: ['events:read', 'events:write'] }).expect(422);
    expect((await browserKeys('get').expect(200)).body).toEqual(
      expect.arrayContaining([expect.objectContaining({ id, name: 'Renamed', scopes: ['events:write'] })]),
    );
  });

  it('write events from their origins alone, and do nothing else', async () => {
    const { key } = await issue();
    for (const origin of [
      undefined,
      OTHER,
      'http://shop.example.com',
      `${SHOP}:8443`,
      'null',
      'https://shop.example.com.evil.example',
    ])
      await from(origin, key).expect(403, refusal);
    await from(SHOP, key).expect(200);
    for (const path of ['/v1/usage/current', '/v1/billing/status'])
      await app
        .request()
        .get(path)
        .set('X-API-Key', key)
        .set('Origin', SHOP)
        .expect(403, { detail: 'Missing required scope: events:read' });
    await app.request().get('/v1/api-keys/me').set('X-API-Key', key).expect(200);
    // An ordinary key does not look at the origin.
    await from(OTHER, owner.apiKey).expect(200);
  });

  it('are revoked, which stays visible, and rotated with their origins', async () => {
    const { id, key } = await issue({ name: 'Turned' });
    const rotate = (): Test =>
      callerOf(app, `/v1/ingest-sources/${sourceId}/keys/${id}`, owner)('post', '/rotate', { grace_seconds: 60 });
    const fresh = (await rotate().expect(200)).body as KeyRecord;
    expect(fresh).toMatchObject({ name: 'Turned', allowed_origins: [SHOP], rate_limit_per_minute: 60 });
    expect(fresh.key).toMatch(/^oesb_/);
    for (const one of [key, fresh.key]) {
      await from(SHOP, one).expect(200);
      await from(OTHER, one).expect(403, refusal);
    }
    await browserKeys('delete', `/${fresh.id}`).expect(204, {});
    await browserKeys('delete', `/${fresh.id}`).expect(204);
    await from(SHOP, fresh.key).expect(403, { detail: 'API key is not active' });
    await browserKeys('patch', `/${fresh.id}`, { allowed_origins: [OTHER] }).expect(409, {
      detail: 'API key has been revoked',
    });
    const listed = ((await browserKeys('get').expect(200)).body as KeyRecord[]).filter(({ name }) => name === 'Turned');
    expect(listed.map(({ status }) => status)).toEqual(['revoked', 'rotating']);
  });

  it('are not what the other keys of the source are', async () => {
    const { key } = await createSource(app, owner);
    const other = callerOf(app, `/v1/ingest-sources/${key.source_id}`, owner);
    await other('patch', `/browser-keys/${key.id}`, { allowed_origins: [SHOP] }).expect(404, {
      detail: 'API key not found',
    });
    await other('delete', `/browser-keys/${key.id}`).expect(404, { detail: 'API key not found' });
    expect((await other('get', '/browser-keys').expect(200)).body).toEqual([]);
    await ingest(app, key.key).expect(200);
  });

  describe('across origins', () => {
    const preflight = (origin: string, path = INGEST): Test =>
      app
        .request()
        .options(path)
        .set('Origin', origin)
        .set('Access-Control-Request-Method', 'POST')
        .set('Access-Control-Request-Headers', 'content-type,x-api-key');

    it('may be asked for by any page, on the one route and without credentials', async () => {
      for (const origin of [SHOP, OTHER, CONSOLE, 'null']) {
        const { headers } = await preflight(origin).expect(204, {});
        expect(headers['access-control-allow-origin']).toBe('*');
        expect(headers['access-control-allow-methods']).toBe('POST');
        expect(headers['access-control-allow-headers']).toMatch(/X-API-Key/);
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
      for (const path of [`${INGEST}/`, '/v1/events/Ingest', '/v1/api-keys/me', '/v1/usage/current']) {
        const { headers } = await preflight(OTHER, path);
        expect([path, headers['access-control-allow-origin']]).toEqual([path, undefined]);
      }
      expect((await preflight(CONSOLE, '/v1/api-keys/me')).headers['access-control-allow-origin']).toBe(CONSOLE);
      const plain = await app.request().options(INGEST).set('Origin', OTHER);
      expect(plain.headers).not.toHaveProperty('access-control-allow-origin');
    });

    it('are answered readably to the origins of the key alone, refusals included', async () => {
      const { key } = await issue();
      const allowed = async (request: Test): Promise<unknown[]> => {
        const { status, headers } = await request;
        return [status, headers['access-control-allow-origin'], headers['vary']];
      };
      expect(await allowed(from(SHOP, key))).toEqual([200, SHOP, expect.stringContaining('Origin')]);
      expect(await allowed(from(SHOP, key).send({ event_type: '' }))).toEqual([422, SHOP, expect.anything()]);
      expect((await allowed(from(OTHER, key))).slice(0, 2)).toEqual([403, undefined]);
      expect((await allowed(from(SHOP, owner.apiKey))).slice(0, 2)).toEqual([200, undefined]);
      expect((await allowed(from(CONSOLE, owner.apiKey))).slice(0, 2)).toEqual([200, CONSOLE]);
      const unknown = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
      expect((await allowed(from(SHOP, unknown))).slice(0, 2)).toEqual([401, undefined]);
      const { headers } = await from(SHOP, key);
      expect(headers['access-control-expose-headers']).toMatch(/X-Request-ID.*X-Service-Block-Reason/);
    });
  });

  describe('in a real browser', () => {
    let browser: WebPages;

    beforeAll(async () => {
      browser = await openWebPages(2);
    });
    afterAll(() => browser.close());

    it('send events from a page of their origin, and from no other', async () => {
      const [shop, other] = browser.pages as [WebPage, WebPage];
      const { id, key } = await issue({ name: 'Page', allowed_origins: [shop.origin] });
      const options = (event_type: string, apiKey = key): object => ({
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey, 'Idempotency-Key': event_type },
        body: JSON.stringify({ event_type, source: 'web' }),
      });
      const sent = await shop.fetch(app.url + INGEST, options('from.shop'));
      expect(sent).toMatchObject({
        status: 200,
        body: { accepted: true, api_key_id: id, event_type: 'from.shop' },
        headers: { 'x-request-id': expect.any(String) },
      });
      // A refusal by input can be read; a foreign page learns nothing at all.
      expect(await shop.fetch(app.url + INGEST, options(''))).toMatchObject({ status: 422 });
      expect(await other.fetch(app.url + INGEST, options('from.other'))).toEqual({
        failed: expect.stringMatching(/Failed to fetch/),
      });
      expect(await shop.fetch(`${app.url}/v1/api-keys/me`, { headers: { 'X-API-Key': key } })).toHaveProperty('failed');
      expect(await app.rows('SELECT event FROM events WHERE api_key_id = $1', [id])).toEqual([{ event: 'from.shop' }]);
    });
  });
});
