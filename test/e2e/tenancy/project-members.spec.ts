import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, api, outsider, type Tenant, tenant } from '../../support/service.js';
import { deleteUser } from '../../support/sql-builders/accounts.js';
import {
  deleteOrganizationMembership,
  deleteProjectMembership,
  storeProjectRole,
} from '../../support/sql-builders/tenancy.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const GIVEN = ['viewer', 'member', 'operator', 'admin'] as const;
const ROLES = [...GIVEN, 'owner'] as const;
type AnyRole = (typeof ROLES)[number];
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
/** The display name of an account that has no name. */
const MASKED = 'u***@example.com';
const FOLLOWS = 'Owners and admins of the organization keep that role in every project';

interface Membership {
  project_id: string;
  user_id: string;
  display_name: string;
  role: string;
  created_at: string;
}

interface AuditEntry {
  action: string;
  actor_user_id: string;
  target_type: string;
  target_id: string;
  detail: object;
}

describe('a project member', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const path = (rest = '') => `/v1/projects/${acme.projectId}/members${rest}`;
  const list = async (account: Account = acme.owner) =>
    (await api.as(account).get(path()).expect(200)).body as Membership[];
  const own = (account: Account) => api.as(account).get(path('/me'));
  const add = (body: object, account: Account = acme.owner) => api.as(account).post(path(), body);
  const change = (userId: string, role: unknown, account: Account = acme.owner) =>
    api.as(account).patch(path(`/${userId}`), { role });
  const remove = (userId: string, account: Account = acme.owner) => api.as(account).delete(path(`/${userId}`));

  /** What the audit log of the project says about its members, the oldest entry first. */
  async function auditLog(): Promise<AuditEntry[]> {
    const { body } = await api.as(acme.owner).get(`/v1/projects/${acme.projectId}/activity`).expect(200);
    return (body as { items: AuditEntry[] }).items
      .filter(({ action }) => action.startsWith('project.member'))
      .reverse()
      .map(({ action, actor_user_id, target_type, target_id, detail }) => ({
        action,
        actor_user_id,
        target_type,
        target_id,
        detail,
      }));
  }

  it('is listed with the effective role, newest first, and can read its own membership', async () => {
    const viewer = await acme.viewer();
    expect(await list(viewer)).toEqual([
      { project_id: acme.projectId, user_id: viewer.id, display_name: MASKED, role: 'viewer', created_at: TIME },
      { project_id: acme.projectId, user_id: acme.owner.id, display_name: MASKED, role: 'owner', created_at: TIME },
    ]);
    expect((await own(viewer).expect(200)).body).toEqual((await list())[0]);
    expect((await own(acme.owner).expect(200)).body).toMatchObject({ user_id: acme.owner.id, role: 'owner' });
    await own(await outsider()).expect(403, { detail: 'Not a project member' });
  });

  it('is shown to every member by the name of the account, and by the masked address without a name', async () => {
    const viewer = await acme.viewer();
    const names = async () => new Map((await list(viewer)).map(({ user_id, display_name }) => [user_id, display_name]));
    expect(await names()).toEqual(
      new Map([
        [viewer.id, MASKED],
        [acme.owner.id, MASKED],
      ]),
    );
    await api.as(acme.owner).patch('/v1/account', { name: 'Ada Lovelace' }).expect(200);
    expect((await names()).get(acme.owner.id)).toBe('Ada Lovelace');
    expect((await own(acme.owner).expect(200)).body).toMatchObject({ display_name: 'Ada Lovelace' });
    expect((await change(viewer.id, 'member').expect(200)).body).toMatchObject({ display_name: MASKED });
  });

  it('has the role of an owner or admin of the organization, whatever row the project has', async () => {
    const admin = await acme.admin();
    await deleteProjectMembership(acme.projectId, admin.id);
    expect((await list()).map((member) => [member.user_id, member.role])).toContainEqual([admin.id, 'admin']);
    expect((await own(admin).expect(200)).body).toMatchObject({ role: 'admin' });
    await add({ user_id: admin.id }).expect(409, { detail: 'User is already a project member' });
    await storeProjectRole(acme.projectId, acme.owner.id, 'viewer');
    expect((await own(acme.owner).expect(200)).body).toMatchObject({ role: 'owner' });
  });

  it('is no longer listed after leaving the organization, even if its row in the project is left', async () => {
    const member = await acme.member();
    await deleteOrganizationMembership(acme.organizationId, member.id);
    expect((await list()).map(({ user_id }) => user_id)).toEqual([acme.owner.id]);
    await change(member.id, 'viewer').expect(404, { detail: 'Project member not found' });
    await add({ user_id: member.id }).expect(409, { detail: 'User is not an organization member' });
  });

  it('is added from the organization only, with the role member by default, and each addition is audited', async () => {
    const [one, two] = [await acme.viewer(), await acme.viewer()];
    await remove(one.id).expect(204);
    await remove(two.id).expect(204);
    await own(one).expect(403, { detail: 'Not a project member' });
    const added = await add({ user_id: one.id }).expect(201);
    expect(added.body).toEqual({
      project_id: acme.projectId,
      user_id: one.id,
      display_name: MASKED,
      role: 'member',
      created_at: TIME,
    });
    expect((await own(one).expect(200)).body).toEqual(added.body);
    expect((await add({ user_id: two.id.toUpperCase(), role: 'admin' }).expect(201)).body).toMatchObject({
      user_id: two.id,
      role: 'admin',
    });
    await add({ user_id: one.id }).expect(409, { detail: 'User is already a project member' });
    const stranger = await outsider();
    for (const user_id of [stranger.id, NOWHERE]) {
      await add({ user_id }).expect(409, { detail: 'User is not an organization member' });
    }
    for (const body of [{}, { user_id: 'nope' }, { user_id: one.id, role: 'owner' }, { user_id: one.id, role: 5 }]) {
      await add(body).expect(422);
    }
    expect(await auditLog()).toEqual([
      expect.objectContaining({ action: 'project.member_removed', target_id: one.id, detail: { role: 'viewer' } }),
      expect.objectContaining({ action: 'project.member_removed', target_id: two.id }),
      {
        action: 'project.member_added',
        actor_user_id: acme.owner.id,
        target_type: 'project_member',
        target_id: one.id,
        detail: { role: 'member' },
      },
      expect.objectContaining({ action: 'project.member_added', target_id: two.id, detail: { role: 'admin' } }),
    ]);
  });

  it('has a changed role from the next request on, and only real changes are audited', async () => {
    const viewer = await acme.viewer();
    await add({ user_id: NOWHERE }, viewer).expect(403, { detail: 'Insufficient project role' });
    expect((await change(viewer.id, 'admin').expect(200)).body).toMatchObject({ user_id: viewer.id, role: 'admin' });
    await add({ user_id: NOWHERE }, viewer).expect(409);
    await change(viewer.id, 'admin').expect(200);
    expect(await auditLog()).toEqual([
      expect.objectContaining({
        action: 'project.member_role_changed',
        target_id: viewer.id,
        detail: { from: 'viewer', to: 'admin' },
      }),
    ]);
    await change(NOWHERE, 'admin').expect(404, { detail: 'Project member not found' });
    await remove(NOWHERE).expect(404, { detail: 'Project member not found' });
    await change('nope', 'admin').expect(422);
    await change(viewer.id, 'owner').expect(422);
    await change(viewer.id, undefined).expect(422);
  });

  it('is changed or removed by admins only, and not if the organization fixes its role, for every pair', async () => {
    const callers = new Map<AnyRole, Account>([['owner', acme.owner]]);
    const targets = new Map<AnyRole, Account>([['owner', acme.owner]]);
    for (const role of GIVEN) {
      callers.set(role, await acme[role]());
      targets.set(role, await acme[role]());
    }
    for (const [callerRole, caller] of callers) {
      const mayAct = callerRole === 'admin' || callerRole === 'owner';
      for (const [targetRole, target] of targets) {
        const isFixed = targetRole === 'admin' || targetRole === 'owner';
        for (const newRole of [...GIVEN, null]) {
          await storeProjectRole(acme.projectId, target.id, targetRole);
          const { status, body } = await (newRole === null
            ? remove(target.id, caller)
            : change(target.id, newRole, caller));
          const where = [callerRole, targetRole, newRole];
          if (!mayAct) expect([where, status, body]).toEqual([where, 403, { detail: 'Insufficient project role' }]);
          else if (isFixed && newRole !== targetRole)
            expect([where, status, body]).toEqual([where, 409, { detail: FOLLOWS }]);
          else if (newRole === null) expect([where, status]).toEqual([where, 204]);
          else expect([where, status, body]).toEqual([where, 200, expect.objectContaining({ role: newRole })]);
          const left = (await list()).find(({ user_id }) => user_id === target.id)?.role;
          const expected = status === 200 ? newRole : status === 204 ? undefined : targetRole;
          expect([where, left]).toEqual([where, expected]);
        }
        await storeProjectRole(acme.projectId, target.id, targetRole);
      }
    }
    expect(ROLES).toHaveLength(callers.size);
  });

  it('can act as an admin of the project without being an admin of the organization, even on itself', async () => {
    const [boss, other] = [await acme.viewer(), await acme.viewer()];
    await change(boss.id, 'admin').expect(200);
    await change(other.id, 'admin', boss).expect(200);
    await change(other.id, 'viewer', boss).expect(200);
    await change(acme.owner.id, 'viewer', boss).expect(409, { detail: FOLLOWS });
    await remove(acme.owner.id, boss).expect(409, { detail: FOLLOWS });
    await change(boss.id, 'viewer', boss).expect(200);
    await change(boss.id, 'admin', boss).expect(403, { detail: 'Insufficient project role' });
  });

  it('is added once by parallel requests', async () => {
    const member = await acme.member();
    await remove(member.id).expect(204);
    const answers = await Promise.all(
      GIVEN.flatMap((role) => [role, role]).map((role) => add({ user_id: member.id, role })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    const won = answers.find(({ status }) => status === 201)?.body as Membership;
    expect((await list()).filter(({ user_id }) => user_id === member.id)).toEqual([won]);
    expect((await auditLog()).filter(({ action }) => action === 'project.member_added')).toHaveLength(1);
  });

  it('is gone after parallel changes and removals, and the audit log ends with the removal', async () => {
    const member = await acme.member();
    const answers = await Promise.all([
      change(member.id, 'admin'),
      remove(member.id),
      change(member.id, 'viewer'),
      remove(member.id),
    ]);
    for (const { status } of answers) expect([200, 204, 404]).toContain(status);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect((await list()).map(({ user_id }) => user_id)).toEqual([acme.owner.id]);
    const recorded = await auditLog();
    expect(recorded.at(-1)?.action).toBe('project.member_removed');
    expect(recorded).toHaveLength(answers.filter(({ status }) => status !== 404).length);
  });

  it('is hidden from people of another organization', async () => {
    const { owner: stranger } = await tenant();
    for (const answer of [
      api.as(stranger).get(path()),
      add({ user_id: stranger.id }, stranger),
      change(acme.owner.id, 'viewer', stranger),
      remove(acme.owner.id, stranger),
    ]) {
      await answer.expect(403, { detail: 'Not a project member' });
    }
    await remove(acme.owner.id).expect(409, { detail: FOLLOWS });
  });
});

describe('the selected project', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const select = (account: Account, projectId: unknown) =>
    api.as(account).post('/v1/projects/select', { project_id: projectId });
  const selected = async (account: Account) =>
    ((await api.as(account).get('/v1/auth/me').expect(200)).body as { selected_project_id: string | null })
      .selected_project_id;

  it('is stored with the account and returned as the project', async () => {
    const viewer = await acme.viewer();
    const project = await api.as(acme.owner).get(`/v1/projects/${acme.projectId}`).expect(200);
    expect(await selected(viewer)).toBeNull();
    expect((await select(viewer, acme.projectId).expect(200)).body).toEqual(project.body);
    expect(await selected(viewer)).toBe(acme.projectId);
    expect(await selected(acme.owner)).toBeNull();
    await select(viewer, NOWHERE).expect(404, { detail: 'Project not found' });
    await select(viewer, 'nope').expect(422);
    await select(viewer, undefined).expect(422);
    await select(await outsider(), acme.projectId).expect(403, { detail: 'Not a project member' });
    expect(await selected(viewer)).toBe(acme.projectId);
  });

  it('is cleared when the membership ends, by a request or by the deletion of its row', async () => {
    const [removed, gone] = [await acme.viewer(), await acme.member()];
    for (const account of [removed, gone, acme.owner]) await select(account, acme.projectId).expect(200);
    await api.as(acme.owner).delete(`/v1/projects/${acme.projectId}/members/${removed.id}`).expect(204);
    expect(await selected(removed)).toBeNull();
    await deleteProjectMembership(acme.projectId, gone.id);
    expect(await selected(gone)).toBeNull();
    const deleted = await acme.member();
    await select(deleted, acme.projectId).expect(200);
    await deleteUser(deleted.id);
    expect(await selected(acme.owner)).toBe(acme.projectId);
  });

  it('is cleared when selections and the removal of the member happen at the same time', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const viewer = await acme.viewer();
      const [removal, ...selections] = await Promise.all([
        api.as(acme.owner).delete(`/v1/projects/${acme.projectId}/members/${viewer.id}`),
        ...Array.from({ length: 4 }, () => select(viewer, acme.projectId)),
      ]);
      expect(removal.status).toBe(204);
      for (const { status } of selections) expect([200, 403]).toContain(status);
      expect(await selected(viewer)).toBeNull();
    }
  });

  it('can be a project in which the owner of the organization has no row', async () => {
    await deleteProjectMembership(acme.projectId, acme.owner.id);
    await select(acme.owner, acme.projectId).expect(200);
    expect(await selected(acme.owner)).toBe(acme.projectId);
  });
});
