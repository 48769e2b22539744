import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, api, type Tenant, tenant } from '../../support/service.js';
import { deleteUser } from '../../support/sql-builders/accounts.js';
import { auditEntries, savedViews } from '../../support/sql-builders/tenancy.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

interface View {
  id: string;
  name: string;
  filters: object;
  updated_at: string;
}

describe('a saved view', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const path = (id = '', { projectId }: Tenant = acme) => `/v1/projects/${projectId}/saved-views${id && `/${id}`}`;
  const list = async (account: Account = acme.owner) => (await api.as(account).get(path()).expect(200)).body as View[];
  const create = (body: object, account: Account = acme.owner) => api.as(account).post(path(), body);
  const created = async (body: object, account?: Account) => (await create(body, account).expect(201)).body as View;
  const change = (id: string, body: object, account: Account = acme.owner) => api.as(account).patch(path(id), body);
  const remove = (id: string, account: Account = acme.owner) => api.as(account).delete(path(id));

  it('is shown to every member of the project, and only members who may write can save one', async () => {
    const [member, viewer] = [await acme.member(), await acme.viewer()];
    const filters = { range: '7d', nested: { list: [1, 'zwei', null, true] }, ключ: '値' };
    const view = await created({ name: 'Failed payments', filters }, member);
    expect(view).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      project_id: acme.projectId,
      name: 'Failed payments',
      filters,
      created_by: member.id,
      created_at: TIME,
      updated_at: TIME,
    });
    const second = await created({ name: 'Everything' });
    expect(second.filters).toEqual({});
    expect(await list(viewer)).toEqual([second, view]);
    await create({ name: 'x' }, viewer).expect(403, { detail: 'Insufficient project role' });
    await change(view.id, { name: 'x' }, viewer).expect(403, { detail: 'Insufficient project role' });
    await remove(view.id, viewer).expect(403, { detail: 'Insufficient project role' });
  });

  it('keeps the members that a change leaves out, and replaces its filters as a whole', async () => {
    const { id, updated_at } = await created({ name: 'One', filters: { a: 1 } });
    expect((await change(id, { name: 'Two' }).expect(200)).body).toMatchObject({ name: 'Two', filters: { a: 1 } });
    const changed = (await change(id, { filters: { b: 2 } }).expect(200)).body as View;
    expect(changed).toMatchObject({ id, name: 'Two', filters: { b: 2 } });
    expect(changed.updated_at > updated_at).toBe(true);
    expect((await change(id, {}).expect(200)).body).toEqual(changed);
  });

  it('returns 404 once it is deleted, and writes each change to the audit log', async () => {
    const { id } = await created({ name: 'One' });
    await change(id, { name: 'Two' }).expect(200);
    await remove(id).expect(204, {});
    expect(await list()).toEqual([]);
    await remove(id).expect(404, { detail: 'Saved view not found' });
    await change(id, { name: 'x' }).expect(404, { detail: 'Saved view not found' });
    await change(NOWHERE, { name: 'x' }).expect(404, { detail: 'Saved view not found' });
    await change('nope', { name: 'x' }).expect(422);
    const entries = await auditEntries({ projectId: acme.projectId, targetId: id });
    expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
      ['saved_view.created', { name: 'One' }],
      ['saved_view.updated', { name: 'Two' }],
      ['saved_view.deleted', { name: 'Two' }],
    ]);
  });

  it('has a name that no other view of its project has', async () => {
    await created({ name: 'Same' });
    const { id } = await created({ name: 'Other' });
    await create({ name: 'Same' }).expect(409, { detail: 'Saved view name already in use' });
    await change(id, { name: 'Same' }).expect(409, { detail: 'Saved view name already in use' });
    await change(id, { name: 'Other' }).expect(200);
    const other = await tenant();
    await api.as(other.owner).post(path('', other), { name: 'Same' }).expect(201);
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'Raced' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('has filters of at most 10,000 bytes, and a project has at most 200 views', async () => {
    await created({ name: 'x', filters: { text: 'a'.repeat(9_980) } });
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
    await savedViews(acme.projectId, 198);
    const answers = await Promise.all([1, 2, 3].map((n) => create({ name: `last ${n}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    await create({ name: 'more' }).expect(409, { detail: 'Project has too many saved views' });
  });

  it('is not found in another project, even by its id', async () => {
    const stranger = await tenant();
    const { id } = await created({ name: 'Mine' });
    await change(id, { name: 'x' }, stranger.owner).expect(403, { detail: 'Not a project member' });
    const asStranger = api.as(stranger.owner);
    await asStranger.patch(path(id, stranger), { name: 'Taken' }).expect(404, { detail: 'Saved view not found' });
    await asStranger.delete(path(id, stranger)).expect(404, { detail: 'Saved view not found' });
    expect(await list()).toMatchObject([{ id, name: 'Mine' }]);
  });

  it('stays when its author leaves the project or deletes the account', async () => {
    const member = await acme.member();
    const { id } = await created({ name: 'Mine' }, member);
    await api.as(acme.owner).delete(`/v1/projects/${acme.projectId}/members/${member.id}`).expect(204);
    expect(await list()).toMatchObject([{ id, created_by: member.id }]);
    await deleteUser(member.id);
    expect(await list()).toMatchObject([{ id, created_by: null }]);
  });
});
