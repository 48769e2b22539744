import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { platformAdmin } from '../../support/platform-admin.js';
import { type Account, api, type Tenant, tenant } from '../../support/service.js';
import { setBillingStatus, storeMonthlyUse } from '../../support/sql-builders/billing.js';
import { organizationAudit } from '../../support/sql-builders/tenancy.js';
import { monthOf, utcDay } from '../../support/utc-day.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';

let admin: Account;
let acme: Tenant;

beforeAll(async () => {
  admin = await platformAdmin();
});
beforeEach(async () => {
  acme = await tenant();
});

const bearer = ({ accessToken }: Account): string => `Bearer ${accessToken}`;
const status = (query: object = { organization_id: acme.organizationId }, account: Account = acme.owner) =>
  api.as(account).get('/v1/billing/status', query);
const byKey = (apiKey: string = acme.key.apiKey, query: object = {}) =>
  api.as({ apiKey }).get('/v1/billing/status', query);
const record = async (): Promise<Record<string, unknown>> =>
  (await status().expect(200)).body as Record<string, unknown>;
const patch = (body: object, account: Account = admin, id: string = acme.organizationId) =>
  api.as(account).patch(`/v1/billing/org/${id}`, body);
const used = (events: number, requests = 0) => storeMonthlyUse(acme.organizationId, { events, requests });

describe('the billing status of an organization', () => {
  it('has every field, the same for an owner, a viewer and an API key', async () => {
    const { month: from, nextMonth: to } = monthOf(await utcDay());
    await used(2_500);
    const expected = {
      organization_id: acme.organizationId,
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
    await status(undefined, await acme.viewer()).expect(200, expected);
  });

  it('needs the organization_id of a person', async () => {
    const detail = 'organization_id is required for user-authenticated billing status requests';
    await status({}).expect(400, { detail });
    await status({ organization: 'x' }).expect(400, { detail });
    await status({ organization_id: '' }).expect(422);
    await status({ organization_id: 'x' }).expect(422);
    await status({ organization_id: NOWHERE }).expect(404, { detail: 'Organization not found' });
  });

  it('is hidden from a person who is not a member, and from a request without credentials', async () => {
    const globex = await tenant();
    await status(undefined, globex.owner).expect(403, { detail: 'Not an organization member' });
    await api.get('/v1/billing/status').expect(401, { detail: 'Not authenticated' });
  });

  it('is that of the organization of the key, also when the query or a second credential names another', async () => {
    const globex = await tenant();
    const named = { organization_id: acme.organizationId };
    const { body } = await byKey(globex.key.apiKey, named).expect(200);
    expect(body).toMatchObject({ organization_id: globex.organizationId });
    const both = await byKey(globex.key.apiKey, named).set('Authorization', bearer(acme.owner));
    expect(both.body).toMatchObject({ organization_id: globex.organizationId });
  });

  it.each(['events:read', 'events:write'])('is open to a key with the scope %s alone', async (scope) => {
    const key = { project_id: acme.projectId, name: 'x', scopes: [scope] };
    const { body } = await api.as(acme.owner).post('/v1/api-keys', key).expect(201);
    await byKey((body as { key: string }).key).expect(200);
  });

  it('is refused to credentials in the wrong place', async () => {
    await byKey(acme.owner.accessToken).expect(401);
    await byKey('').expect(401);
    await byKey('oes_unknown').set('Authorization', bearer(acme.owner)).expect(401, { detail: 'Invalid API key' });
    await api
      .as({ accessToken: acme.key.apiKey })
      .get('/v1/billing/status', { organization_id: acme.organizationId })
      .expect(401);
  });

  it('is refused to a revoked key', async () => {
    const asOwner = api.as(acme.owner);
    const { body } = await asOwner.post('/v1/api-keys', { project_id: acme.projectId, name: 'y' }).expect(201);
    const { id, key } = body as { id: string; key: string };
    await asOwner.post(`/v1/api-keys/${id}/revoke`).expect(200);
    await byKey(key).expect(401, { detail: 'API key is not active' });
  });

  it.each([
    [79_99, false, null],
    [80_00, true, null],
    [99_99, true, null],
    [100_00, false, 'limit_exceeded'],
    [100_01, false, 'limit_exceeded'],
  ])('says at %d of 10000 events is_near_limit %s and block_reason %s', async (events, isNear, reason) => {
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
  ])('has on the plan %s with the explicit limit %s the limit %s', async (plan, explicit, limit) => {
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
  ])('has when it is %s the block_reason %s, and recommends %s', async (billingStatus, reason, action) => {
    await setBillingStatus(acme.organizationId, billingStatus);
    expect(await record()).toMatchObject({
      billing_status: billingStatus,
      is_blocked: reason !== null,
      block_reason: reason,
      recommended_action: action,
    });
    await patch({ billing_status: 'active' }).expect(200);
    expect(await record()).toMatchObject({ billing_status: 'active', is_blocked: false });
  });

  it('is blocked when the monthly requests are used up', async () => {
    await used(0, 100_000);
    expect(await record()).toMatchObject({
      is_blocked: true,
      block_reason: 'request_limit_exceeded',
      recommended_action: 'none',
    });
  });
});

describe('a change by a platform administrator', () => {
  it('changes only the members that it names, and null removes the limit alone', async () => {
    const answer = {
      organization_id: acme.organizationId,
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

  it('is written to the audit log with the values before and after it', async () => {
    await patch({ plan: 'scale' }).expect(200);
    await patch({ plan: 'free', events_per_month_limit: 9 }).set('X-Request-ID', 'of-the-act').expect(200);
    const acts = await organizationAudit(acme.organizationId);
    expect(acts.at(-1)).toMatchObject({
      actor_user_id: admin.id,
      action: 'billing.admin_updated',
      target_type: 'organization',
      target_id: acme.organizationId,
      request_id: 'of-the-act',
      detail: {
        from: { plan: 'scale', billing_status: 'active', events_per_month_limit: null },
        to: { plan: 'free', billing_status: 'active', events_per_month_limit: 9 },
      },
    });
  });

  it('returns 422 for values that only the payment provider sets, and for limits that are no counts', async () => {
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
    expect(await rows({ events_per_month_limit: 1.5 })).toEqual([['int_from_float', 'body', 'events_per_month_limit']]);
    expect(await rows({ events_per_month_limit: 1e300 })).toEqual([
      ['int_parsing_size', 'body', 'events_per_month_limit'],
    ]);
  });

  it('returns 403 to an account that does not administer the platform, also when the request is invalid', async () => {
    const detail = 'Platform administrator required';
    await patch({ plan: 'scale' }, acme.owner).expect(403, { detail });
    await patch({ plan: 'nonsense' }, acme.owner).expect(403, { detail });
    await patch({ plan: 'scale' }, acme.owner, 'x').expect(403, { detail });
    const me = await api.as(admin).get('/v1/auth/me').expect(200);
    expect(me.body).toMatchObject({ is_platform_admin: true });
  });

  it('returns 404 for an organization that does not exist, and 422 for an id that is none', async () => {
    await patch({}, admin, NOWHERE).expect(404, { detail: 'Organization not found' });
    await patch({ plan: 'nonsense' }, admin, NOWHERE).expect(404);
    await patch({}, admin, 'x').expect(422);
  });
});
