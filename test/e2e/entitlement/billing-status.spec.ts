import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NoticeBus } from '../../../src/platform/database/notices.js';
import { type Actor, addMember, type Owner, ownerWithProject, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { ingest } from '../../support/sources.js';
import { monthOf, utcDay } from '../../support/utc-day.js';

const ADMIN = 'root@example.com';

describe('the billing status of an organization', () => {
  let app: TestApp;
  let owner: Owner;
  let admin: Actor;

  beforeAll(async () => {
    app = await createTestApp({
      env: {
        ENABLE_BILLING_ADMIN: 'true',
        PLATFORM_ADMIN_EMAILS: `Other@Example.com, ${ADMIN.toUpperCase()}`,
        UPGRADE_URL: 'https://app.example.com/upgrade',
      },
    });
    owner = await ownerWithProject(app);
    admin = await signedIn(app, ADMIN);
  });
  afterAll(() => app.close());

  const status = (query = `?organization_id=${owner.organizationId}`, bearer = owner.bearer) =>
    app.request().get(`/v1/billing/status${query}`).set('Authorization', bearer);
  const byKey = (key = owner.apiKey, query = '') =>
    app.request().get(`/v1/billing/status${query}`).set('X-API-Key', key);
  const patch = (body: object, bearer = admin.bearer, id: string = owner.organizationId) =>
    app.request().patch(`/v1/billing/org/${id}`).set('Authorization', bearer).send(body);
  const record = async (): Promise<Record<string, unknown>> =>
    (await status().expect(200)).body as Record<string, unknown>;

  /** What has been used this UTC month. */
  async function used(events: number, requests = 0): Promise<void> {
    await app.rows(
      `INSERT INTO organization_months (organization_id, month, events, requests)
       VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, $2, $3)
       ON CONFLICT (organization_id, month) DO UPDATE SET events = excluded.events, requests = excluded.requests`,
      [owner.organizationId, events, requests],
    );
  }

  it('has every field, by access token and by API key alike', async () => {
    const { month: from, nextMonth: to } = monthOf(await utcDay());
    await used(2_500);
    const expected = {
      organization_id: owner.organizationId,
      plan: 'free',
      billing_status: 'active',
      month: from.slice(0, 7),
      from_day: from,
      to_day: to,
      reset_day: to,
      events_used: 2_500,
      events_limit: 10_000,
      events_remaining: 7_500,
      is_near_limit: false,
      upgrade_url: 'https://app.example.com/upgrade',
      is_blocked: false,
      block_reason: null,
      recommended_action: 'none',
    };
    await status().expect(200, expected);
    await byKey().expect(200, expected);
    await status(undefined, (await addMember(app, owner, 'viewer')).bearer).expect(200, expected);
  });

  it('needs organization_id of a person, who must belong to it', async () => {
    const detail = 'organization_id is required for user-authenticated billing status requests';
    await status('').expect(400, { detail });
    await status('?organization=x').expect(400, { detail });
    await status('?organization_id=').expect(422);
    await status('?organization_id=x').expect(422);
    await status('?organization_id=0199f3a1-0000-7000-8000-000000000000').expect(404, {
      detail: 'Organization not found',
    });
    const stranger = await ownerWithProject(app);
    await status(undefined, stranger.bearer).expect(403, { detail: 'Not an organization member' });
    await app.request().get('/v1/billing/status').expect(401, { detail: 'Not authenticated' });
  });

  it('is never that of an organization which a key does not belong to', async () => {
    const stranger = await ownerWithProject(app);
    const { body } = await byKey(stranger.apiKey, `?organization_id=${owner.organizationId}`).expect(200);
    expect(body).toMatchObject({ organization_id: stranger.organizationId });
    const both = await byKey(stranger.apiKey, `?organization_id=${owner.organizationId}`).set(
      'Authorization',
      owner.bearer,
    );
    expect(both.body).toMatchObject({ organization_id: stranger.organizationId });
  });

  it('opens to a key with either scope, and not to credentials in the wrong place', async () => {
    for (const scope of ['events:read', 'events:write']) {
      const { body } = await app
        .request()
        .post('/v1/api-keys')
        .set('Authorization', owner.bearer)
        .send({ project_id: owner.projectId, name: 'x', scopes: [scope] })
        .expect(201);
      await byKey((body as { key: string }).key).expect(200);
    }
    await byKey(owner.accessToken).expect(401);
    await byKey('').expect(401);
    await byKey('oes_unknown').set('Authorization', owner.bearer).expect(401, { detail: 'Invalid API key' });
    await status(undefined, `Bearer ${owner.apiKey}`).expect(401);
    const { body } = await app
      .request()
      .post('/v1/api-keys')
      .set('Authorization', owner.bearer)
      .send({ project_id: owner.projectId, name: 'y' })
      .expect(201);
    const { id, key } = body as { id: string; key: string };
    await app.request().post(`/v1/api-keys/${id}/revoke`).set('Authorization', owner.bearer).expect(200);
    await byKey(key).expect(401, { detail: 'API key is not active' });
  });

  it.each([
    [79_99, false, null],
    [80_00, true, null],
    [99_99, true, null],
    [100_00, false, 'limit_exceeded'],
    [100_01, false, 'limit_exceeded'],
  ])('is near the limit from 80 % on and before 100 %: %d of 10000', async (events, isNear, reason) => {
    await patch({ plan: 'free', events_per_month_limit: null }).expect(200);
    await used(events);
    expect(await record()).toMatchObject({
      events_used: events,
      events_remaining: Math.max(0, 10_000 - events),
      is_near_limit: isNear,
      is_blocked: reason !== null,
      block_reason: reason,
      recommended_action: reason === null ? 'none' : 'upgrade',
    });
  });

  it.each([
    ['free', null, 10_000],
    ['pro', null, 100_000],
    ['scale', null, 1_000_000],
    ['enterprise', null, null],
    ['enterprise', 7, 7],
    ['free', 20_000, 20_000],
    ['scale', 0, 0],
  ])('of the plan %s with the explicit limit %s has the limit %s', async (plan, explicit, limit) => {
    await used(5);
    await patch({ plan, events_per_month_limit: explicit }).expect(200);
    expect(await record()).toMatchObject({
      plan,
      events_limit: limit,
      events_remaining: limit === null ? null : Math.max(0, limit - 5),
      is_near_limit: false,
      is_blocked: limit === 0,
      block_reason: limit === 0 ? 'limit_exceeded' : null,
    });
  });

  it.each([
    ['active', null, 'none'],
    ['trialing', null, 'none'],
    ['past_due', null, 'none'],
    ['inactive', 'billing_inactive', 'upgrade'],
    ['canceled', 'billing_inactive', 'upgrade'],
    ['blocked', 'blocked', 'contact_support'],
    ['suspended', 'blocked', 'contact_support'],
  ])('that is %s is blocked by %s', async (billingStatus, reason, action) => {
    await used(0);
    await patch({ plan: 'free', events_per_month_limit: null }).expect(200);
    await app.rows('UPDATE organizations SET billing_status = $2 WHERE id = $1', [owner.organizationId, billingStatus]);
    expect(await record()).toMatchObject({
      billing_status: billingStatus,
      is_blocked: reason !== null,
      block_reason: reason,
      recommended_action: action,
    });
    await patch({ billing_status: 'active' }).expect(200);
  });

  it('tells of the request quota too', async () => {
    await patch({ plan: 'free', events_per_month_limit: null }).expect(200);
    await used(0, 100_000);
    expect(await record()).toMatchObject({
      is_blocked: true,
      block_reason: 'request_limit_exceeded',
      recommended_action: 'none',
    });
    await used(0);
  });

  describe('in the hands of platform administration', () => {
    it('changes what is named, leaves what is not, and takes null as said', async () => {
      const answer = {
        organization_id: owner.organizationId,
        plan: 'scale',
        billing_status: 'active',
        events_per_month_limit: 500,
      };
      await patch({ plan: 'scale', events_per_month_limit: 500 }).expect(200, answer);
      await patch({}).expect(200, answer);
      await patch({ plan: null, billing_status: null }).expect(200, answer);
      await patch({ billing_status: 'suspended' }).expect(200, { ...answer, billing_status: 'suspended' });
      await patch({ events_per_month_limit: 0 }).expect(200, {
        ...answer,
        billing_status: 'suspended',
        events_per_month_limit: 0,
      });
      await patch({ billing_status: 'active', events_per_month_limit: null }).expect(200, {
        ...answer,
        events_per_month_limit: null,
      });
      expect(await record()).toMatchObject({ plan: 'scale', billing_status: 'active', events_limit: 1_000_000 });
    });

    it('is audited and told to every process', async () => {
      const told: string[] = [];
      const notices = new NoticeBus({ databaseUrl: app.databaseUrl, onError: () => undefined });
      await notices.start();
      notices.subscribe('organization_changed', (id) => void told.push(id));
      await patch({ plan: 'free', events_per_month_limit: 9 }).set('X-Request-ID', 'of-the-act').expect(200);
      const [act] = await app.rows<Record<string, unknown>>(
        `SELECT * FROM audit_events WHERE organization_id = $1 ORDER BY created_at DESC LIMIT 1`,
        [owner.organizationId],
      );
      expect(act).toMatchObject({
        actor_user_id: admin.id,
        action: 'billing.admin_updated',
        target_type: 'organization',
        target_id: owner.organizationId,
        request_id: 'of-the-act',
        detail: {
          from: { plan: 'scale', billing_status: 'active', events_per_month_limit: null },
          to: { plan: 'free', billing_status: 'active', events_per_month_limit: 9 },
        },
      });
      while (!told.includes(owner.organizationId)) await new Promise((resolve) => setTimeout(resolve, 10));
      await notices.close();
    });

    it('refuses what it may not set, with 422', async () => {
      const rows = async (body: object) =>
        ((await patch(body).expect(422)).body as { detail: { type: string; loc: string[] }[] }).detail.map(
          ({ type, loc }) => [type, ...loc],
        );
      expect(await rows({ plan: 'business' })).toEqual([['literal_error', 'body', 'plan']]);
      for (const billing_status of ['canceled', 'inactive', 'trialing', ''])
        expect(await rows({ billing_status })).toEqual([['literal_error', 'body', 'billing_status']]);
      expect(await rows({ events_per_month_limit: -1 })).toEqual([
        ['greater_than_equal', 'body', 'events_per_month_limit'],
      ]);
      expect(await rows({ events_per_month_limit: 1.5 })).toEqual([
        ['int_from_float', 'body', 'events_per_month_limit'],
      ]);
      expect(await rows({ events_per_month_limit: 1e300 })).toEqual([
        ['int_parsing_size', 'body', 'events_per_month_limit'],
      ]);
    });

    it('is for the listed addresses alone, and for organizations that exist', async () => {
      const detail = 'Platform administrator required';
      await patch({ plan: 'scale' }, owner.bearer).expect(403, { detail });
      await patch({ plan: 'nonsense' }, owner.bearer).expect(403, { detail });
      await patch({ plan: 'scale' }, owner.bearer, 'x').expect(403, { detail });
      await patch({}, admin.bearer, '0199f3a1-0000-7000-8000-000000000000').expect(404, {
        detail: 'Organization not found',
      });
      await patch({ plan: 'nonsense' }, admin.bearer, '0199f3a1-0000-7000-8000-000000000000').expect(404);
      await patch({}, admin.bearer, 'x').expect(422);
      const me = await app.request().get('/v1/auth/me').set('Authorization', admin.bearer).expect(200);
      expect(me.body).toMatchObject({ is_platform_admin: true });
    });

    it.each([
      [{}, 404, 'Billing administration is disabled'],
      [{ ENABLE_BILLING_ADMIN: 'false', PLATFORM_ADMIN_EMAILS: ADMIN }, 404, 'Billing administration is disabled'],
      [{ ENABLE_BILLING_ADMIN: 'true' }, 500, 'Platform administration is not configured'],
      [
        { ENABLE_BILLING_ADMIN: 'true', PLATFORM_ADMIN_EMAILS: `${ADMIN}, everybody` },
        500,
        'Platform administration is not configured',
      ],
    ])('with the configuration %j answers %d', async (env, code, detail) => {
      const other = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir, env });
      const send = (body: object) =>
        other.request().patch(`/v1/billing/org/${owner.organizationId}`).set('Authorization', admin.bearer).send(body);
      await send({}).expect(code, { detail });
      await send({ plan: 'nonsense' }).expect(code, { detail });
      await other.request().patch(`/v1/billing/org/${owner.organizationId}`).send({}).expect(401);
      if (code === 500) expect(other.logLines.join('\n')).toContain('PLATFORM_ADMIN_EMAILS');
      await other.close();
    });

    it('says where to upgrade when nothing else is configured', async () => {
      const other = await createTestApp({
        databaseUrl: app.databaseUrl,
        env: { PUBLIC_APP_URL: 'https://front.example.com/' },
      });
      const { body } = await other.request().get('/v1/billing/status').set('X-API-Key', owner.apiKey).expect(200);
      expect(body).toMatchObject({ upgrade_url: 'https://front.example.com/billing' });
      await other.close();
    });
  });
});

describe('the reads of a key whose rows are incomplete', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
    // The database forbids it otherwise.
    await app.rows(
      'ALTER TABLE projects DROP CONSTRAINT fk_projects_organization_id, ALTER organization_id DROP NOT NULL',
    );
    await app.rows('ALTER TABLE api_keys DROP CONSTRAINT fk_api_keys_project_id');
  });
  afterAll(() => app.close());

  const read = async (of: Owner, status: number, detail: string): Promise<void> => {
    for (const path of ['/v1/billing/status', '/v1/usage/current']) {
      await app.request().get(path).set('X-API-Key', of.apiKey).expect(status, { detail });
    }
  };

  it('return 404 when the organization is missing', async () => {
    const of = await ownerWithProject(app);
    await app.rows('DELETE FROM organizations WHERE id = $1', [of.organizationId]);
    await read(of, 404, 'Organization not found');
  });

  it.each([
    ['the project is missing', 'DELETE FROM projects WHERE id = $1'],
    ['the project names no organization', 'UPDATE projects SET organization_id = NULL WHERE id = $1'],
  ])('return 400 when %s', async (_, change) => {
    const of = await ownerWithProject(app);
    await app.rows(change, [of.projectId]);
    await read(of, 400, 'Project has no organization');
    await app.request().get('/v1/api-keys/me').set('X-API-Key', of.apiKey).expect(401, { detail: 'Invalid API key' });
    await ingest(app, of.apiKey).expect(401, { detail: 'Invalid API key' });
  });
});
