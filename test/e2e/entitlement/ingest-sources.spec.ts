import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { type Actor, addMember, type Owner, ownerWithProject, PASSWORD } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import {
  callerOf,
  createSource,
  ingest,
  type KeyRecord,
  setPlan,
  type SourceRecord,
  type Verb,
} from '../../support/sources.js';
import { withinAnHour } from '../../support/utc-day.js';

const NOBODY = '0199f3a1-0000-7000-8000-000000000000';
const ROOT = '/v1/ingest-sources';

describe('Event Sources', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    await setPlan(app, owner, 'scale');
  });

  const call = (verb: Verb, rest = '', body?: object, as: Actor = owner): Test =>
    callerOf(app, ROOT, as)(verb, rest, body);
  const create = (body: object = {}, as: Actor = owner): Test =>
    call('post', '', { project_id: owner.projectId, name: 'Checkout', ...body }, as);
  const list = async (): Promise<SourceRecord[]> =>
    (await call('get', `?project_id=${owner.projectId}`).expect(200)).body as SourceRecord[];
  const acts = async (): Promise<object[]> =>
    app.rows(
      `SELECT action, detail FROM audit_events WHERE project_id = $1 AND target_type = 'event_source' ORDER BY created_at, id`,
      [owner.projectId],
    );

  it('come with their first key, which ingests for them', async () => {
    const { key, ...source } = (await create({ type: 'server', description: 'Orders' }).expect(201))
      .body as SourceRecord;
    expect(source).toEqual({
      id: expect.any(String),
      project_id: owner.projectId,
      name: 'Checkout',
      type: 'server',
      is_enabled: true,
      description: 'Orders',
      created_at: expect.stringMatching(/Z$/),
      last_event_at: null,
    });
    expect(key).toEqual({
      id: expect.any(String),
      project_id: owner.projectId,
      source_id: source.id,
      name: 'Checkout',
      key: expect.stringMatching(/^oes_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/),
      prefix: key.key.slice(4, 12),
      scopes: ['events:write'],
      status: 'active',
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
    });
    await ingest(app, key.key).expect(200);
    expect(await app.rows('SELECT source_id, api_key_id FROM events WHERE project_id = $1', [owner.projectId])).toEqual(
      [{ source_id: source.id, api_key_id: key.id }],
    );
    const [stored] = await list();
    expect(stored).toEqual({ ...source, last_event_at: expect.stringMatching(/Z$/) });
    expect((await call('get', `/${source.id}`).expect(200)).body).toEqual(stored);
    expect(await acts()).toEqual([{ action: 'event_source.created', detail: { name: 'Checkout', type: 'server' } }]);
    expect(JSON.stringify(await app.rows('SELECT * FROM audit_events'))).not.toContain(key.key);
  });

  it('tell when their last event was accepted', async () => {
    const { id } = await createSource(app, owner);
    for (const [day, time] of [
      ['2026-01-02', '2026-01-02T03:04:05.678Z'],
      ['2026-01-01', '2026-01-01T23:59:59.999Z'],
    ])
      await app.rows('INSERT INTO source_days VALUES ($1, $2, $3, 1, $4)', [owner.projectId, id, day, time]);
    expect((await call('get', `/${id}`).expect(200)).body).toMatchObject({ last_event_at: '2026-01-02T03:04:05.678Z' });
    expect((await list())[0]).toMatchObject({ last_event_at: '2026-01-02T03:04:05.678Z' });
  });

  it.each([
    ['an empty name', { name: '' }, ['body', 'name']],
    ['too long a name', { name: 'x'.repeat(201) }, ['body', 'name']],
    ['no name', { name: undefined }, ['body', 'name']],
    ['an unknown type', { type: 'ftp' }, ['body', 'type']],
    ['a description that is no text', { description: 7 }, ['body', 'description']],
    ['too long a description', { description: 'x'.repeat(2001) }, ['body', 'description']],
    ['a malformed project', { project_id: 'nope' }, ['body', 'project_id']],
  ])('are refused with %s', async (_, body, loc) => {
    const refused = await create(body).expect(422);
    expect((refused.body as { detail: { loc: unknown }[] }).detail.map((row) => row.loc)).toEqual([loc]);
    expect(await list()).toEqual([]);
  });

  it('are changed in what is named alone', async () => {
    const { key: _, ...source } = await createSource(app, owner, { description: 'Orders' });
    const steps: [object, object][] = [
      [{ name: 'Shop' }, { name: 'Shop' }],
      [{ type: 'cron' }, { type: 'cron' }],
      [{ description: null }, { description: null }],
      [{}, {}],
      [{ name: 'Shop', type: 'cron' }, {}],
    ];
    let expected: object = source;
    for (const [change, effect] of steps) {
      expected = { ...expected, ...effect };
      expect((await call('patch', `/${source.id}`, change).expect(200)).body).toEqual(expected);
      expect((await call('get', `/${source.id}`).expect(200)).body).toEqual(expected);
    }
    for (const change of [
      { name: null },
      { name: '' },
      { type: 'ftp' },
      { type: null },
      { is_enabled: null },
      { name: 'Not this either', is_enabled: 'perhaps' },
    ])
      await call('patch', `/${source.id}`, change).expect(422);
    expect((await acts()).map((act) => (act as { action: string }).action)).toEqual([
      'event_source.created',
      ...Array<string>(3).fill('event_source.updated'),
    ]);
  });

  it('are switched off and on by a change too, and made switched off', async () => {
    const { key, ...source } = await createSource(app, owner);
    const change = async (body: object): Promise<unknown> =>
      (await call('patch', `/${source.id}`, body).expect(200)).body as unknown;
    expect(await change({ is_enabled: false })).toEqual({ ...source, is_enabled: false });
    await ingest(app, key.key).expect(403, { detail: 'Event source is disabled' });
    expect(await change({ is_enabled: false, name: 'Off' })).toEqual({ ...source, is_enabled: false, name: 'Off' });
    expect(await change({ is_enabled: true })).toEqual({ ...source, name: 'Off' });
    await ingest(app, key.key).expect(200);
    expect((await acts()).map((act) => (act as { action: string }).action)).toEqual([
      'event_source.created',
      'event_source.disabled',
      'event_source.updated',
      'event_source.enabled',
    ]);
    const off = (await create({ is_enabled: false }).expect(201)).body as { is_enabled: boolean; key: { key: string } };
    expect(off.is_enabled).toBe(false);
    await ingest(app, off.key.key).expect(403, { detail: 'Event source is disabled' });
  });

  it.each([
    ['free', 1],
    ['pro', 3],
  ])('are limited by the plan %s to %d, also when twenty creations race', async (plan, limit) => {
    await setPlan(app, owner, plan);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => create({ name: `Source ${index}` })));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).toBe(limit);
    for (const { status, body } of refused)
      expect([status, body]).toEqual([403, { detail: 'Plan limit reached: sources' }]);
    const sources = await list();
    expect(sources).toHaveLength(limit);
    expect(
      await app.rows('SELECT count(*)::int FROM api_keys WHERE project_id = $1 AND source_id IS NOT NULL', [
        owner.projectId,
      ]),
    ).toEqual([{ count: limit }]);
    // A disabled one counts, a deleted one does not.
    await call('post', `/${sources[0]?.id}/disable`).expect(200);
    await create().expect(403, { detail: 'Plan limit reached: sources' });
    await call('delete', `/${sources[0]?.id}`).expect(204);
    await create().expect(201);
  });

  it('stay after a downgrade, which refuses new ones', async () => {
    await Promise.all([createSource(app, owner), createSource(app, owner)]);
    await setPlan(app, owner, 'free');
    await create().expect(403, { detail: 'Plan limit reached: sources' });
    expect(await list()).toHaveLength(2);
  });

  it('are deleted with their keys while they have never ingested, and not afterwards', async () => {
    const { id, key } = await createSource(app, owner);
    await app.request().get('/v1/api-keys/me').set('X-API-Key', key.key).expect(200);
    await call('delete', `/${id}`).expect(204, {});
    await call('delete', `/${id}`).expect(404, { detail: 'Event source not found' });
    await ingest(app, key.key).expect(401, { detail: 'Invalid API key' });
    expect(await app.rows('SELECT 1 FROM api_keys WHERE source_id = $1', [id])).toEqual([]);

    const used = await createSource(app, owner);
    await ingest(app, used.key.key).expect(200);
    await call('delete', `/${used.id}`).expect(409, {
      detail: 'Event source has ingested events and cannot be deleted. Disable the source instead.',
    });
    await ingest(app, used.key.key).expect(200);
    expect((await list()).map((source) => source.id)).toEqual([used.id]);
  });

  it('refuse their keys while disabled, here and on another instance, and record it', async () => {
    await withinAnHour();
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      const { key: first, ...source } = await createSource(app, owner);
      const other = (
        await call('post', `/${source.id}/keys`, { name: 'Other', scopes: ['events:read', 'events:write'] })
      ).body as KeyRecord;
      const answered = (status: number): Promise<number> =>
        eventually(
          async () => (await ingest(second, first.key)).status,
          (last) => last === status,
        );
      await ingest(second, first.key).expect(200);
      await ingest(app, first.key).expect(200);
      const disabled = { ...source, is_enabled: false, last_event_at: expect.stringMatching(/Z$/) as unknown };
      expect((await call('post', `/${source.id}/disable`).expect(200)).body).toEqual(disabled);
      expect((await call('post', `/${source.id}/disable`).expect(200)).body).toEqual(disabled);
      await ingest(app, first.key).set('X-Request-ID', 'refused-1').expect(403, { detail: 'Event source is disabled' });
      await ingest(app, other.key).expect(403, { detail: 'Event source is disabled' });
      await app.request().post('/v1/events/ingest').set('X-API-Key', first.key).send({}).expect(403);
      // What is not ingestion goes on.
      await app.request().get('/v1/usage/current').set('X-API-Key', other.key).expect(200);
      await app.request().get('/v1/api-keys/me').set('X-API-Key', first.key).expect(200);
      await ingest(app, owner.apiKey).expect(200);
      await answered(403);
      await app.backgroundDone();
      await second.backgroundDone();

      const { items, total, limit, offset } = (await call('get', `/${source.id}/failures`).expect(200)).body as {
        items: { api_key_id: string; count: number; request_id: string }[];
        total: number;
        limit: number;
        offset: number;
      };
      expect({ total, limit, offset }).toEqual({ total: 2, limit: 50, offset: 0 });
      const record = (id: string, count: number): object => ({
        api_key_id: id,
        reason_code: 'source_disabled',
        status_code: 403,
        occurred_at: expect.stringMatching(/Z$/),
        request_id: expect.any(String),
        count,
      });
      const counts = new Map(items.map((item) => [item.api_key_id, item]));
      expect(counts.get(other.id)).toEqual(record(other.id, 1));
      expect(counts.get(first.id)).toEqual(record(first.id, counts.get(first.id)?.count ?? 0));
      expect(counts.get(first.id)?.count).toBeGreaterThanOrEqual(3);

      const enabled = { ...disabled, is_enabled: true };
      expect((await call('post', `/${source.id}/enable`).expect(200)).body).toEqual(enabled);
      expect((await call('post', `/${source.id}/enable`).expect(200)).body).toEqual(enabled);
      await ingest(app, first.key).expect(200);
      await answered(200);
      expect((await acts()).slice(1)).toEqual([
        { action: 'event_source.disabled', detail: { name: 'Checkout' } },
        { action: 'event_source.enabled', detail: { name: 'Checkout' } },
      ]);
    } finally {
      await second.close();
    }
  });

  it('list their failures newest first, a page at a time, and nobody else’s', async () => {
    const { id, key } = await createSource(app, owner);
    const other = await createSource(app, owner);
    const record = (keyId: string, sourceId: string, hour: number, reason: string) =>
      app.rows(
        `INSERT INTO ingestion_failures
         VALUES ($1, $4::timestamptz, $5, 403, $2, $3, $4::timestamptz + interval '5 minutes', 'r-' || $5, 7)`,
        [keyId, owner.projectId, sourceId, `2026-03-01T0${hour}:00:00Z`, reason],
      );
    const reasons = ['', 'blocked', 'billing_inactive', 'project_archived'];
    for (const hour of [1, 3, 2]) await record(key.id, id, hour, reasons[hour] ?? '');
    await record(other.key.id, other.id, 4, 'blocked');
    const page = async (query: string): Promise<unknown> =>
      (await call('get', `/${id}/failures${query}`).expect(200)).body;
    const failure = (hour: number): object => ({
      api_key_id: key.id,
      reason_code: reasons[hour],
      status_code: 403,
      occurred_at: `2026-03-01T0${hour}:05:00.000Z`,
      request_id: `r-${reasons[hour]}`,
      count: 7,
    });
    expect(await page('')).toEqual({ items: [3, 2, 1].map(failure), total: 3, limit: 50, offset: 0 });
    expect(await page('?limit=1&offset=1')).toEqual({ items: [failure(2)], total: 3, limit: 1, offset: 1 });
    expect(await page('?offset=9')).toEqual({ items: [], total: 3, limit: 50, offset: 9 });
    for (const query of ['?limit=0', '?limit=501', '?offset=-1', '?limit=x'])
      await call('get', `/${id}/failures${query}`).expect(422);
  });

  it('issue, list, rotate and revoke keys of their own', async () => {
    const { id, key: first } = await createSource(app, owner);
    const keys = (verb: Verb, rest = '', body?: object): Test => call(verb, `/${id}/keys${rest}`, body);
    const second = (await keys('post', '', { name: 'Blue' }).expect(201)).body as KeyRecord;
    expect(second).toMatchObject({ source_id: id, name: 'Blue', scopes: ['events:write'], key: expect.any(String) });
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const third = (await keys('post', '', { name: 'Green', scopes: ['events:read'], expires_at }).expect(201))
      .body as KeyRecord;
    expect(third).toMatchObject({ scopes: ['events:read'], expires_at });
    for (const body of [{}, { name: 'x', scopes: [] }, { name: 'x', expires_at: '2020-01-01T00:00:00Z' }])
      await keys('post', '', body).expect(422);
    const names = async (): Promise<string[]> =>
      ((await keys('get').expect(200)).body as KeyRecord[]).map(({ name, status }) => `${name} ${status}`);
    expect(await names()).toEqual(['Green active', 'Blue active', 'Checkout active']);

    const fresh = (await keys('post', `/${second.id}/rotate`, { grace_seconds: 60 }).expect(200)).body as KeyRecord;
    expect(fresh).toMatchObject({ source_id: id, name: 'Blue', status: 'active', key: expect.any(String) });
    await ingest(app, second.key).expect(200);
    await keys('post', `/${second.id}/rotate`).expect(409, { detail: 'API key has already been rotated' });
    expect((await keys('post', `/${first.id}/revoke`).expect(200)).body).toMatchObject({ status: 'revoked' });
    await keys('post', `/${first.id}/revoke`).expect(200);
    await keys('post', `/${first.id}/rotate`).expect(409, { detail: 'API key has been revoked' });
    await ingest(app, first.key).expect(403, { detail: 'API key is not active' });
    expect(await names()).toEqual(['Blue active', 'Green active', 'Blue rotating', 'Checkout revoked']);
    // The same keys by their own ids.
    await callerOf(app, '/v1/api-keys', owner)('post', `/${fresh.id}/revoke`).expect(200);
    expect((await names())[0]).toBe('Blue revoked');
  });

  it('do not reach keys of other sources or of the project', async () => {
    const { id } = await createSource(app, owner);
    const other = await createSource(app, owner);
    for (const keyId of [other.key.id, owner.apiKeyId, NOBODY]) {
      for (const act of ['rotate', 'revoke'])
        await call('post', `/${id}/keys/${keyId}/${act}`).expect(404, { detail: 'API key not found' });
      await call('delete', `/${id}/browser-keys/${keyId}`).expect(404, { detail: 'API key not found' });
      await call('patch', `/${id}/browser-keys/${keyId}`, {}).expect(404, { detail: 'API key not found' });
    }
    await ingest(app, other.key.key).expect(200);
    await ingest(app, owner.apiKey).expect(200);
  });

  it('are read by viewers, written by admins, and hidden from everybody else', async () => {
    const { id, key } = await createSource(app, owner);
    const [viewer, operator, admin] = await Promise.all(
      ['viewer', 'operator', 'admin'].map((role) => addMember(app, owner, role)),
    );
    const stranger = await ownerWithProject(app);
    const reads = ['', '/keys', '/browser-keys', '/failures', '/stats', '/health', '/events', '/schema'];
    const writes: [Verb, string, object?][] = [
      ['patch', '', {}],
      ['post', '/enable'],
      ['post', '/disable'],
      ['post', '/keys', { name: 'x' }],
      ['post', `/keys/${key.id}/rotate`],
      ['post', `/keys/${key.id}/revoke`],
      ['post', '/browser-keys', { name: 'x', allowed_origins: ['https://a.example'] }],
      ['patch', `/browser-keys/${key.id}`, {}],
      ['delete', `/browser-keys/${key.id}`],
      ['post', '/test'],
      ['delete', ''],
    ];
    // When a key was last used is written a moment later, also for those of other tests.
    const keys = async (): Promise<unknown> =>
      app.rows(`SELECT to_jsonb(k) - 'last_used_at' AS key FROM api_keys k ORDER BY id`);
    const before = await keys();
    for (const rest of reads) {
      await call('get', `/${id}${rest}`, undefined, viewer).expect(200);
      await call('get', `/${id}${rest}`, undefined, stranger).expect(404, { detail: 'Event source not found' });
      await call('get', `/${NOBODY}${rest}`).expect(404, { detail: 'Event source not found' });
      await call('get', `/nope${rest}`).expect(422);
    }
    for (const [verb, rest, body] of writes) {
      await call(verb, `/${id}${rest}`, body, operator).expect(403, { detail: 'Insufficient project role' });
      await call(verb, `/${id}${rest}`, body, stranger).expect(404, { detail: 'Event source not found' });
      await call(verb, `/${NOBODY}${rest}`, body).expect(404, { detail: 'Event source not found' });
    }
    expect(await keys()).toEqual(before);
    await call('get', `?project_id=${owner.projectId}`, undefined, viewer).expect(200);
    await call('get', `?project_id=${owner.projectId}`, undefined, stranger).expect(403, {
      detail: 'Not a project member',
    });
    await call('get', `?project_id=${NOBODY}`).expect(404, { detail: 'Project not found' });
    await call('get').expect(422);
    await create({}, operator).expect(403, { detail: 'Insufficient project role' });
    await create({}, stranger).expect(403, { detail: 'Not a project member' });
    await create({ name: 'By an admin' }, admin).expect(201);
    await call('delete', `/${id}`, undefined, admin).expect(204);
  });

  it('go with their project', async () => {
    const { id, key } = await createSource(app, owner);
    const project = callerOf(app, `/v1/projects/${owner.projectId}`, owner);
    await project('post', '/archive').expect(200);
    await ingest(app, key.key).expect(403, { detail: 'Project is archived' });
    await create().expect(201);
    await project('delete').expect(204);
    await call('get', `/${id}`).expect(404, { detail: 'Event source not found' });
    await ingest(app, key.key).expect(401, { detail: 'Invalid API key' });
    await app.rows('DELETE FROM projects WHERE id = $1', [owner.projectId]);
    expect(await app.rows('SELECT 1 FROM event_sources WHERE project_id = $1', [owner.projectId])).toEqual([]);
    expect(await app.rows('SELECT 1 FROM api_keys WHERE project_id = $1', [owner.projectId])).toEqual([]);
  });

  it('outlive the account that made them', async () => {
    const admin = await addMember(app, owner, 'admin');
    const { id } = (await create({}, admin).expect(201)).body as SourceRecord;
    await app
      .request()
      .post('/v1/account/delete')
      .set('Authorization', admin.bearer)
      .send({ current_password: PASSWORD })
      .expect(({ status }) => expect(status).toBeLessThan(300));
    expect(await app.rows('SELECT created_by FROM event_sources WHERE id = $1', [id])).toEqual([{ created_by: null }]);
  });

  describe('have a catalog', () => {
    interface Entry {
      type: string;
      snippets: { language: string; title: string; code: string }[];
    }
    const catalog = async (): Promise<Entry[]> =>
      (await app.request().get(`${ROOT}/catalog`).expect(200)).body as Entry[];
    const run = promisify(execFile);
    /** The snippets are tried with what the machine has; Node and a shell it always has. */
    const isThere = (program: string): boolean =>
      program.startsWith('/') ||
      (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
    const snippets = [
      { language: 'node', needs: process.execPath, runs: process.execPath, event: 'order.paid' },
      { language: 'curl', needs: 'curl', runs: 'sh', event: 'order.paid' },
      { language: 'cron', needs: 'curl', runs: 'sh', event: 'cron.finished' },
      { language: 'python', needs: 'python3', runs: 'python3', event: 'order.paid' },
    ].filter(({ needs }) => isThere(needs));

    it('of every type, for everybody', async () => {
      const entries = await catalog();
      expect(entries.map(({ type }) => type)).toEqual(['http', 'server', 'browser', 'webhook', 'cron', 'custom']);
      for (const { snippets } of entries) expect(snippets.length).toBeGreaterThan(0);
      expect(JSON.stringify(entries)).not.toMatch(/oesb?_[0-9A-Za-z]{8}/);
    });

    it.each(snippets)('whose snippet for $language sends an event', async ({ language, runs, event }) => {
      const { key } = await createSource(app, owner);
      const code = (await catalog()).flatMap(({ snippets }) => snippets).find((one) => one.language === language)?.code;
      const folder = await mkdtemp(join(tmpdir(), 'oes-snippet-'));
      try {
        const file = join(folder, 'snippet');
        await writeFile(file, code ?? '');
        const env = { PATH: process.env.PATH, SERVICE_URL: app.url, API_KEY: key.key };
        const args = language === 'node' ? ['--input-type=module', '-e', code ?? ''] : [file, 'true'];
        await run(runs, args, { env, cwd: folder });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
      expect(await app.rows('SELECT event FROM events WHERE api_key_id = $1', [key.id])).toEqual([{ event }]);
    });
  });
});

it('records ingestion that the rate limit refused for the owner of the key, and nothing else it refused', async () => {
  const app = await createTestApp({ env: { RATE_LIMIT_OVERRIDES: 'events=1/2' } });
  try {
    const owner = await ownerWithProject(app);
    await setPlan(app, owner, 'scale');
    const { id, key } = await createSource(app, owner);
    const answers = await Promise.all(Array.from({ length: 7 }, () => ingest(app, key.key)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    await app.request().get('/v1/events').set('X-API-Key', key.key).expect(429);
    for (let one = 0; one < 3; one += 1) await ingest(app, 'oes_abcdefgh_nobody');
    await app.backgroundDone();
    const call = callerOf(app, ROOT, owner);
    const { items } = (await call('get', `/${id}/failures`).expect(200)).body as { items: { count: number }[] };
    expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(5);
    expect(items[0]).toMatchObject({
      api_key_id: key.id,
      reason_code: 'rate_limited',
      status_code: 429,
      request_id: expect.any(String),
    });
    expect(await app.rows('SELECT 1 FROM ingestion_failures WHERE api_key_id <> $1', [key.id])).toEqual([]);
    // What a key that has ended is refused is nobody's news.
    await callerOf(app, '/v1/api-keys', owner)('post', `/${key.id}/revoke`).expect(200);
    await ingest(app, key.key).expect(429);
    await app.backgroundDone();
    expect(await app.rows('SELECT sum(count)::int AS count FROM ingestion_failures')).toEqual([{ count: 5 }]);
  } finally {
    await app.close();
  }
});
