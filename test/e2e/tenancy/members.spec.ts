import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, api, type Tenant, tenant } from '../../support/service.js';
import {
  membershipsOutOfStep,
  organizationAudit,
  setPlan,
  storeMember,
  storeProjectRole,
} from '../../support/sql-builders/tenancy.js';

const ROLES = ['owner', 'admin', 'operator', 'member', 'viewer'] as const;
type AnyRole = (typeof ROLES)[number];
const GIVEN_ROLES = ['admin', 'operator', 'member', 'viewer'] as const;
const NOBODY = '0199f3a1-0000-7000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

interface MemberRecord {
  user_id: string;
  role: AnyRole;
  can_change_role: boolean;
  can_revoke: boolean;
}

const path = ({ organizationId }: Tenant, userId = '') =>
  `/v1/organizations/${organizationId}/members${userId && `/${userId}`}`;
const list = (caller: Account, of: Tenant) => api.as(caller).get(path(of));
const change = (caller: Account, of: Tenant, userId: string, role: string) =>
  api.as(caller).patch(path(of, userId), { role });
const remove = (caller: Account, of: Tenant, userId: string) => api.as(caller).delete(path(of, userId));

describe('a member of an organization', () => {
  it('is listed newest first with a masked address and with what the caller may do', async () => {
    const acme = await tenant();
    const viewer = await acme.viewer();
    await api.as(viewer).patch('/v1/account', { name: 'Ada' }).expect(200);
    const answer = await list(acme.owner, acme).expect(200);
    const masked = expect.stringMatching(/^u\*\*\*@example\.com$/) as unknown;
    const common = { organization_id: acme.organizationId, status: 'active', created_at: TIME };
    expect(answer.body).toEqual([
      {
        ...common,
        user_id: viewer.id,
        display_name: 'Ada',
        identity: masked,
        role: 'viewer',
        is_owner: false,
        can_change_role: true,
        can_revoke: true,
      },
      {
        ...common,
        user_id: acme.owner.id,
        display_name: masked,
        identity: masked,
        role: 'owner',
        is_owner: true,
        can_change_role: false,
        can_revoke: false,
      },
    ]);
    for (const { email } of [acme.owner, viewer]) expect(answer.text).not.toContain(email);
    await list(viewer, acme).expect(403, { detail: 'Admin role required' });
  });

  it('has a changed role in every project at the next request, in place of a role in one project', async () => {
    const acme = await tenant();
    await setPlan(acme.organizationId, 'enterprise');
    const body = { organization_id: acme.organizationId, name: 'Second', slug: 'second' };
    await api.as(acme.owner).post('/v1/projects', body).expect(201);
    const viewer = await acme.viewer();
    await change(acme.owner, acme, viewer.id, 'operator').expect(200);
    expect(await membershipsOutOfStep(acme.organizationId)).toEqual([]);

    const createKey = () => api.as(viewer).post('/v1/api-keys', { project_id: acme.projectId, name: 'Mine' });
    await createKey().expect(403, { detail: 'Insufficient project role' });
    await storeProjectRole(acme.projectId, viewer.id, 'admin');
    await createKey().expect(201);
    await change(acme.owner, acme, viewer.id, 'operator').expect(200);
    await createKey().expect(201);
    await change(acme.owner, acme, viewer.id, 'member').expect(200);
    await createKey().expect(403, { detail: 'Insufficient project role' });
    expect(await membershipsOutOfStep(acme.organizationId)).toEqual([]);

    await change(acme.owner, acme, viewer.id, 'admin').expect(200);
    await createKey().expect(201);
    await list(viewer, acme).expect(200);
    await change(acme.owner, acme, viewer.id, 'viewer').expect(200);
    await list(viewer, acme).expect(403, { detail: 'Admin role required' });
    await createKey().expect(403, { detail: 'Insufficient project role' });
  });

  it('loses all access at the next request after the removal, and leaves its API keys to the project', async () => {
    const acme = await tenant();
    const admin = await acme.admin();
    const body = { project_id: acme.projectId, name: 'Made by the admin' };
    const key = (await api.as(admin).post('/v1/api-keys', body).expect(201)).body as { key: string };
    await api.as(admin).post('/v1/projects/select', { project_id: acme.projectId }).expect(200);
    await remove(acme.owner, acme, admin.id).expect(200, { message: 'Member removed' });
    const asAdmin = api.as(admin);
    await asAdmin.get(`/v1/projects/${acme.projectId}`).expect(403, { detail: 'Not a project member' });
    const organization = `/v1/organizations/${acme.organizationId}`;
    await asAdmin.get(organization).expect(403, { detail: 'Not an organization member' });
    await remove(admin, acme, admin.id).expect(403, { detail: 'Not an organization member' });
    await asAdmin.get(`/v1/api-keys?project_id=${acme.projectId}`).expect(403);
    expect((await asAdmin.get('/v1/projects').expect(200)).body).toEqual([]);
    expect((await asAdmin.get('/v1/auth/me').expect(200)).body).toMatchObject({ selected_project_id: null });
    expect(await membershipsOutOfStep(acme.organizationId)).toEqual([]);
    await remove(acme.owner, acme, admin.id).expect(404, { detail: 'Member not found' });
    // A key belongs to the project, not to the person: it works until somebody revokes it.
    await api.as({ apiKey: key.key }).get('/v1/api-keys/me').expect(200);
  });

  it('is not found by the id of somebody outside the organization, and is found by its id in upper case', async () => {
    const [acme, globex] = [await tenant(), await tenant()];
    const viewer = await acme.viewer();
    for (const userId of [NOBODY, globex.owner.id]) {
      await change(acme.owner, acme, userId, 'viewer').expect(404, { detail: 'Member not found' });
      await remove(acme.owner, acme, userId).expect(404, { detail: 'Member not found' });
    }
    await remove(globex.owner, acme, viewer.id).expect(403, { detail: 'Not an organization member' });
    await remove(acme.owner, acme, viewer.id.toUpperCase()).expect(200);
  });

  it('is changed after checks of the role of the caller and then of the input', async () => {
    const acme = await tenant();
    await change(await acme.viewer(), acme, 'nope', 'king').expect(403, { detail: 'Admin role required' });
    const refused = await change(acme.owner, acme, 'nope', 'owner').expect(422);
    expect(refused.body).toMatchObject({
      detail: [
        { type: 'uuid_parsing', loc: ['path', 'user_id'] },
        {
          type: 'literal_error',
          loc: ['body', 'role'],
          msg: "Input should be 'admin', 'operator', 'member' or 'viewer'",
        },
      ],
    });
  });

  it('has each change and the removal in the audit log, with the id of the request, and nothing refused', async () => {
    const acme = await tenant();
    const [one, two] = [await acme.viewer(), await acme.operator()];
    await change(acme.owner, acme, one.id, 'member').set('X-Request-ID', 'the-promotion').expect(200);
    await change(acme.owner, acme, one.id, 'member').expect(200);
    await change(one, acme, two.id, 'viewer').expect(403);
    await remove(acme.owner, acme, one.id).expect(200);
    await remove(two, acme, two.id).expect(200);
    const organization = { organization_id: acme.organizationId, project_id: null };
    const entries = (await organizationAudit(acme.organizationId)).filter(({ target_type }) =>
      ['organization', 'user'].includes(target_type),
    );
    expect(entries).toEqual([
      {
        ...organization,
        actor_user_id: acme.owner.id,
        action: 'organization.created',
        target_type: 'organization',
        target_id: acme.organizationId,
        detail: { name: 'Acme', slug: expect.any(String) },
        request_id: expect.any(String),
      },
      {
        ...organization,
        actor_user_id: acme.owner.id,
        action: 'member.role_changed',
        target_type: 'user',
        target_id: one.id,
        detail: { from: 'viewer', to: 'member' },
        request_id: 'the-promotion',
      },
      {
        ...organization,
        actor_user_id: acme.owner.id,
        action: 'member.removed',
        target_type: 'user',
        target_id: one.id,
        detail: { role: 'member', by_themselves: false },
        request_id: expect.any(String),
      },
      {
        ...organization,
        actor_user_id: two.id,
        action: 'member.removed',
        target_type: 'user',
        target_id: two.id,
        detail: { role: 'operator', by_themselves: true },
        request_id: expect.any(String),
      },
    ]);
  });

  it('acts as an admin only before a demotion that is sent at the same time', async () => {
    const acme = await tenant();
    const [admin, victim] = [await acme.admin(), await acme.viewer()];
    const [demoted, acted] = await Promise.all([
      change(acme.owner, acme, admin.id, 'viewer'),
      change(admin, acme, victim.id, 'operator'),
    ]);
    expect(demoted.status).toBe(200);
    const changes = (await organizationAudit(acme.organizationId)).filter(
      ({ action }) => action === 'member.role_changed',
    );
    const expected = acted.status === 200 ? [victim.id, admin.id] : [admin.id];
    expect(changes.map(({ target_id }) => target_id)).toEqual(expected);
    expect([200, 403]).toContain(acted.status);
  });
});

describe('the role of a member', () => {
  let acme: Tenant;
  const callers = new Map<AnyRole, Account>();
  const targets = new Map<AnyRole, Account>();
  /** The roles that each role may give, change and remove. Leaving is another matter. */
  const BELOW: Record<AnyRole, readonly AnyRole[]> = {
    owner: ['admin', 'operator', 'member', 'viewer'],
    admin: ['operator', 'member', 'viewer'],
    operator: [],
    member: [],
    viewer: [],
  };

  beforeAll(async () => {
    acme = await tenant();
    callers.set('owner', acme.owner);
    targets.set('owner', acme.owner);
    for (const role of GIVEN_ROLES) {
      callers.set(role, await acme[role]());
      targets.set(role, await acme[role]());
    }
  });

  /** The record that the list shows to the caller; undefined when the caller may not see the list. */
  async function flagsOf(caller: Account, userId: string): Promise<MemberRecord | undefined> {
    const answer = await list(caller, acme);
    return answer.status === 200
      ? (answer.body as MemberRecord[]).find((member) => member.user_id === userId)
      : undefined;
  }

  function refusalOf(caller: AnyRole, target: AnyRole, conflict: string): [number, string] {
    if (!['owner', 'admin'].includes(caller)) return [403, 'Admin role required'];
    return target === 'owner' ? [409, conflict] : [403, 'Owner role required'];
  }

  it.each(ROLES.flatMap((a) => ROLES.map((b) => [a, b] as const)).filter(([a, b]) => a !== 'owner' || b !== 'owner'))(
    'lets a caller with the role %s act on another member with the role %s as the list says',
    async (callerRole, targetRole) => {
      const [caller, target] = [callers.get(callerRole)!, targets.get(targetRole)!];
      // Another test may have removed them.
      if (callerRole !== 'owner') await storeMember(acme, caller.id, callerRole);
      if (targetRole !== 'owner') await storeMember(acme, target.id, targetRole);
      const isBelow = BELOW[callerRole].includes(targetRole);
      const flags = await flagsOf(caller, target.id);
      expect(flags === undefined).toBe(!['owner', 'admin'].includes(callerRole));
      if (flags !== undefined) expect(flags).toMatchObject({ can_change_role: isBelow, can_revoke: isBelow });

      for (const role of GIVEN_ROLES) {
        const answer = await change(caller, acme, target.id, role);
        const mayGive = isBelow && BELOW[callerRole].includes(role);
        const [status, detail] = refusalOf(callerRole, targetRole, 'Owner role cannot be changed');
        expect([role, answer.status]).toEqual([role, mayGive ? 200 : status]);
        if (mayGive) {
          expect(answer.body).toMatchObject({ user_id: target.id, role });
          expect(answer.body).toEqual(await flagsOf(caller, target.id));
        } else expect(answer.body).toEqual({ detail });
        if (mayGive) await storeMember(acme, target.id, targetRole);
      }

      const removed = await remove(caller, acme, target.id);
      const [status, detail] = refusalOf(callerRole, targetRole, 'Owner cannot be removed');
      expect([removed.status, removed.body]).toEqual(
        isBelow ? [200, { message: 'Member removed' }] : [status, { detail }],
      );
    },
  );

  it.each(ROLES)('lets a member with the role %s leave unless it is the owner, and never change it', async (role) => {
    const caller = callers.get(role)!;
    if (role !== 'owner') await storeMember(acme, caller.id, role);
    const flags = await flagsOf(caller, caller.id);
    if (flags !== undefined) {
      expect(flags).toMatchObject({ can_change_role: false, can_revoke: role !== 'owner' });
    }
    const [status, detail] = refusalOf(role, role, 'Owner role cannot be changed');
    for (const other of GIVEN_ROLES) await change(caller, acme, caller.id, other).expect(status, { detail });
    const left = await remove(caller, acme, caller.id);
    expect([left.status, left.body]).toEqual(
      role === 'owner'
        ? [409, { detail: 'Owner cannot be removed' }]
        : [200, { message: 'You have left the organization' }],
    );
  });
});
