import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { activityOf } from '../../support/activity.js';
import { type Account, api, PASSWORD, service, type Tenant, tenant } from '../../support/service.js';
import { createSource, ingest, type KeyRecord, type SourceRecord, type Verb } from '../../support/sources-api.js';
import {
  creatorOfSource,
  deleteProjectRow,
  ingestionFailure,
  keyRows,
  rowsOfProject,
  sourceDay,
} from '../../support/sql-builders/entitlement.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const ROOT = '/v1/ingest-sources';

interface StoredEvent {
  readonly event: string;
  readonly source_id: string | null;
  readonly api_key_id: string | null;
}

describe('an Event Source', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
    await setPlan(acme.organizationId, 'scale');
  });

  const call = (verb: Verb, rest = '', body?: object, account: Account = acme.owner): Test =>
    api.as(account)[verb](`${ROOT}${rest}`, body);
  const create = (body: object = {}, account?: Account): Test =>
    call('post', '', { project_id: acme.projectId, name: 'Checkout', ...body }, account);
  const list = async (): Promise<SourceRecord[]> =>
    (await call('get', `?project_id=${acme.projectId}`).expect(200)).body as SourceRecord[];
  const keysOfProject = async (): Promise<KeyRecord[]> =>
    (await api.as(acme.owner).get('/v1/api-keys', { project_id: acme.projectId }).expect(200)).body as KeyRecord[];
  const events = async (): Promise<StoredEvent[]> => {
    const { body } = await api.as(acme.owner).get('/v1/events', { project_id: acme.projectId }).expect(200);
    return (body as { items: StoredEvent[] }).items;
  };
  const acts = async (): Promise<{ action: string; detail: object }[]> =>
    (await activityOf(acme))
      .filter(({ target_type }) => target_type === 'event_source')
      .map(({ action, detail }) => ({ action, detail }));

  it('comes with its first key, which sends events of the source', async () => {
    const { key, ...source } = (await create({ type: 'server', description: 'Orders' }).expect(201))
      .body as SourceRecord;
    expect(source).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
      name: 'Checkout',
      type: 'server',
      is_enabled: true,
      description: 'Orders',
      created_at: expect.stringMatching(/Z$/),
      last_event_at: null,
    });
    expect(key).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
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
    await ingest(key.key).expect(200);
    expect((await events()).map(({ source_id, api_key_id }) => ({ source_id, api_key_id }))).toEqual([
      { source_id: source.id, api_key_id: key.id },
    ]);
    const [stored] = await list();
    expect(stored).toEqual({ ...source, last_event_at: expect.stringMatching(/Z$/) });
    expect((await call('get', `/${source.id}`).expect(200)).body).toEqual(stored);
    expect(await acts()).toEqual([{ action: 'event_source.created', detail: { name: 'Checkout', type: 'server' } }]);
    expect(JSON.stringify(await activityOf(acme))).not.toContain(key.key);
  });

  it('shows when its last event was accepted', async () => {
    const { id } = await createSource(acme);
    const ofSource = { projectId: acme.projectId, sourceId: id };
    await sourceDay({ ...ofSource, day: '2026-01-02', lastEventAt: '2026-01-02T03:04:05.678Z' });
    await sourceDay({ ...ofSource, day: '2026-01-01', lastEventAt: '2026-01-01T23:59:59.999Z' });
    expect((await call('get', `/${id}`).expect(200)).body).toMatchObject({ last_event_at: '2026-01-02T03:04:05.678Z' });
    expect((await list())[0]).toMatchObject({ last_event_at: '2026-01-02T03:04:05.678Z' });
  });

  it.each([
    ['an empty name', { name: '' }, ['body', 'name']],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, ['body', 'name']],
    ['no name', { name: undefined }, ['body', 'name']],
    ['the unknown type ftp', { type: 'ftp' }, ['body', 'type']],
    ['a number as its description', { description: 7 }, ['body', 'description']],
    ['a description of 2,001 characters', { description: 'x'.repeat(2001) }, ['body', 'description']],
    ['the malformed project nope', { project_id: 'nope' }, ['body', 'project_id']],
  ])('is refused with %s', async (_, body, loc) => {
    const refused = await create(body).expect(422);
    expect((refused.body as { detail: { loc: unknown }[] }).detail.map((row) => row.loc)).toEqual([loc]);
    expect(await list()).toEqual([]);
  });

  it('keeps the members that a change leaves out', async () => {
    const { key: _, ...source } = await createSource(acme, { description: 'Orders' });
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
    expect((await acts()).map(({ action }) => action)).toEqual([
      'event_source.created',
      ...Array<string>(3).fill('event_source.updated'),
    ]);
  });

  it('is disabled and enabled by a change, too, and can be disabled from the start', async () => {
    const { key, ...source } = await createSource(acme);
    const change = async (body: object): Promise<unknown> =>
      (await call('patch', `/${source.id}`, body).expect(200)).body as unknown;
    expect(await change({ is_enabled: false })).toEqual({ ...source, is_enabled: false });
    await ingest(key.key).expect(403, { detail: 'Event source is disabled' });
    expect(await change({ is_enabled: false, name: 'Off' })).toEqual({ ...source, is_enabled: false, name: 'Off' });
    expect(await change({ is_enabled: true })).toEqual({ ...source, name: 'Off' });
    await ingest(key.key).expect(200);
    expect((await acts()).map(({ action }) => action)).toEqual([
      'event_source.created',
      'event_source.disabled',
      'event_source.updated',
      'event_source.enabled',
    ]);
    const off = (await create({ is_enabled: false }).expect(201)).body as { is_enabled: boolean; key: { key: string } };
    expect(off.is_enabled).toBe(false);
    await ingest(off.key.key).expect(403, { detail: 'Event source is disabled' });
  });

  it.each([
    ['free', 1],
    ['pro', 3],
  ] as const)('is limited by the plan %s to %d in a project, also when twenty creations race', async (plan, limit) => {
    await setPlan(acme.organizationId, plan);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => create({ name: `Source ${index}` })));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).toBe(limit);
    for (const { status, body } of refused)
      expect([status, body]).toEqual([403, { detail: 'Plan limit reached: sources' }]);
    const sources = await list();
    expect(sources).toHaveLength(limit);
    expect((await keysOfProject()).filter(({ source_id }) => source_id !== null)).toHaveLength(limit);
    // A disabled source counts, a deleted one does not.
    await call('post', `/${sources[0]?.id}/disable`).expect(200);
    await create().expect(403, { detail: 'Plan limit reached: sources' });
    await call('delete', `/${sources[0]?.id}`).expect(204);
    await create().expect(201);
  });

  it('stays after a downgrade, and the smaller plan refuses another one', async () => {
    await Promise.all([createSource(acme), createSource(acme)]);
    await setPlan(acme.organizationId, 'free');
    await create().expect(403, { detail: 'Plan limit reached: sources' });
    expect(await list()).toHaveLength(2);
  });

  it('is deleted with its keys while it has never ingested, and not afterwards', async () => {
    const { id, key } = await createSource(acme);
    await api.as({ apiKey: key.key }).get('/v1/api-keys/me').expect(200);
    await call('delete', `/${id}`).expect(204, {});
    await call('delete', `/${id}`).expect(404, { detail: 'Event source not found' });
    await ingest(key.key).expect(401, { detail: 'Invalid API key' });
    expect((await keysOfProject()).map((one) => one.id)).toEqual([acme.key.id]);

    const used = await createSource(acme);
    await ingest(used.key.key).expect(200);
    await call('delete', `/${used.id}`).expect(409, {
      detail: 'Event source has ingested events and cannot be deleted. Disable the source instead.',
    });
    await ingest(used.key.key).expect(200);
    expect((await list()).map((source) => source.id)).toEqual([used.id]);
  });

  it('lists its failures newest first, a page at a time, and no failure of another source', async () => {
    const [own, other] = [await createSource(acme), await createSource(acme)];
    const { id, key } = own;
    const reasons = ['', 'blocked', 'billing_inactive', 'project_archived'];
    const record = ({ id: sourceId, key: { id: keyId } }: SourceRecord, hour: number, reason: string) =>
      ingestionFailure({ projectId: acme.projectId, sourceId, keyId, hour: `2026-03-01T0${hour}:00:00Z`, reason });
    for (const hour of [1, 3, 2]) await record(own, hour, reasons[hour] ?? '');
    await record(other, 4, 'blocked');
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

  it('issues, lists, rotates and revokes keys of its own', async () => {
    const { id, key: first } = await createSource(acme);
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
    await ingest(second.key).expect(200);
    await keys('post', `/${second.id}/rotate`).expect(409, { detail: 'API key has already been rotated' });
    expect((await keys('post', `/${first.id}/revoke`).expect(200)).body).toMatchObject({ status: 'revoked' });
    await keys('post', `/${first.id}/revoke`).expect(200);
    await keys('post', `/${first.id}/rotate`).expect(409, { detail: 'API key has been revoked' });
    await ingest(first.key).expect(403, { detail: 'API key is not active' });
    expect(await names()).toEqual(['Blue active', 'Green active', 'Blue rotating', 'Checkout revoked']);
    // The same keys by their own ids.
    await api.as(acme.owner).post(`/v1/api-keys/${fresh.id}/revoke`).expect(200);
    expect((await names())[0]).toBe('Blue revoked');
  });

  it('does not reach keys of another source or of the project', async () => {
    const { id } = await createSource(acme);
    const other = await createSource(acme);
    for (const keyId of [other.key.id, acme.key.id, NOWHERE]) {
      for (const act of ['rotate', 'revoke'])
        await call('post', `/${id}/keys/${keyId}/${act}`).expect(404, { detail: 'API key not found' });
      await call('delete', `/${id}/browser-keys/${keyId}`).expect(404, { detail: 'API key not found' });
      await call('patch', `/${id}/browser-keys/${keyId}`, {}).expect(404, { detail: 'API key not found' });
    }
    await ingest(other.key.key).expect(200);
    await ingest(acme.key.apiKey).expect(200);
  });

  it('is read by viewers, changed by admins, and hidden from everybody else', async () => {
    const { id, key } = await createSource(acme);
    const [viewer, operator, admin, globex] = await Promise.all([
      acme.viewer(),
      acme.operator(),
      acme.admin(),
      tenant(),
    ]);
    const stranger = globex.owner;
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
    const keys = () => keyRows(acme.projectId, globex.projectId);
    const before = await keys();
    for (const rest of reads) {
      await call('get', `/${id}${rest}`, undefined, viewer).expect(200);
      await call('get', `/${id}${rest}`, undefined, stranger).expect(404, { detail: 'Event source not found' });
      await call('get', `/${NOWHERE}${rest}`).expect(404, { detail: 'Event source not found' });
      await call('get', `/nope${rest}`).expect(422);
    }
    for (const [verb, rest, body] of writes) {
      await call(verb, `/${id}${rest}`, body, operator).expect(403, { detail: 'Insufficient project role' });
      await call(verb, `/${id}${rest}`, body, stranger).expect(404, { detail: 'Event source not found' });
      await call(verb, `/${NOWHERE}${rest}`, body).expect(404, { detail: 'Event source not found' });
    }
    expect(await keys()).toEqual(before);
    await call('get', `?project_id=${acme.projectId}`, undefined, viewer).expect(200);
    await call('get', `?project_id=${acme.projectId}`, undefined, stranger).expect(403, {
      detail: 'Not a project member',
    });
    await call('get', `?project_id=${NOWHERE}`).expect(404, { detail: 'Project not found' });
    await call('get').expect(422);
    await create({}, operator).expect(403, { detail: 'Insufficient project role' });
    await create({}, stranger).expect(403, { detail: 'Not a project member' });
    await create({ name: 'By an admin' }, admin).expect(201);
    await call('delete', `/${id}`, undefined, admin).expect(204);
  });

  it('refuses events while its project is archived, and is deleted with the project', async () => {
    const { id, key } = await createSource(acme);
    const project = `/v1/projects/${acme.projectId}`;
    await api.as(acme.owner).post(`${project}/archive`).expect(200);
    await ingest(key.key).expect(403, { detail: 'Project is archived' });
    await create().expect(201);
    await api.as(acme.owner).delete(project).expect(204);
    await call('get', `/${id}`).expect(404, { detail: 'Event source not found' });
    await ingest(key.key).expect(401, { detail: 'Invalid API key' });
    await deleteProjectRow(acme.projectId);
    expect(await rowsOfProject('event_sources', acme.projectId)).toBe(0);
    expect(await rowsOfProject('api_keys', acme.projectId)).toBe(0);
  });

  it('outlives the account that created it', async () => {
    const admin = await acme.admin();
    const { id } = (await create({}, admin).expect(201)).body as SourceRecord;
    await api
      .as(admin)
      .post('/v1/account/delete', { current_password: PASSWORD })
      .expect(({ status }) => expect(status).toBeLessThan(300));
    expect(await creatorOfSource(id)).toBeNull();
  });

  describe('the catalog of sources', () => {
    interface Entry {
      type: string;
      snippets: { language: string; title: string; code: string }[];
    }
    const catalog = async (): Promise<Entry[]> => (await api.get(`${ROOT}/catalog`).expect(200)).body as Entry[];
    const run = promisify(execFile);
    /** Whether the machine can run a snippet. Node and a shell are always there. */
    const isThere = (program: string): boolean =>
      program.startsWith('/') ||
      (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
    const snippets = [
      { language: 'node', needs: process.execPath, runs: process.execPath, event: 'order.paid' },
      { language: 'curl', needs: 'curl', runs: 'sh', event: 'order.paid' },
      { language: 'cron', needs: 'curl', runs: 'sh', event: 'cron.finished' },
      { language: 'python', needs: 'python3', runs: 'python3', event: 'order.paid' },
    ].filter(({ needs }) => isThere(needs));

    it('has an entry for every type, which needs no credentials to read', async () => {
      const entries = await catalog();
      expect(entries.map(({ type }) => type)).toEqual(['http', 'server', 'browser', 'webhook', 'cron', 'custom']);
      for (const entry of entries) expect(entry.snippets.length).toBeGreaterThan(0);
      expect(JSON.stringify(entries)).not.toMatch(/oesb?_[0-9A-Za-z]{8}/);
    });

    it.each(snippets)('has a snippet for $language that sends the event $event', async ({ language, runs, event }) => {
      const { key } = await createSource(acme);
      const all = (await catalog()).flatMap((entry) => entry.snippets);
      const code = all.find((one) => one.language === language)?.code ?? '';
      const folder = await mkdtemp(join(tmpdir(), 'oes-snippet-'));
      try {
        const file = join(folder, 'snippet');
        await writeFile(file, code);
        const env = { PATH: process.env.PATH, SERVICE_URL: service.url, API_KEY: key.key };
        const args = language === 'node' ? ['--input-type=module', '-e', code] : [file, 'true'];
        await run(runs, args, { env, cwd: folder });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
      expect((await events()).map((one) => [one.api_key_id, one.event])).toEqual([[key.id, event]]);
    });
  });
});
