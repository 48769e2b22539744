import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, api, type Tenant, tenant } from '../../support/service.js';
import { deleteUser } from '../../support/sql-builders/accounts.js';
import { auditEntries, savedViews } from '../../support/sql-builders/tenancy.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

const PANEL = { id: 'orders', title: 'Orders', question: { kind: 'analysis' }, layout: { x: 0, y: 0, w: 6, h: 4 } };
const KINDS = ['view', 'analysis', 'query', 'performance', 'dashboard'] as const;

/** Filters that no dashboard can have, with the place and the sentence of the fault. */
const FAULTY_DASHBOARDS: readonly (readonly [
  title: string,
  filters: object | undefined,
  place: readonly (string | number)[],
  msg: string,
])[] = [
  ['no filters', undefined, ['panels'], 'Field required'],
  ['panels that are no list', { panels: {} }, ['panels'], 'Input should be a valid list'],
  [
    '31 panels',
    { panels: Array.from({ length: 31 }, (_, n) => ({ ...PANEL, id: `${n}` })) },
    ['panels'],
    'List should have at most 30 items after validation, not 31',
  ],
  [
    'a panel that is a text',
    { panels: [PANEL, 'x'] },
    ['panels', 1],
    'Input should be a valid dictionary or object to extract fields from',
  ],
  ['a panel without an id', { panels: [{ ...PANEL, id: undefined }] }, ['panels', 0, 'id'], 'Field required'],
  [
    'an empty title',
    { panels: [{ ...PANEL, title: '' }] },
    ['panels', 0, 'title'],
    'String should have at least 1 character',
  ],
  [
    'a question that is a text',
    { panels: [{ ...PANEL, question: 'why' }] },
    ['panels', 0, 'question'],
    'Input should be a valid dictionary',
  ],
  [
    'a layout that is a list',
    { panels: [PANEL, { ...PANEL, id: 'b', layout: [] }] },
    ['panels', 1, 'layout'],
    'Input should be a valid dictionary',
  ],
  [
    'two panels with one id',
    { panels: [PANEL, { ...PANEL, id: 'b' }, PANEL] },
    ['panels', 2, 'id'],
    'Value error, panels must have different ids',
  ],
  [
    'variables that are a text',
    { panels: [], variables: 'x' },
    ['variables'],
    'Value error, variables must be an object or a list',
  ],
  [
    'a range that is a number',
    { panels: [], range: 24 },
    ['range'],
    'Value error, range must be an object, or a text of at most 100 characters',
  ],
];

interface View {
  id: string;
  name: string;
  kind: string;
  filters: object;
  updated_at: string;
}

describe('a saved view', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const path = (id = '', { projectId }: Tenant = acme) => `/v1/projects/${projectId}/saved-views${id && `/${id}`}`;
  const list = async (account: Account = acme.owner, kind?: string) =>
    (await api.as(account).get(path()).query({ kind }).expect(200)).body as View[];
  const create = (body: object, account: Account = acme.owner) => api.as(account).post(path(), body);
  const created = async (body: object, account?: Account) => (await create(body, account).expect(201)).body as View;
  const change = (id: string, body: object, account: Account = acme.owner) => api.as(account).patch(path(id), body);
  const remove = (id: string, account: Account = acme.owner) => api.as(account).delete(path(id));
  const dashboard = (filters?: object) => create({ name: 'Checkout health', kind: 'dashboard', filters });
  const faults = ({ status, body }: { status: number; body: unknown }) =>
    status === 422 &&
    (body as { detail: { type: string; loc: unknown[]; msg: string }[] }).detail.map(({ type, loc, msg }) => [
      loc,
      type,
      msg,
    ]);

  it('is shown to every member of the project, and only members who may write can save one', async () => {
    const [member, viewer] = [await acme.member(), await acme.viewer()];
    const filters = { range: '7d', nested: { list: [1, 'zwei', null, true] }, ключ: '値' };
    const view = await created({ name: 'Failed payments', filters }, member);
    expect(view).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      project_id: acme.projectId,
      name: 'Failed payments',
      kind: 'view',
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

  it('is listed by its kind, which is `view` unless another one is given', async () => {
    const views = await Promise.all(
      KINDS.map((kind) => created({ name: kind, kind, ...(kind === 'dashboard' && { filters: { panels: [] } }) })),
    );
    expect(views.map(({ kind }) => kind)).toEqual(KINDS);
    expect(await list()).toHaveLength(KINDS.length);
    const viewer = await acme.viewer();
    for (const view of views) expect(await list(viewer, view.kind)).toEqual([view]);
    await savedViews(acme.projectId, 1);
    expect((await list(viewer, 'view')).map(({ kind }) => kind)).toEqual(['view', 'view']);
    await create({ name: 'x', kind: 'table' }).expect(422);
    await api.as(viewer).get(path()).query({ kind: 'table' }).expect(422);
  });

  it('keeps its kind: a change may repeat the kind, and is refused with 422 for another one', async () => {
    const view = await created({ name: 'Slow queries', kind: 'query', filters: { query: 'any where true' } });
    expect((await change(view.id, { kind: 'query' }).expect(200)).body).toEqual(view);
    expect(faults(await change(view.id, { kind: 'view', name: 'x' }).expect(422))).toEqual([
      [['body', 'kind'], 'value_error', 'Value error, the kind of a saved view cannot be changed'],
    ]);
    expect(await list()).toEqual([view]);
  });

  it('has a later `updated_at` after each of several changes at once, so that a client can notice all of them', async () => {
    const view = await created({ name: 'Contended' });
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => change(view.id, { filters: { n } })));
    const changed = answers.map(({ body }) => body as View);
    expect(new Set([view, ...changed].map(({ updated_at }) => updated_at)).size).toBe(7);
    const last = changed.reduce((one, other) => (other.updated_at > one.updated_at ? other : one));
    expect(await list()).toEqual([last]);
  });

  it('changes for one of two people at once when both name the `updated_at` they know, and stays for the other', async () => {
    const { id, updated_at } = await created({ name: 'Contended' });
    const answers = await Promise.all([1, 2].map((n) => change(id, { filters: { n }, if_updated_at: updated_at })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [won, lost] = [200, 409].map((expected) => answers.find(({ status }) => status === expected)?.body as View);
    expect(lost).toEqual({ detail: 'Saved view has changed meanwhile' });
    expect(await list()).toEqual([won]);
    await change(id, { if_updated_at: updated_at }).expect(409);
    // Clients write the same moment in other ways.
    const moment = String(won?.updated_at).replace('Z', '999+00:00');
    await change(id, { name: 'Settled', if_updated_at: moment }).expect(200);
    await change(id, { if_updated_at: 'yesterday' }).expect(422);
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

  it('returns 409 when another view of its project has its name, also in a race', async () => {
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

  it('returns 422 when its filters take more than 64 KiB, or its name or filters are invalid', async () => {
    await created({ name: 'x', filters: { text: 'a'.repeat(65_525) } });
    expect(faults(await create({ name: 'y', filters: { text: 'a'.repeat(65_526) } }).expect(422))).toEqual([
      [['body', 'filters'], 'value_error', 'Value error, filters must not take more than 65536 bytes as JSON'],
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
  });

  it('returns 409 when its project has 200 others, also in a race', async () => {
    await savedViews(acme.projectId, 199);
    const answers = await Promise.all([1, 2, 3].map((n) => create({ name: `last ${n}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    await create({ name: 'more' }).expect(409, { detail: 'Project has too many saved views' });
  });

  it('is refused with 409 when the filters of the project would take more than 4 MiB to read', async () => {
    // The database writes each of these numbers with 301 digits.
    const filters = { numbers: Array<number>(9_000).fill(1e300) };
    const large = await created({ name: 'Large', filters });
    const small = await created({ name: 'Small' });
    const refusal = { detail: 'Saved views of the project are too large' };
    await create({ name: 'Larger', filters }).expect(409, refusal);
    await change(small.id, { filters }).expect(409, refusal);
    expect(await list()).toEqual([small, large]);
    await change(large.id, { filters: {} }).expect(200);
    await change(small.id, { filters }).expect(200);
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

  it('keeps a dashboard as it was sent, with up to 30 panels', async () => {
    const filters = {
      panels: Array.from({ length: 30 }, (_, n) => ({ ...PANEL, id: `panel-${n}`, height: 3 })),
      variables: [{ field: 'environment', values: ['production'] }],
      range: '24h',
      refresh: 30,
    };
    const view = (await dashboard(filters).expect(201)).body as View;
    expect(view).toMatchObject({ kind: 'dashboard', filters });
    expect(await list(acme.owner, 'dashboard')).toEqual([view]);
    const changed = { panels: [], variables: { environment: 'production' }, range: { from_ts: '2026-03-01T00:00Z' } };
    expect((await change(view.id, { filters: changed }).expect(200)).body).toMatchObject({ filters: changed });
    expect((await change(view.id, { name: 'Renamed' }).expect(200)).body).toMatchObject({ filters: changed });
  });

  it('is refused with 422 as a faulty dashboard, at the place of the fault, and a dashboard stays as it is', async () => {
    const view = (await dashboard({ panels: [PANEL] }).expect(201)).body as View;
    for (const [title, filters, place, msg] of FAULTY_DASHBOARDS) {
      const expected = [title, [[['body', 'filters', ...place], expect.any(String), msg]]];
      expect([title, faults(await create({ name: title, kind: 'dashboard', filters }))]).toEqual(expected);
      expect([title, faults(await change(view.id, { filters: filters ?? {} }))]).toEqual(expected);
    }
    expect(await list()).toEqual([view]);
  });
});
