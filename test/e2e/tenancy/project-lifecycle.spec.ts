import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { RequestMeter } from '../../../src/modules/events/usage/request-meter.js';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { type Actor, addMember, type Owner, ownerWithProject, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

interface Act {
  id: string;
  action: string;
  actor_user_id: string;
  detail: object;
  request_id: string;
}

interface Activity {
  items: Act[];
  total: number;
  limit: number;
  offset: number;
}

const slugOf = (): string => randomBytes(6).toString('hex');
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

describe('the life of a project', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    owner = await ownerWithProject(app);
  });

  type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
  const call = (verb: Verb, rest = '', actor: Actor = owner): Test =>
    app.request()[verb](`/v1/projects/${owner.projectId}${rest}`).set('Authorization', actor.bearer);
  const ingest = (key = owner.apiKey, on: TestApp = app): Test =>
    on.request().post('/v1/events/ingest').set('X-API-Key', key).send({ event_type: 'a', source: 'b' });
  const activity = async (query = '', actor: Actor = owner): Promise<Activity> =>
    (await call('get', `/activity${query}`, actor).expect(200)).body as Activity;
  const actions = async (): Promise<string[]> => (await activity()).items.map(({ action }) => action);
  const create = (): Test =>
    app
      .request()
      .post('/v1/projects')
      .set('Authorization', owner.bearer)
      .send({ organization_id: owner.organizationId, name: 'Next', slug: slugOf() });
  const round = (): Promise<number> => app.nest.get(MaintenanceRunner, { strict: false }).run();

  it('can be renamed in name and slug, apart and together', async () => {
    const before = (await call('get').expect(200)).body as { slug: string };
    expect((await call('patch').send({ name: 'Shop' }).expect(200)).body).toEqual({ ...before, name: 'Shop' });
    const slug = slugOf();
    expect((await call('patch').send({ slug }).expect(200)).body).toEqual({ ...before, name: 'Shop', slug });
    expect((await call('get').expect(200)).body).toEqual({ ...before, name: 'Shop', slug });
    await call('patch').expect(200);
    await call('patch').send({ name: 'Shop', slug }).expect(200);
    for (const body of [{ name: '' }, { name: null }, { slug: '-' }, { slug: 'a b' }, { slug: 'a'.repeat(201) }]) {
      await call('patch').send(body).expect(422);
    }
    await app.rows(`UPDATE organizations SET plan = 'pro' WHERE id = $1`, [owner.organizationId]);
    const other = (await create().expect(201)).body as { slug: string };
    await call('patch').send({ slug: other.slug }).expect(409, { detail: 'Slug already in use' });
    await call('patch').send({ slug: other.slug.toUpperCase() }).expect(409, { detail: 'Slug already in use' });
    const { items } = await activity();
    expect(items.map(({ action, detail }) => ({ action, detail })).slice(0, 2)).toEqual([
      { action: 'project.renamed', detail: { from: { name: 'Shop', slug: before.slug }, to: { name: 'Shop', slug } } },
      {
        action: 'project.renamed',
        detail: { from: { name: 'Web shop', slug: before.slug }, to: { name: 'Shop', slug: before.slug } },
      },
    ]);
  });

  it('takes no events while it is archived, and is read as before', async () => {
    await ingest().expect(200);
    const record = (await call('get').expect(200)).body as object;
    expect((await call('post', '/archive').expect(200)).body).toEqual({ ...record, archived_at: TIME });
    await ingest().expect(403, { detail: 'Project is archived' });
    const invalid = app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).send({});
    await invalid.expect(422);
    await app.request().get('/v1/api-keys/me').set('X-API-Key', owner.apiKey).expect(200);
    await app.request().get('/v1/usage/current').set('X-API-Key', owner.apiKey).expect(200);
    expect((await call('get').expect(200)).body).toEqual(record);
    const logs = app.request().get(`/v1/logs?project_id=${owner.projectId}`).set('Authorization', owner.bearer);
    expect((await logs.expect(200)).body).toHaveLength(1);
    expect((await app.request().get('/v1/projects').set('Authorization', owner.bearer).expect(200)).body).toEqual([
      record,
    ]);
    expect(
      await app.rows('SELECT events_ingested::int FROM usage_daily WHERE project_id = $1', [owner.projectId]),
    ).toEqual([{ events_ingested: 1 }]);

    expect((await call('post', '/restore').expect(200)).body).toEqual({ ...record, archived_at: null });
    await ingest().expect(200);
  });

  it('is archived and restored once, however often that is asked for', async () => {
    const first = (await call('post', '/archive').expect(200)).body as object;
    expect((await call('post', '/archive').expect(200)).body).toEqual(first);
    const second = (await call('post', '/restore').expect(200)).body as object;
    expect((await call('post', '/restore').expect(200)).body).toEqual(second);
    expect(await actions()).toEqual(['project.restored', 'project.archived', 'api_key.created', 'project.created']);
  });

  it('stops taking events on other instances too', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      await ingest(owner.apiKey, second).expect(200);
      await call('post', '/archive').expect(200);
      const statuses: number[] = [];
      while (statuses.at(-1) !== 403 && statuses.length < 500)
        statuses.push((await ingest(owner.apiKey, second)).status);
      await ingest(owner.apiKey, second).expect(403, { detail: 'Project is archived' });
      await call('delete').expect(204);
      statuses.push(200);
      while (statuses.at(-1) !== 401 && statuses.length < 1000)
        statuses.push((await ingest(owner.apiKey, second)).status);
      await ingest(owner.apiKey, second).expect(401, { detail: 'Invalid API key' });
    } finally {
      await second.close();
    }
  });

  it('is deleted only when archived, and then gone at once for everybody', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    await app
      .request()
      .post('/v1/projects/select')
      .set('Authorization', viewer.bearer)
      .send({ project_id: owner.projectId })
      .expect(200);
    await call('put', '/settings').send({ timezone: 'Europe/Berlin' }).expect(200);
    await call('post', '/saved-views').send({ name: 'x' }).expect(201);
    const { slug } = (await call('get').expect(200)).body as { slug: string };
    await call('delete').expect(409, { detail: 'Project must be archived first' });
    await call('post', '/archive').expect(200);
    await create().expect(403, { detail: 'Plan limit reached: projects' });
    await call('delete').expect(204, {});

    for (const [verb, rest] of [
      ['get', ''],
      ['delete', ''],
      ['post', '/restore'],
      ['get', '/activity'],
      ['get', '/saved-views'],
    ] as const) {
      await call(verb, rest).expect(404, { detail: 'Project not found' });
    }
    await ingest().expect(401, { detail: 'Invalid API key' });
    await app.request().get('/v1/api-keys/me').set('X-API-Key', owner.apiKey).expect(401);
    await app
      .request()
      .post(`/v1/api-keys/${owner.apiKeyId}/revoke`)
      .set('Authorization', owner.bearer)
      .expect(404, { detail: 'API key not found' });
    expect((await app.request().get('/v1/projects').set('Authorization', owner.bearer).expect(200)).body).toEqual([]);
    const me = await app.request().get('/v1/auth/me').set('Authorization', viewer.bearer).expect(200);
    expect(me.body).toMatchObject({ selected_project_id: null });
    // Its place in the plan and its slug are free again.
    await create().send({ slug }).expect(201);
    expect(
      await app.rows('SELECT action FROM audit_events WHERE project_id = $1 ORDER BY created_at DESC LIMIT 1', [
        owner.projectId,
      ]),
    ).toEqual([{ action: 'project.deleted' }]);
  });

  it('has what belonged to it removed afterwards, in batches and from every partition', async () => {
    await ingest().expect(200);
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, created_at)
       SELECT $1, now() - n * interval '1 hour', gen_random_uuid(), 'old', 'b', '{}', 'EVENT', '/', 200, 0, now()
       FROM generate_series(1, 2500) n`,
      [owner.projectId],
    );
    await app.rows(`INSERT INTO usage_daily (day, project_id, events_ingested) VALUES ('2020-01-01', $1, 2500)`, [
      owner.projectId,
    ]);
    const bystander = await ownerWithProject(app);
    await ingest(bystander.apiKey).expect(200);
    // Requests are counted a little later, which must not fall between what is looked at below.
    await app.nest.get(RequestMeter, { strict: false }).flush();
    await call('post', '/archive').expect(200);
    await call('delete').expect(204);
    const left = async () =>
      Promise.all(
        ['events', 'api_keys', 'usage_daily', 'project_members', 'project_settings', 'saved_views'].map(
          async (table) => {
            const rows = await app.rows(`SELECT 1 FROM ${table} WHERE project_id = $1`, [owner.projectId]);
            return rows.length;
          },
        ),
      );
    const row = () => app.rows('SELECT 1 FROM projects WHERE id = $1', [owner.projectId]);

    await round();
    expect(await left()).toEqual([2501, 1, 2, 0, 0, 0]);
    await app.rows(`UPDATE projects SET deleted_at = now() - interval '2 minutes' WHERE id = $1`, [owner.projectId]);
    // Two at a time, as when two workers meet; each leaves what the other has removed.
    await Promise.all([round(), round()]);
    await round();
    // This month's usage stays, so that deleting does not give the allowance back.
    expect(await left()).toEqual([0, 0, 1, 0, 0, 0]);
    expect(await row()).toHaveLength(1);
    await app.rows(`UPDATE usage_daily SET day = day - 31 WHERE project_id = $1`, [owner.projectId]);
    await round();
    expect(await left()).toEqual([0, 0, 0, 0, 0, 0]);
    expect(await row()).toHaveLength(0);
    expect(await app.rows('SELECT 1 FROM events WHERE project_id = $1', [bystander.projectId])).toHaveLength(1);
    expect(await app.rows('SELECT 1 FROM api_keys WHERE project_id = $1', [bystander.projectId])).toHaveLength(1);
    expect(
      await app.rows(`SELECT 1 FROM audit_events WHERE project_id = $1 AND action = 'project.deleted'`, [
        owner.projectId,
      ]),
    ).toHaveLength(1);
  });

  it('still counts in the usage of its organization until the month ends', async () => {
    await ingest().expect(200);
    await call('post', '/archive').expect(200);
    await call('delete').expect(204);
    await app.rows(`UPDATE projects SET deleted_at = now() - interval '2 minutes' WHERE id = $1`, [owner.projectId]);
    await round();
    const next = (await create().expect(201)).body as { id: string };
    const key = await app
      .request()
      .post('/v1/api-keys')
      .set('Authorization', owner.bearer)
      .send({ project_id: next.id, name: 'Next' })
      .expect(201);
    const usage = await app
      .request()
      .get('/v1/usage/current')
      .set('X-API-Key', (key.body as { key: string }).key)
      .expect(200);
    expect(usage.body).toMatchObject({ events_used: 1 });
  });

  it('ends parallel archives, restores and deletes in one state that the record tells', async () => {
    const answers = await Promise.all([
      call('post', '/archive'),
      call('delete'),
      call('post', '/restore'),
      call('delete'),
      call('post', '/archive'),
      call('delete'),
      call('post', '/restore'),
    ]);
    const statuses = answers.map(({ status }) => status);
    for (const status of statuses) expect([200, 204, 404, 409]).toContain(status);
    const recorded = await app.rows<{ action: string }>(
      `SELECT action FROM audit_events WHERE project_id = $1 AND action ~ 'archived|restored|deleted' ORDER BY created_at`,
      [owner.projectId],
    );
    // Archived, restored, archived, …, at most once deleted, and nothing after that.
    let state = 'living';
    for (const { action } of recorded) {
      const from = { 'project.archived': 'living', 'project.restored': 'archived', 'project.deleted': 'archived' };
      expect(state).toBe(from[action as keyof typeof from]);
      state =
        { 'project.archived': 'archived', 'project.restored': 'living', 'project.deleted': 'deleted' }[action] ?? '';
    }
    const [row] = await app.rows<{ state: string }>(
      `SELECT CASE WHEN deleted_at IS NOT NULL THEN 'deleted' WHEN archived_at IS NOT NULL THEN 'archived' ELSE 'living' END AS state
       FROM projects WHERE id = $1`,
      [owner.projectId],
    );
    expect(row?.state).toBe(state);
    expect(statuses.filter((status) => status === 204)).toHaveLength(state === 'deleted' ? 1 : 0);
  });

  it('is deleted once by parallel deletes', async () => {
    await call('post', '/archive').expect(200);
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('delete')));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404]);
    expect(
      await app.rows(`SELECT 1 FROM audit_events WHERE project_id = $1 AND action = 'project.deleted'`, [
        owner.projectId,
      ]),
    ).toHaveLength(1);
  });

  it('is a matter of its admins', async () => {
    const operator = await addMember(app, owner, 'operator');
    const stranger = await signedIn(app);
    for (const [verb, rest] of [
      ['patch', ''],
      ['post', '/archive'],
      ['post', '/restore'],
      ['delete', ''],
    ] as const) {
      await call(verb, rest, operator).expect(403, { detail: 'Insufficient project role' });
      await call(verb, rest, stranger).expect(403, { detail: 'Not a project member' });
    }
  });

  it('is told by its activity, page by page, newest first', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    await call('post', '/archive').set('X-Request-ID', 'archive-request').expect(200);
    await app.request().post(`/v1/api-keys/${owner.apiKeyId}/revoke`).set('Authorization', owner.bearer).expect(200);
    await app.request().post(`/v1/api-keys/${owner.apiKeyId}/revoke`).set('Authorization', owner.bearer).expect(200);
    const all = await activity('', viewer);
    expect(all).toMatchObject({ total: 4, limit: 50, offset: 0 });
    expect(all.items.map(({ action }) => action)).toEqual([
      'api_key.revoked',
      'project.archived',
      'api_key.created',
      'project.created',
    ]);
    expect(all.items[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      actor_user_id: owner.id,
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      action: 'project.archived',
      target_type: 'project',
      target_id: owner.projectId,
      detail: {},
      request_id: 'archive-request',
      created_at: TIME,
    });
    expect(await activity('?limit=2&offset=1')).toEqual({
      items: all.items.slice(1, 3),
      total: 4,
      limit: 2,
      offset: 1,
    });
    expect((await activity('?offset=4')).items).toEqual([]);
    for (const query of ['?limit=0', '?limit=501', '?limit=x', '?offset=-1']) {
      await call('get', `/activity${query}`).expect(422);
    }
    expect(JSON.stringify(all)).not.toContain(owner.apiKey);
  });

  it('is told by its health, from the first key on', async () => {
    const health = async (): Promise<object> => (await call('get', '/health').expect(200)).body as object;
    const fresh = {
      project_id: owner.projectId,
      status: 'no_events',
      last_event_at: null,
      events_last_hour: 0,
      events_last_24h: 0,
      active_keys: 1,
      archived_at: null,
      onboarding: { has_key: true, has_event: false, completed: false },
    };
    expect(await health()).toEqual(fresh);
    const at = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
    const send = (timestamp: string) =>
      app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ event_type: 'a', source: 'b', timestamp })
        .expect(200);
    const old = at(25 * 60);
    await send(old);
    const done = { has_key: true, has_event: true, completed: true };
    expect(await health()).toEqual({ ...fresh, status: 'quiet', last_event_at: old, onboarding: done });
    await send(at(90));
    const latest = at(5);
    await send(latest);
    const healthy = { ...fresh, last_event_at: latest, events_last_hour: 1, events_last_24h: 2, onboarding: done };
    expect(await health()).toEqual({ ...healthy, status: 'healthy' });
    await call('post', '/archive').expect(200);
    expect(await health()).toEqual({ ...healthy, status: 'failing', archived_at: TIME });
    await call('post', '/restore').expect(200);
    await app.request().post(`/v1/api-keys/${owner.apiKeyId}/revoke`).set('Authorization', owner.bearer).expect(200);
    expect(await health()).toEqual({
      ...healthy,
      status: 'failing',
      active_keys: 0,
      onboarding: { ...done, has_key: false },
    });
  });
});
