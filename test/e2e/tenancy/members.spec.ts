import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MembershipNotifier } from '../../../src/modules/tenancy/organizations/index.js';
import { type Actor, addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { outOfStep, withoutPlanLimits } from '../../support/memberships.js';

const ROLES = ['owner', 'admin', 'operator', 'member', 'viewer'] as const;
type Role = (typeof ROLES)[number];
const GIVEN_ROLES = ['admin', 'operator', 'member', 'viewer'] as const;
const NOBODY = '0199f3a1-0000-7000-8000-000000000000';
const RECORD_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

interface MemberRecord {
  user_id: string;
  role: Role;
  can_change_role: boolean;
  can_revoke: boolean;
}

describe('members of an organization', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const url = (owner: Owner, userId = '') =>
    `/v1/organizations/${owner.organizationId}/members${userId && `/${userId}`}`;
  const list = (actor: Actor, owner: Owner) => app.request().get(url(owner)).set('Authorization', actor.bearer);
  const patch = (actor: Actor, owner: Owner, userId: string, role: string) =>
    app.request().patch(url(owner, userId)).set('Authorization', actor.bearer).send({ role });
  const remove = (actor: Actor, owner: Owner, userId: string) =>
    app.request().delete(url(owner, userId)).set('Authorization', actor.bearer);
  const get = (actor: Actor, path: string) => app.request().get(path).set('Authorization', actor.bearer);

  /** Puts a person back into the organization with a role, whatever became of them. */
  async function restore(owner: Owner, userId: string, role: Role): Promise<void> {
    await app.rows(
      `INSERT INTO organization_members (organization_id, user_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role`,
      [owner.organizationId, userId, role],
    );
    await app.rows(
      `INSERT INTO project_members (project_id, user_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
      [owner.projectId, userId, role],
    );
  }

  it('lists members newest first with masked addresses and what the caller may do', async () => {
    const owner = await ownerWithProject(app);
    const viewer = await addMember(app, owner, 'viewer');
    await app.rows(`UPDATE users SET name = 'Ada' WHERE id = $1`, [viewer.id]);
    const answer = await list(owner, owner).expect(200);
    const masked = expect.stringMatching(/^u\*\*\*@example\.com$/) as unknown;
    const common = { organization_id: owner.organizationId, status: 'active', created_at: RECORD_TIME };
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
        user_id: owner.id,
        display_name: masked,
        identity: masked,
        role: 'owner',
        is_owner: true,
        can_change_role: false,
        can_revoke: false,
      },
    ]);
    for (const { email } of [owner, viewer]) expect(answer.text).not.toContain(email);
    await list(viewer, owner).expect(403, { detail: 'Admin role required' });
  });

  describe('what each role may do to each', () => {
    let owner: Owner;
    const callers = new Map<Role, Actor>();
    const targets = new Map<Role, Actor>();
    /** The whole truth: whom each role may change and remove, apart from leaving. */
    const BELOW: Record<Role, readonly Role[]> = {
      owner: ['admin', 'operator', 'member', 'viewer'],
      admin: ['operator', 'member', 'viewer'],
      operator: [],
      member: [],
      viewer: [],
    };

    beforeAll(async () => {
      owner = await ownerWithProject(app);
      callers.set('owner', owner);
      targets.set('owner', owner);
      for (const role of GIVEN_ROLES) {
        callers.set(role, await addMember(app, owner, role));
        targets.set(role, await addMember(app, owner, role));
      }
    });

    /** As the list shows them to the caller; undefined when the caller may not see the list. */
    async function flagsOf(caller: Actor, userId: string): Promise<MemberRecord | undefined> {
      const answer = await list(caller, owner);
      return answer.status === 200
        ? (answer.body as MemberRecord[]).find((member) => member.user_id === userId)
        : undefined;
    }

    function refusalOf(caller: Role, target: Role, conflict: string): [number, string] {
      if (!['owner', 'admin'].includes(caller)) return [403, 'Admin role required'];
      return target === 'owner' ? [409, conflict] : [403, 'Owner role required'];
    }

    it.each(ROLES.flatMap((a) => ROLES.map((b) => [a, b] as const)).filter(([a, b]) => a !== 'owner' || b !== 'owner'))(
      'lets a %s act on another %s as the record says',
      async (callerRole, targetRole) => {
        const [caller, target] = [callers.get(callerRole)!, targets.get(targetRole)!];
        const isBelow = BELOW[callerRole].includes(targetRole);
        const flags = await flagsOf(caller, target.id);
        expect(flags === undefined).toBe(!['owner', 'admin'].includes(callerRole));
        if (flags !== undefined) expect(flags).toMatchObject({ can_change_role: isBelow, can_revoke: isBelow });

        for (const role of GIVEN_ROLES) {
          const answer = await patch(caller, owner, target.id, role);
          const mayGive = isBelow && BELOW[callerRole].includes(role);
          const [status, detail] = refusalOf(callerRole, targetRole, 'Owner role cannot be changed');
          expect([role, answer.status]).toEqual([role, mayGive ? 200 : status]);
          if (mayGive) {
            expect(answer.body).toMatchObject({ user_id: target.id, role });
            expect(answer.body).toEqual(await flagsOf(caller, target.id));
          } else expect(answer.body).toEqual({ detail });
          if (mayGive) await restore(owner, target.id, targetRole);
        }

        const removed = await remove(caller, owner, target.id);
        const [status, detail] = refusalOf(callerRole, targetRole, 'Owner cannot be removed');
        expect([removed.status, removed.body]).toEqual(
          isBelow ? [200, { message: 'Member removed' }] : [status, { detail }],
        );
        if (isBelow) await restore(owner, target.id, targetRole);
      },
    );

    it.each(ROLES)('lets a %s leave unless they own it, and keeps their role from their own hands', async (role) => {
      const caller = callers.get(role)!;
      const flags = await flagsOf(caller, caller.id);
      if (flags !== undefined) {
        expect(flags).toMatchObject({ can_change_role: false, can_revoke: role !== 'owner' });
      }
      const [status, detail] = refusalOf(role, role, 'Owner role cannot be changed');
      for (const other of GIVEN_ROLES) await patch(caller, owner, caller.id, other).expect(status, { detail });
      const left = await remove(caller, owner, caller.id);
      expect([left.status, left.body]).toEqual(
        role === 'owner'
          ? [409, { detail: 'Owner cannot be removed' }]
          : [200, { message: 'You have left the organization' }],
      );
      if (role !== 'owner') await restore(owner, caller.id, role);
    });
  });

  it('follows a change of role in every project at the next request, over roles given in one project', async () => {
    const owner = await ownerWithProject(app);
    await withoutPlanLimits(app, owner.organizationId);
    const body = { organization_id: owner.organizationId, name: 'Second', slug: 'second' };
    await app.request().post('/v1/projects').set('Authorization', owner.bearer).send(body).expect(201);
    const person = await addMember(app, owner, 'viewer');
    await patch(owner, owner, person.id, 'operator').expect(200);
    expect(await outOfStep(app, owner.organizationId)).toEqual([]);

    const createKey = () =>
      app
        .request()
        .post('/v1/api-keys')
        .set('Authorization', person.bearer)
        .send({ project_id: owner.projectId, name: 'Mine' });
    await createKey().expect(403, { detail: 'Insufficient project role' });
    const roleInProject = 'UPDATE project_members SET role = $3 WHERE project_id = $1 AND user_id = $2';
    await app.rows(roleInProject, [owner.projectId, person.id, 'admin']);
    await createKey().expect(201);
    await patch(owner, owner, person.id, 'operator').expect(200);
    await createKey().expect(201);
    await patch(owner, owner, person.id, 'member').expect(200);
    await createKey().expect(403, { detail: 'Insufficient project role' });
    expect(await outOfStep(app, owner.organizationId)).toEqual([]);

    await patch(owner, owner, person.id, 'admin').expect(200);
    await createKey().expect(201);
    await list(person, owner).expect(200);
    await patch(owner, owner, person.id, 'viewer').expect(200);
    await list(person, owner).expect(403, { detail: 'Admin role required' });
    await createKey().expect(403, { detail: 'Insufficient project role' });
  });

  it('takes all access from a leaving member at once and tells open streams', async () => {
    const owner = await ownerWithProject(app);
    const admin = await addMember(app, owner, 'admin');
    const key = await app
      .request()
      .post('/v1/api-keys')
      .set('Authorization', admin.bearer)
      .send({ project_id: owner.projectId, name: 'Made by the admin' })
      .expect(201);
    await app.rows('UPDATE users SET selected_project_id = $1 WHERE id = $2', [owner.projectId, admin.id]);
    const told = new Promise((resolve) => {
      app.nest.get(MembershipNotifier).subscribe((change) => {
        if (change.userId === admin.id) resolve(change);
      });
    });
    await remove(owner, owner, admin.id).expect(200, { message: 'Member removed' });
    await get(admin, `/v1/projects/${owner.projectId}`).expect(403, { detail: 'Not a project member' });
    await get(admin, `/v1/organizations/${owner.organizationId}`).expect(403, { detail: 'Not an organization member' });
    await remove(admin, owner, admin.id).expect(403, { detail: 'Not an organization member' });
    await get(admin, `/v1/api-keys?project_id=${owner.projectId}`).expect(403);
    expect((await get(admin, '/v1/projects').expect(200)).body).toEqual([]);
    expect((await get(admin, '/v1/auth/me').expect(200)).body).toMatchObject({ selected_project_id: null });
    expect(await outOfStep(app, owner.organizationId)).toEqual([]);
    expect(await told).toEqual({ userId: admin.id, organizationId: owner.organizationId });
    await remove(owner, owner, admin.id).expect(404, { detail: 'Member not found' });
    // A key is the project's, not the person's: it works until somebody revokes it.
    await app
      .request()
      .get('/v1/api-keys/me')
      .set('X-API-Key', (key.body as { key: string }).key)
      .expect(200);
  });

  it('knows members of this organization alone, and checks roles before input and input before state', async () => {
    const [owner, other] = [await ownerWithProject(app), await ownerWithProject(app)];
    const viewer = await addMember(app, owner, 'viewer');
    for (const userId of [NOBODY, other.id]) {
      await patch(owner, owner, userId, 'viewer').expect(404, { detail: 'Member not found' });
      await remove(owner, owner, userId).expect(404, { detail: 'Member not found' });
    }
    await patch(viewer, owner, 'nope', 'king').expect(403, { detail: 'Admin role required' });
    await remove(other, owner, viewer.id).expect(403, { detail: 'Not an organization member' });
    const refused = await patch(owner, owner, 'nope', 'owner').expect(422);
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
    await remove(owner, owner, viewer.id.toUpperCase()).expect(200);
  });

  it('records what was done, in its transaction and with the request', async () => {
    const owner = await ownerWithProject(app);
    const [one, two] = [await addMember(app, owner, 'viewer'), await addMember(app, owner, 'operator')];
    await patch(owner, owner, one.id, 'member').set('X-Request-ID', 'the-promotion').expect(200);
    await patch(owner, owner, one.id, 'member').expect(200);
    await patch(one, owner, two.id, 'viewer').expect(403);
    await remove(owner, owner, one.id).expect(200);
    await remove(two, owner, two.id).expect(200);
    const organization = { organization_id: owner.organizationId, project_id: null };
    const rows = await app.rows<{ request_id: string }>(
      `SELECT actor_user_id, organization_id, project_id, action, target_type, target_id, detail, request_id
       FROM audit_events WHERE organization_id = $1 AND target_type IN ('organization', 'user') ORDER BY created_at, id`,
      [owner.organizationId],
    );
    expect(rows).toEqual([
      {
        ...organization,
        actor_user_id: owner.id,
        action: 'organization.created',
        target_type: 'organization',
        target_id: owner.organizationId,
        detail: { name: 'Acme', slug: expect.any(String) },
        request_id: expect.any(String),
      },
      {
        ...organization,
        actor_user_id: owner.id,
        action: 'member.role_changed',
        target_type: 'user',
        target_id: one.id,
        detail: { from: 'viewer', to: 'member' },
        request_id: 'the-promotion',
      },
      {
        ...organization,
        actor_user_id: owner.id,
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

  it('lets an admin who is demoted at the same time act only before that', async () => {
    const owner = await ownerWithProject(app);
    const [admin, victim] = [await addMember(app, owner, 'admin'), await addMember(app, owner, 'viewer')];
    const [demoted, acted] = await Promise.all([
      patch(owner, owner, admin.id, 'viewer'),
      patch(admin, owner, victim.id, 'operator'),
    ]);
    expect(demoted.status).toBe(200);
    const order = await app.rows<{ target_id: string }>(
      `SELECT target_id FROM audit_events WHERE organization_id = $1 AND action = 'member.role_changed' ORDER BY id`,
      [owner.organizationId],
    );
    const expected = acted.status === 200 ? [victim.id, admin.id] : [admin.id];
    expect(order.map((row) => row.target_id)).toEqual(expected);
    expect([200, 403]).toContain(acted.status);
  });
});
