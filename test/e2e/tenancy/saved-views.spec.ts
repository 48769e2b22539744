import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Actor, addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

interface View {
  id: string;
  name: string;
  filters: object;
  updated_at: string;
}

describe('saved views', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    owner = await ownerWithProject(app);
  });

  const path = (id = '', of: Owner = owner) => `/v1/projects/${of.projectId}/saved-views${id && `/${id}`}`;
  const list = async (actor: Actor = owner) =>
    (await app.request().get(path()).set('Authorization', actor.bearer).expect(200)).body as View[];
  const create = (body: object, actor: Actor = owner) =>
    app.request().post(path()).set('Authorization', actor.bearer).send(body);
  const change = (id: string, body: object, actor: Actor = owner) =>
    app.request().patch(path(id)).set('Authorization', actor.bearer).send(body);
  const remove = (id: string, actor: Actor = owner) =>
    app.request().delete(path(id)).set('Authorization', actor.bearer);

  it('keep what a member saves, for everybody of the project', async () => {
    const [member, viewer] = [await addMember(app, owner, 'member'), await addMember(app, owner, 'viewer')];
    const filters = { range: '7d', nested: { list: [1, 'zwei', null, true] }, ключ: '値' };
    const view = (await create({ name: 'Failed payments', filters }, member).expect(201)).body as View;
    expect(view).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      project_id: owner.projectId,
      name: 'Failed payments',
      filters,
      created_by: member.id,
      created_at: TIME,
      updated_at: TIME,
    });
    const second = (await create({ name: 'Everything' }).expect(201)).body as View;
    expect(second.filters).toEqual({});
    expect(await list(viewer)).toEqual([second, view]);
    await create({ name: 'x' }, viewer).expect(403, { detail: 'Insufficient project role' });
    await change(view.id, { name: 'x' }, viewer).expect(403, { detail: 'Insufficient project role' });
    await remove(view.id, viewer).expect(403, { detail: 'Insufficient project role' });
  });

  it('change in part, with filters replaced whole', async () => {
    const { id, updated_at } = (await create({ name: 'One', filters: { a: 1 } }).expect(201)).body as View;
    expect((await change(id, { name: 'Two' }).expect(200)).body).toMatchObject({ name: 'Two', filters: { a: 1 } });
    const changed = (await change(id, { filters: { b: 2 } }).expect(200)).body as View;
    expect(changed).toMatchObject({ id, name: 'Two', filters: { b: 2 } });
    expect(changed.updated_at > updated_at).toBe(true);
    expect((await change(id, {}).expect(200)).body).toEqual(changed);
    await remove(id).expect(204, {});
    expect(await list()).toEqual([]);
    await remove(id).expect(404, { detail: 'Saved view not found' });
    await change(id, { name: 'x' }).expect(404, { detail: 'Saved view not found' });
    await change(NOWHERE, { name: 'x' }).expect(404, { detail: 'Saved view not found' });
    await change('nope', { name: 'x' }).expect(422);
    expect(
      await app.rows(
        `SELECT action, detail->>'name' AS name FROM audit_events WHERE target_type = 'saved_view' AND target_id = $1
         ORDER BY created_at`,
        [id],
      ),
    ).toEqual([
      { action: 'saved_view.created', name: 'One' },
      { action: 'saved_view.updated', name: 'Two' },
      { action: 'saved_view.updated', name: 'Two' },
      { action: 'saved_view.deleted', name: 'Two' },
    ]);
  });

  it('have unique names in their project alone', async () => {
    await create({ name: 'Same' }).expect(201);
    const { id } = (await create({ name: 'Other' }).expect(201)).body as View;
    await create({ name: 'Same' }).expect(409, { detail: 'Saved view name already in use' });
    await change(id, { name: 'Same' }).expect(409, { detail: 'Saved view name already in use' });
    await change(id, { name: 'Other' }).expect(200);
    const other = await ownerWithProject(app);
    await app.request().post(path('', other)).set('Authorization', other.bearer).send({ name: 'Same' }).expect(201);
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'Raced' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('are limited in size and number', async () => {
    await create({ name: 'x', filters: { text: 'a'.repeat(9_980) } }).expect(201);
    const refused = await create({ name: 'y', filters: { text: 'a'.repeat(10_000) } }).expect(422);
    expect((refused.body as { detail: object[] }).detail).toMatchObject([
      { type: 'value_error', loc: ['body', 'filters'], msg: expect.stringContaining('10000 bytes') },
    ]);
    for (const body of [
      {},
      { name: '' },
      { name: 'a'.repeat(201) },
      { name: 'a', filters: [] },
      { name: 'a', filters: 'b' },
    ]) {
      await create(body).expect(422);
    }
    await app.rows(
      `INSERT INTO saved_views (id, project_id, name, filters)
       SELECT gen_random_uuid(), $1, 'view ' || n, '{}' FROM generate_series(1, 198) n`,
      [owner.projectId],
    );
    const answers = await Promise.all([1, 2, 3].map((n) => create({ name: `last ${n}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    await create({ name: 'more' }).expect(409, { detail: 'Project has too many saved views' });
  });

  it('of another project are not found, even by its id', async () => {
    const stranger = await ownerWithProject(app);
    const { id } = (await create({ name: 'Mine' }).expect(201)).body as View;
    await change(id, { name: 'x' }, stranger).expect(403, { detail: 'Not a project member' });
    for (const verb of ['patch', 'delete'] as const) {
      await app
        .request()
        [verb](path(id, stranger))
        .set('Authorization', stranger.bearer)
        .send({ name: 'Taken' })
        .expect(404, { detail: 'Saved view not found' });
    }
    expect(await list()).toMatchObject([{ id, name: 'Mine' }]);
  });

  it('stay when their author leaves', async () => {
    const member = await addMember(app, owner, 'member');
    const { id } = (await create({ name: 'Mine' }, member).expect(201)).body as View;
    await app
      .request()
      .delete(`/v1/projects/${owner.projectId}/members/${member.id}`)
      .set('Authorization', owner.bearer)
      .expect(204);
    expect(await list()).toMatchObject([{ id, created_by: member.id }]);
    await app.rows('DELETE FROM users WHERE id = $1', [member.id]);
    expect(await list()).toMatchObject([{ id, created_by: null }]);
  });
});
