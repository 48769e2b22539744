import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { type Account, type Api, api, job, outsider, type Tenant, tenant } from '../../support/service.js';
import {
  auditedActions,
  dailyUsage,
  endDeletionGrace,
  moveUsageBack,
  pastEvents,
  type ProjectRows,
  rowsOfProject,
  setPlan,
  storeUsage,
} from '../../support/sql-builders/tenancy.js';

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

const randomSlug = (): string => randomBytes(6).toString('hex');
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
/** The states that an action leads from and to. */
const TRANSITIONS: Record<string, [from: string, to: string]> = {
  'project.archived': ['living', 'archived'],
  'project.restored': ['archived', 'living'],
  'project.deleted': ['archived', 'deleted'],
};

describe('a project', () => {
  let acme: Tenant;
  let asOwner: Api;

  beforeEach(async () => {
    acme = await tenant();
    asOwner = api.as(acme.owner);
  });

  const path = (rest = '') => `/v1/projects/${acme.projectId}${rest}`;
  const ingest = ({ key }: Tenant = acme) => api.as(key).post('/v1/events/ingest', { event_type: 'a', source: 'b' });
  const activity = async (query = '', caller: Account = acme.owner): Promise<Activity> =>
    (
      await api
        .as(caller)
        .get(path(`/activity${query}`))
        .expect(200)
    ).body as Activity;
  const create = (slug = randomSlug()) =>
    asOwner.post('/v1/projects', { organization_id: acme.organizationId, name: 'Next', slug });
  const revokeKey = () => asOwner.post(`/v1/api-keys/${acme.key.id}/revoke`);

  /** Runs rounds of maintenance until these rows are left. A round ends early when many deleted projects are due. */
  async function maintainedUntil(rows: Partial<ProjectRows>): Promise<void> {
    await eventually(
      async () => {
        await job('maintenance');
        return rowsOfProject(acme.projectId);
      },
      (left) => isDeepStrictEqual({ ...left, ...rows }, left),
    );
  }

  it('can be renamed in its name and its slug, one at a time and together', async () => {
    const before = (await asOwner.get(path()).expect(200)).body as { slug: string };
    const rename = (body?: object) => asOwner.patch(path(), body);
    expect((await rename({ name: 'Shop' }).expect(200)).body).toEqual({ ...before, name: 'Shop' });
    const slug = randomSlug();
    expect((await rename({ slug }).expect(200)).body).toEqual({ ...before, name: 'Shop', slug });
    expect((await asOwner.get(path()).expect(200)).body).toEqual({ ...before, name: 'Shop', slug });
    await rename().expect(200);
    await rename({ name: 'Shop', slug }).expect(200);
    for (const body of [{ name: '' }, { name: null }, { slug: '-' }, { slug: 'a b' }, { slug: 'a'.repeat(201) }]) {
      await rename(body).expect(422);
    }
    await setPlan(acme.organizationId, 'pro');
    const other = (await create().expect(201)).body as { slug: string };
    await rename({ slug: other.slug }).expect(409, { detail: 'Slug already in use' });
    await rename({ slug: other.slug.toUpperCase() }).expect(409, { detail: 'Slug already in use' });
    const { items } = await activity();
    expect(items.map(({ action, detail }) => ({ action, detail })).slice(0, 2)).toEqual([
      { action: 'project.renamed', detail: { from: { name: 'Shop', slug: before.slug }, to: { name: 'Shop', slug } } },
      {
        action: 'project.renamed',
        detail: { from: { name: 'Web shop', slug: before.slug }, to: { name: 'Shop', slug: before.slug } },
      },
    ]);
  });

  it('takes no events while it is archived, and can be read as before', async () => {
    await ingest().expect(200);
    const record = (await asOwner.get(path()).expect(200)).body as object;
    expect((await asOwner.post(path('/archive')).expect(200)).body).toEqual({ ...record, archived_at: TIME });
    await ingest().expect(403, { detail: 'Project is archived' });
    await api.as(acme.key).post('/v1/events/ingest', {}).expect(422);
    await api.as(acme.key).get('/v1/api-keys/me').expect(200);
    await api.as(acme.key).get('/v1/usage/current').expect(200);
    expect((await asOwner.get(path()).expect(200)).body).toEqual(record);
    expect((await asOwner.get(`/v1/logs?project_id=${acme.projectId}`).expect(200)).body).toHaveLength(1);
    expect((await asOwner.get('/v1/projects').expect(200)).body).toEqual([record]);
    expect((await dailyUsage(acme.projectId)).map(({ events }) => events)).toEqual([1]);

    expect((await asOwner.post(path('/restore')).expect(200)).body).toEqual({ ...record, archived_at: null });
    await ingest().expect(200);
  });

  it('is archived and restored once by repeated requests', async () => {
    const first = (await asOwner.post(path('/archive')).expect(200)).body as object;
    expect((await asOwner.post(path('/archive')).expect(200)).body).toEqual(first);
    const second = (await asOwner.post(path('/restore')).expect(200)).body as object;
    expect((await asOwner.post(path('/restore')).expect(200)).body).toEqual(second);
    expect((await activity()).items.map(({ action }) => action)).toEqual([
      'project.restored',
      'project.archived',
      'api_key.created',
      'project.created',
    ]);
  });

  it('is deleted only when it is archived, and is then gone for everybody at once', async () => {
    const viewer = await acme.viewer();
    await api.as(viewer).post('/v1/projects/select', { project_id: acme.projectId }).expect(200);
    await asOwner.put(path('/settings'), { timezone: 'Europe/Berlin' }).expect(200);
    await asOwner.post(path('/saved-views'), { name: 'x' }).expect(201);
    const { slug } = (await asOwner.get(path()).expect(200)).body as { slug: string };
    await asOwner.delete(path()).expect(409, { detail: 'Project must be archived first' });
    await asOwner.post(path('/archive')).expect(200);
    await create().expect(403, { detail: 'Plan limit reached: projects' });
    await asOwner.delete(path()).expect(204, {});

    for (const request of [
      asOwner.get(path()),
      asOwner.delete(path()),
      asOwner.post(path('/restore')),
      asOwner.get(path('/activity')),
      asOwner.get(path('/saved-views')),
    ]) {
      await request.expect(404, { detail: 'Project not found' });
    }
    await ingest().expect(401, { detail: 'Invalid API key' });
    await api.as(acme.key).get('/v1/api-keys/me').expect(401);
    await revokeKey().expect(404, { detail: 'API key not found' });
    expect((await asOwner.get('/v1/projects').expect(200)).body).toEqual([]);
    const me = await api.as(viewer).get('/v1/auth/me').expect(200);
    expect(me.body).toMatchObject({ selected_project_id: null });
    // Its place in the plan and its slug are free again.
    await create(slug).expect(201);
    expect((await auditedActions(acme.projectId)).at(-1)).toBe('project.deleted');
  });

  it('is removed with its rows by maintenance once it is deleted, except the usage of the month', async () => {
    await ingest().expect(200);
    await pastEvents(acme.projectId, 2500);
    await storeUsage(acme.projectId, { day: '2020-01-01', events: 2500 });
    const globex = await tenant();
    await ingest(globex).expect(200);
    // Requests are counted a little later. A count must not arrive between the reads below.
    await eventually(
      () => dailyUsage(acme.projectId),
      (days) => days.some(({ requests }) => requests > 0),
    );
    await asOwner.post(path('/archive')).expect(200);
    await asOwner.delete(path()).expect(204);

    const noRows = {
      projects: 0,
      events: 0,
      api_keys: 0,
      usage_daily: 0,
      project_members: 0,
      project_settings: 0,
      saved_views: 0,
    };
    await job('maintenance');
    const inGrace = { ...noRows, projects: 1, events: 2501, api_keys: 1, usage_daily: 2 };
    expect(await rowsOfProject(acme.projectId)).toEqual(inGrace);

    await endDeletionGrace(acme.projectId);
    // Two rounds run at the same time, as those of two workers do. Each leaves what the other has removed.
    await Promise.all([job('maintenance'), job('maintenance')]);
    // The usage of this month stays, so that a deletion does not give the allowance back.
    const usageOfMonth = { ...noRows, projects: 1, usage_daily: 1 };
    await maintainedUntil(usageOfMonth);
    await job('maintenance');
    expect(await rowsOfProject(acme.projectId)).toEqual(usageOfMonth);

    await moveUsageBack(acme.projectId, 31);
    await maintainedUntil(noRows);
    expect(await rowsOfProject(globex.projectId)).toMatchObject({ events: 1, api_keys: 1 });
    expect((await auditedActions(acme.projectId)).filter((action) => action === 'project.deleted')).toHaveLength(1);
  });

  it('counts in the usage of its organization until the end of the month in which it is deleted', async () => {
    await ingest().expect(200);
    await asOwner.post(path('/archive')).expect(200);
    await asOwner.delete(path()).expect(204);
    await endDeletionGrace(acme.projectId);
    await maintainedUntil({ events: 0, api_keys: 0 });
    const next = (await create().expect(201)).body as { id: string };
    const key = await asOwner.post('/v1/api-keys', { project_id: next.id, name: 'Next' }).expect(201);
    const caller = { apiKey: (key.body as { key: string }).key };
    const usage = await api.as(caller).get('/v1/usage/current').expect(200);
    expect(usage.body).toMatchObject({ events_used: 1 });
  });

  it('is removed while the usage of this month keeps many other deleted projects', async () => {
    await setPlan(acme.organizationId, 'enterprise');
    const deleted = async (hasUsage: boolean): Promise<string> => {
      const { id } = (await create().expect(201)).body as { id: string };
      await asOwner.post(`/v1/projects/${id}/archive`).expect(200);
      await asOwner.delete(`/v1/projects/${id}`).expect(204);
      if (hasUsage) await storeUsage(id, { day: new Date().toISOString().slice(0, 10), events: 1 });
      await endDeletionGrace(id);
      return id;
    };
    for (let n = 0; n < 20; n += 1) await deleted(true);
    const unused = await deleted(false);
    await eventually(
      async () => {
        await job('maintenance');
        return rowsOfProject(unused);
      },
      ({ projects }) => projects === 0,
    );
  });

  it('is in the state that its audit log shows after parallel archives, restores and deletions', async () => {
    const answers = await Promise.all([
      asOwner.post(path('/archive')),
      asOwner.delete(path()),
      asOwner.post(path('/restore')),
      asOwner.delete(path()),
      asOwner.post(path('/archive')),
      asOwner.delete(path()),
      asOwner.post(path('/restore')),
    ]);
    const statuses = answers.map(({ status }) => status);
    for (const status of statuses) expect([200, 204, 404, 409]).toContain(status);
    // Archived, restored, archived, and so on; at most once deleted, and nothing after that.
    let state = 'living';
    for (const action of await auditedActions(acme.projectId)) {
      if (!/archived|restored|deleted/.test(action)) continue;
      const [from, to] = TRANSITIONS[action] ?? [];
      expect(state).toBe(from);
      state = to ?? '';
    }
    const health = await asOwner.get(path('/health'));
    expect(health.status).toBe(state === 'deleted' ? 404 : 200);
    if (health.status === 200) {
      const { archived_at } = health.body as { archived_at: string | null };
      expect(archived_at === null ? 'living' : 'archived').toBe(state);
    }
    expect(statuses.filter((status) => status === 204)).toHaveLength(state === 'deleted' ? 1 : 0);
  });

  it('is deleted once by parallel requests', async () => {
    await asOwner.post(path('/archive')).expect(200);
    const answers = await Promise.all(Array.from({ length: 6 }, () => asOwner.delete(path())));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404]);
    expect((await auditedActions(acme.projectId)).filter((action) => action === 'project.deleted')).toHaveLength(1);
  });

  it('is renamed, archived, restored and deleted by its admins only', async () => {
    const operator = await acme.operator();
    const stranger = await outsider();
    for (const [caller, detail] of [
      [operator, 'Insufficient project role'],
      [stranger, 'Not a project member'],
    ] as const) {
      await api.as(caller).patch(path()).expect(403, { detail });
      await api.as(caller).post(path('/archive')).expect(403, { detail });
      await api.as(caller).post(path('/restore')).expect(403, { detail });
      await api.as(caller).delete(path()).expect(403, { detail });
    }
  });

  it('has an activity log that is read page by page, the newest entry first', async () => {
    const viewer = await acme.viewer();
    await asOwner.post(path('/archive')).set('X-Request-ID', 'archive-request').expect(200);
    await revokeKey().expect(200);
    await revokeKey().expect(200);
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
      actor_user_id: acme.owner.id,
      organization_id: acme.organizationId,
      project_id: acme.projectId,
      action: 'project.archived',
      target_type: 'project',
      target_id: acme.projectId,
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
      await asOwner.get(path(`/activity${query}`)).expect(422);
    }
    expect(JSON.stringify(all)).not.toContain(acme.key.apiKey);
  });

  it('has a health that follows its events, its keys and its archiving', async () => {
    const health = async (): Promise<object> => (await asOwner.get(path('/health')).expect(200)).body as object;
    const fresh = {
      project_id: acme.projectId,
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
      api.as(acme.key).post('/v1/events/ingest', { event_type: 'a', source: 'b', timestamp }).expect(200);
    const old = at(25 * 60);
    await send(old);
    const done = { has_key: true, has_event: true, completed: true };
    expect(await health()).toEqual({ ...fresh, status: 'quiet', last_event_at: old, onboarding: done });
    await send(at(90));
    const latest = at(5);
    await send(latest);
    const healthy = { ...fresh, last_event_at: latest, events_last_hour: 1, events_last_24h: 2, onboarding: done };
    expect(await health()).toEqual({ ...healthy, status: 'healthy' });
    await asOwner.post(path('/archive')).expect(200);
    expect(await health()).toEqual({ ...healthy, status: 'failing', archived_at: TIME });
    await asOwner.post(path('/restore')).expect(200);
    await revokeKey().expect(200);
    expect(await health()).toEqual({
      ...healthy,
      status: 'failing',
      active_keys: 0,
      onboarding: { ...done, has_key: false },
    });
  });
});
