import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Actor, addMember, type Owner, ownerWithProject, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const ROLES = ['viewer', 'member', 'operator', 'admin', 'owner'] as const;
const GIVEN = ['viewer', 'member', 'operator', 'admin'] as const;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const FOLLOWS = 'Owners and admins of the organization keep that role in every project';

interface Record {
  project_id: string;
  user_id: string;
  role: string;
  created_at: string;
}

describe('project members', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    owner = await ownerWithProject(app);
  });

  const path = (rest = '') => `/v1/projects/${owner.projectId}/members${rest}`;
  const list = async (actor: Actor = owner) =>
    (await app.request().get(path()).set('Authorization', actor.bearer).expect(200)).body as Record[];
  const own = (actor: Actor) => app.request().get(path('/me')).set('Authorization', actor.bearer);
  const add = (body: object, actor: Actor = owner) =>
    app.request().post(path()).set('Authorization', actor.bearer).send(body);
  const change = (userId: string, role: unknown, actor: Actor = owner) =>
    app
      .request()
      .patch(path(`/${userId}`))
      .set('Authorization', actor.bearer)
      .send({ role });
  const remove = (userId: string, actor: Actor = owner) =>
    app
      .request()
      .delete(path(`/${userId}`))
      .set('Authorization', actor.bearer);
  const acts = () =>
    app.rows<{ action: string; actor_user_id: string; target_type: string; target_id: string; detail: object }>(
      `SELECT action, actor_user_id, target_type, target_id, detail FROM audit_events
       WHERE project_id = $1 AND action LIKE 'project.member%' ORDER BY created_at`,
      [owner.projectId],
    );

  it('lists effective members newest first, and tells each about themselves', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    expect(await list(viewer)).toEqual([
      { project_id: owner.projectId, user_id: viewer.id, role: 'viewer', created_at: TIME },
      { project_id: owner.projectId, user_id: owner.id, role: 'owner', created_at: TIME },
    ]);
    expect((await own(viewer).expect(200)).body).toEqual((await list())[0]);
    expect((await own(owner).expect(200)).body).toMatchObject({ user_id: owner.id, role: 'owner' });
    await own(await signedIn(app)).expect(403, { detail: 'Not a project member' });
  });

  it('counts admins of the organization in whether or not they have a row of their own', async () => {
    const admin = await addMember(app, owner, 'admin');
    await app.rows('DELETE FROM project_members WHERE user_id = $1', [admin.id]);
    expect((await list()).map((member) => [member.user_id, member.role])).toContainEqual([admin.id, 'admin']);
    expect((await own(admin).expect(200)).body).toMatchObject({ role: 'admin' });
    await add({ user_id: admin.id }).expect(409, { detail: 'User is already a project member' });
    await app.rows(`UPDATE project_members SET role = 'viewer' WHERE user_id = $1`, [owner.id]);
    expect((await own(owner).expect(200)).body).toMatchObject({ role: 'owner' });
  });

  it('counts nobody in who left the organization, whatever rows there are', async () => {
    const member = await addMember(app, owner, 'member');
    await app.rows('DELETE FROM organization_members WHERE user_id = $1', [member.id]);
    expect((await list()).map(({ user_id }) => user_id)).toEqual([owner.id]);
    await change(member.id, 'viewer').expect(404, { detail: 'Project member not found' });
    await add({ user_id: member.id }).expect(409, { detail: 'User is not an organization member' });
  });

  it('adds people of the organization alone, as member unless said otherwise', async () => {
    const [one, two] = [await addMember(app, owner, 'viewer'), await addMember(app, owner, 'viewer')];
    await remove(one.id).expect(204);
    await remove(two.id).expect(204);
    await own(one).expect(403, { detail: 'Not a project member' });
    const added = await add({ user_id: one.id }).expect(201);
    expect(added.body).toEqual({
      project_id: owner.projectId,
      user_id: one.id,
      role: 'member',
      created_at: TIME,
    });
    expect((await own(one).expect(200)).body).toEqual(added.body);
    expect((await add({ user_id: two.id.toUpperCase(), role: 'admin' }).expect(201)).body).toMatchObject({
      user_id: two.id,
      role: 'admin',
    });
    await add({ user_id: one.id }).expect(409, { detail: 'User is already a project member' });
    const stranger = await signedIn(app);
    for (const user_id of [stranger.id, NOWHERE]) {
      await add({ user_id }).expect(409, { detail: 'User is not an organization member' });
    }
    for (const body of [{}, { user_id: 'nope' }, { user_id: one.id, role: 'owner' }, { user_id: one.id, role: 5 }]) {
      await add(body).expect(422);
    }
    expect(await acts()).toEqual([
      expect.objectContaining({ action: 'project.member_removed', target_id: one.id, detail: { role: 'viewer' } }),
      expect.objectContaining({ action: 'project.member_removed', target_id: two.id }),
      {
        action: 'project.member_added',
        actor_user_id: owner.id,
        target_type: 'project_member',
        target_id: one.id,
        detail: { role: 'member' },
      },
      expect.objectContaining({ action: 'project.member_added', target_id: two.id, detail: { role: 'admin' } }),
    ]);
  });

  it('changes roles at the next request, and records only what changed', async () => {
    const actor = await addMember(app, owner, 'viewer');
    await add({ user_id: NOWHERE }, actor).expect(403, { detail: 'Insufficient project role' });
    expect((await change(actor.id, 'admin').expect(200)).body).toMatchObject({ user_id: actor.id, role: 'admin' });
    await add({ user_id: NOWHERE }, actor).expect(409);
    await change(actor.id, 'admin').expect(200);
    expect(await acts()).toEqual([
      expect.objectContaining({
        action: 'project.member_role_changed',
        target_id: actor.id,
        detail: { from: 'viewer', to: 'admin' },
      }),
    ]);
    await change(NOWHERE, 'admin').expect(404, { detail: 'Project member not found' });
    await remove(NOWHERE).expect(404, { detail: 'Project member not found' });
    await change('nope', 'admin').expect(422);
    await change(actor.id, 'owner').expect(422);
    await change(actor.id, undefined).expect(422);
  });

  it('refuses and admits for every pair of roles what the rules say', async () => {
    const callers = new Map<string, Actor>([['owner', owner]]);
    const targets = new Map<string, Actor>([['owner', owner]]);
    for (const role of GIVEN) {
      callers.set(role, await addMember(app, owner, role));
      targets.set(role, await addMember(app, owner, role));
    }
    const reset = (target: Actor, role: string) =>
      app.rows(
        `INSERT INTO project_members (project_id, user_id, role) VALUES ($1, $2, $3)
         ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
        [owner.projectId, target.id, role],
      );
    for (const [callerRole, caller] of callers) {
      const mayAct = callerRole === 'admin' || callerRole === 'owner';
      for (const [targetRole, target] of targets) {
        const isFixed = targetRole === 'admin' || targetRole === 'owner';
        for (const newRole of [...GIVEN, null]) {
          await reset(target, targetRole);
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
        await reset(target, targetRole);
      }
    }
    expect(ROLES).toHaveLength(callers.size);
  });

  it('lets admins of the project who are none of the organization act, even on themselves', async () => {
    const [boss, other] = [await addMember(app, owner, 'viewer'), await addMember(app, owner, 'viewer')];
    await change(boss.id, 'admin').expect(200);
    await change(other.id, 'admin', boss).expect(200);
    await change(other.id, 'viewer', boss).expect(200);
    await change(owner.id, 'viewer', boss).expect(409, { detail: FOLLOWS });
    await remove(owner.id, boss).expect(409, { detail: FOLLOWS });
    await change(boss.id, 'viewer', boss).expect(200);
    await change(boss.id, 'admin', boss).expect(403, { detail: 'Insufficient project role' });
  });

  it('makes one membership of parallel adds', async () => {
    const actor = await addMember(app, owner, 'member');
    await remove(actor.id).expect(204);
    const answers = await Promise.all(
      GIVEN.flatMap((role) => [role, role]).map((role) => add({ user_id: actor.id, role })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    const won = answers.find(({ status }) => status === 201)?.body as Record;
    expect((await list()).filter(({ user_id }) => user_id === actor.id)).toEqual([won]);
    expect((await acts()).filter(({ action }) => action === 'project.member_added')).toHaveLength(1);
  });

  it('ends parallel changes and removals of one member in a state that the record tells', async () => {
    const actor = await addMember(app, owner, 'member');
    const answers = await Promise.all([
      change(actor.id, 'admin'),
      remove(actor.id),
      change(actor.id, 'viewer'),
      remove(actor.id),
    ]);
    for (const { status } of answers) expect([200, 204, 404]).toContain(status);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect((await list()).map(({ user_id }) => user_id)).toEqual([owner.id]);
    const recorded = await acts();
    expect(recorded.at(-1)?.action).toBe('project.member_removed');
    expect(recorded).toHaveLength(answers.filter(({ status }) => status !== 404).length);
  });

  it('hides members from strangers and their organization', async () => {
    const stranger = await ownerWithProject(app);
    for (const answer of [
      app.request().get(path()).set('Authorization', stranger.bearer),
      add({ user_id: stranger.id }, stranger),
      change(owner.id, 'viewer', stranger),
      remove(owner.id, stranger),
    ]) {
      await answer.expect(403, { detail: 'Not a project member' });
    }
    await remove(owner.id, owner).expect(409, { detail: FOLLOWS });
  });
});

describe('the selected project', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const select = (actor: Actor, projectId: unknown) =>
    app.request().post('/v1/projects/select').set('Authorization', actor.bearer).send({ project_id: projectId });
  const selected = async (actor: Actor) =>
    (
      (await app.request().get('/v1/auth/me').set('Authorization', actor.bearer).expect(200)).body as {
        selected_project_id: string | null;
      }
    ).selected_project_id;

  it('is stored on the user and answered as the project', async () => {
    const owner = await ownerWithProject(app);
    const viewer = await addMember(app, owner, 'viewer');
    const project = await app
      .request()
      .get(`/v1/projects/${owner.projectId}`)
      .set('Authorization', owner.bearer)
      .expect(200);
    expect(await selected(viewer)).toBeNull();
    expect((await select(viewer, owner.projectId).expect(200)).body).toEqual(project.body);
    expect(await selected(viewer)).toBe(owner.projectId);
    expect(await selected(owner)).toBeNull();
    await select(viewer, NOWHERE).expect(404, { detail: 'Project not found' });
    await select(viewer, 'nope').expect(422);
    await select(viewer, undefined).expect(422);
    await select(await signedIn(app), owner.projectId).expect(403, { detail: 'Not a project member' });
    expect(await selected(viewer)).toBe(owner.projectId);
  });

  it('is cleared with the membership, whoever takes it away', async () => {
    const owner = await ownerWithProject(app);
    const [removed, gone] = [await addMember(app, owner, 'viewer'), await addMember(app, owner, 'member')];
    for (const actor of [removed, gone, owner]) await select(actor, owner.projectId).expect(200);
    await app
      .request()
      .delete(`/v1/projects/${owner.projectId}/members/${removed.id}`)
      .set('Authorization', owner.bearer)
      .expect(204);
    expect(await selected(removed)).toBeNull();
    await app.rows('DELETE FROM project_members WHERE user_id = $1', [gone.id]);
    expect(await selected(gone)).toBeNull();
    const deleted = await addMember(app, owner, 'member');
    await select(deleted, owner.projectId).expect(200);
    await app.rows('DELETE FROM users WHERE id = $1', [deleted.id]);
    expect(await selected(owner)).toBe(owner.projectId);
  });

  it('is never one that the user has left meanwhile', async () => {
    const owner = await ownerWithProject(app);
    for (let turn = 0; turn < 5; turn += 1) {
      const actor = await addMember(app, owner, 'viewer');
      const [removal, ...selections] = await Promise.all([
        app.request().delete(`/v1/projects/${owner.projectId}/members/${actor.id}`).set('Authorization', owner.bearer),
        ...Array.from({ length: 4 }, () => select(actor, owner.projectId)),
      ]);
      expect(removal.status).toBe(204);
      for (const { status } of selections) expect([200, 403]).toContain(status);
      expect(await selected(actor)).toBeNull();
    }
  });

  it('can be chosen by an admin of the organization without a row of their own', async () => {
    const owner = await ownerWithProject(app);
    await app.rows('DELETE FROM project_members WHERE user_id = $1', [owner.id]);
    await select(owner, owner.projectId).expect(200);
    expect(await selected(owner)).toBe(owner.projectId);
  });
});
