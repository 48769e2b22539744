import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { account, type Account, api, outsider, tenant } from '../../support/service.js';
import { deleteOrganizationMembership, projectMemberRows, setPlan } from '../../support/sql-builders/tenancy.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const BAD_SLUGS = [
  '',
  '-',
  '.',
  '..',
  '---',
  '.-.',
  'a b',
  'a/b',
  'a%20',
  'a+b',
  'a\n',
  'spaß',
  'ＡＢ',
  'a'.repeat(201),
];
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

const randomSlug = (): string => randomBytes(6).toString('hex');
const createOrganization = (caller: Account, body: object) => api.as(caller).post('/v1/organizations', body);
const createProject = (caller: Account, body: object) => api.as(caller).post('/v1/projects', body);

describe('an organization', () => {
  it('is owned by its creator, begins with the free plan, and is listed to its members only', async () => {
    const owner = await account();
    const slug = randomSlug();
    const created = await createOrganization(owner, { name: 'Acme', slug, plan: 'enterprise' }).expect(201);
    const record = created.body as { id: string };
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Acme',
      slug,
      owner_id: owner.id,
      created_at: TIME,
    });
    const path = `/v1/organizations/${record.id}`;
    expect((await api.as(owner).get('/v1/organizations').expect(200)).body).toEqual([record]);
    expect((await api.as(owner).get(path).expect(200)).body).toEqual(record);
    const stranger = await outsider();
    expect((await api.as(stranger).get('/v1/organizations').expect(200)).body).toEqual([]);
    await api.as(stranger).get(path).expect(403, { detail: 'Not an organization member' });
    await api.as(owner).get(`/v1/organizations/${NOWHERE}`).expect(404, { detail: 'Organization not found' });
    const billing = await api.as(owner).get('/v1/billing/status', { organization_id: record.id }).expect(200);
    expect(billing.body).toMatchObject({ plan: 'free', billing_status: 'active' });
  });

  it('has a slug that is well formed and that no other organization has, in whatever case', async () => {
    const [one, two] = [await account(), await account()];
    const slug = randomSlug();
    await createOrganization(one, { name: 'One', slug }).expect(201);
    for (const taken of [slug, slug.toUpperCase()]) {
      await createOrganization(two, { name: 'Two', slug: taken }).expect(409, { detail: 'Slug already in use' });
    }
    for (const bad of [...BAD_SLUGS, 5, null]) {
      await createOrganization(two, { name: 'Two', slug: bad }).expect(422);
    }
  });

  it('is created once when parallel requests write the same slug in different cases', async () => {
    const slug = `race-${randomSlug()}`;
    const forms = [slug, slug.toUpperCase(), `R${slug.slice(1)}`];
    const callers = await Promise.all(forms.map(async (form) => ({ form, caller: await account() })));
    const answers = await Promise.all(
      callers.map(({ form, caller }) => createOrganization(caller, { name: 'One', slug: form })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('is refused beyond the number that the plan allows, also by parallel requests', async () => {
    const owner = await account();
    const create = (name: string) => createOrganization(owner, { name, slug: randomSlug() });
    const answers = await Promise.all(Array.from({ length: 8 }, () => create('Acme')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403, 403, 403, 403, 403]);
    expect(answers.find(({ status }) => status === 403)?.body).toEqual({
      detail: 'Plan limit reached: organizations',
    });
    const { id } = answers.find(({ status }) => status === 201)?.body as { id: string };
    await setPlan(id, 'pro');
    await create('Second').expect(201);
    await create('Third').expect(201);
    await create('Fourth').expect(403);
  });
});

describe('a project', () => {
  it('has a slug of unreserved characters of URLs, kept as it was sent and unique in its organization', async () => {
    const acme = await tenant();
    await setPlan(acme.organizationId, 'enterprise');
    const body = { organization_id: acme.organizationId, name: 'P' };
    for (const slug of [
      'Upper',
      'a',
      '7',
      '_',
      '~',
      'under_score',
      '-a',
      '.well-known',
      'a.b~c-D_9',
      '..x',
      'B'.repeat(200),
    ]) {
      expect((await createProject(acme.owner, { ...body, slug }).expect(201)).body).toMatchObject({ slug });
    }
    for (const slug of ['UPPER', 'upper', 'A', 'b'.repeat(200), '.WELL-known']) {
      await createProject(acme.owner, { ...body, slug }).expect(409, { detail: 'Slug already in use' });
    }
    for (const slug of BAD_SLUGS) await createProject(acme.owner, { ...body, slug }).expect(422);
    // Another organization has slugs of its own.
    const globex = await tenant();
    await setPlan(globex.organizationId, 'enterprise');
    const other = { ...body, organization_id: globex.organizationId, slug: 'upper' };
    await createProject(globex.owner, other).expect(201);
  });

  it('is created by admins only, and has every member of the organization with the same role', async () => {
    const acme = await tenant();
    const project = (await api.as(acme.owner).get(`/v1/projects/${acme.projectId}`).expect(200)).body as {
      slug: string;
    };
    expect(project).toEqual({
      id: acme.projectId,
      organization_id: acme.organizationId,
      name: 'Web shop',
      slug: expect.any(String),
      owner_id: acme.owner.id,
      created_at: TIME,
    });
    const viewer = await acme.viewer();
    const create = (caller: Account, slug = randomSlug()) =>
      createProject(caller, { organization_id: acme.organizationId, name: 'Second', slug });
    await create(viewer).expect(403, { detail: 'Admin role required' });
    await create(await outsider()).expect(403, { detail: 'Not an organization member' });
    await create(acme.owner).expect(403, { detail: 'Plan limit reached: projects' });
    await setPlan(acme.organizationId, 'pro');
    await create(acme.owner, project.slug).expect(409, { detail: 'Slug already in use' });
    const second = (await create(acme.owner).expect(201)).body as { id: string };
    const listed = (await api.as(viewer).get('/v1/projects').expect(200)).body as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([second.id, acme.projectId]);
    expect((await projectMemberRows(second.id)).map(({ role }) => role).sort()).toEqual(['owner', 'viewer']);
  });

  it('is refused beyond the number that the plan allows, also by parallel requests', async () => {
    const owner = await account();
    const organization = (await createOrganization(owner, { name: 'Acme', slug: randomSlug() }).expect(201)).body as {
      id: string;
    };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        createProject(owner, { organization_id: organization.id, name: 'P', slug: randomSlug() }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await api.as(owner).get('/v1/projects').expect(200)).body).toHaveLength(1);
  });

  it('is shown to members of its organization only', async () => {
    const [acme, globex] = [await tenant(), await tenant()];
    const path = `/v1/projects/${acme.projectId}`;
    await api.as(globex.owner).get(path).expect(403, { detail: 'Not a project member' });
    await api.as(acme.owner).get(`/v1/projects/${NOWHERE}`).expect(404, { detail: 'Project not found' });
    const malformed = await api.as(acme.owner).get('/v1/projects/nope').expect(422);
    expect((malformed.body as { detail: object[] }).detail).toMatchObject([
      { type: 'uuid_parsing', loc: ['path', 'project_id'] },
    ]);
    const member = await acme.member();
    await api.as(member).get(path).expect(200);
    await deleteOrganizationMembership(acme.organizationId, member.id);
    await api.as(member).get(path).expect(403, { detail: 'Not a project member' });
    expect((await api.as(member).get('/v1/projects').expect(200)).body).toEqual([]);
  });

  it('is named by its id in every form of a UUID, and by the last one where the id is repeated', async () => {
    const [acme, globex] = [await tenant(), await tenant()];
    const id = acme.projectId;
    for (const form of [id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`, id.toUpperCase()]) {
      await api
        .as(acme.owner)
        .get(`/v1/projects/${encodeURIComponent(form)}`)
        .expect(200);
      const logs = `/v1/logs?project_id=${encodeURIComponent(form)}`;
      await api.as(acme.owner).get(logs).expect(200);
      await api.as(globex.owner).get(logs).expect(403);
    }
    await api.as(acme.owner).get(`/v1/logs?project_id=${globex.projectId}&project_id=${id}`).expect(200);
    await api.as(acme.owner).get(`/v1/logs?project_id=${id}&project_id=${globex.projectId}`).expect(403);
    const body = { organization_id: acme.organizationId.replaceAll('-', ''), name: 'Second', slug: randomSlug() };
    await createProject(acme.owner, body).expect(403, { detail: 'Plan limit reached: projects' });
    const keyId = acme.key.id.replaceAll('-', '');
    await api.as(acme.owner).post(`/v1/api-keys/${keyId}/revoke`, {}).expect(200);
  });

  it('is created after checks of the credentials, the membership, the input and the state, in this order', async () => {
    const acme = await tenant();
    const organization_id = acme.organizationId;
    await api.post('/v1/projects', '{').expect(401);
    await createProject(await outsider(), { organization_id, slug: 'B A D' }).expect(403);
    await createProject(acme.owner, { organization_id, slug: 'B A D' }).expect(422);
    await createProject(acme.owner, { slug: 'ok', name: 'ok' }).expect(422);
    await createProject(acme.owner, { organization_id, slug: 'ok', name: 'ok' }).expect(403);
  });
});
