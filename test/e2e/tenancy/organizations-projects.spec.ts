import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addMember, ownerWithProject, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const slugOf = (): string => randomBytes(6).toString('hex');
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
const RECORD_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

describe('organizations and projects', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const post = (bearer: string, path: string, body: object) =>
    app.request().post(path).set('Authorization', bearer).send(body);
  const get = (bearer: string, path: string) => app.request().get(path).set('Authorization', bearer);

  it('creates an organization owned by its creator and lists it to members alone', async () => {
    const actor = await signedIn(app);
    const slug = slugOf();
    const created = await post(actor.bearer, '/v1/organizations', { name: 'Acme', slug, plan: 'enterprise' }).expect(
      201,
    );
    const record = created.body as { id: string };
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Acme',
      slug,
      owner_id: actor.id,
      created_at: RECORD_TIME,
    });
    expect((await get(actor.bearer, '/v1/organizations').expect(200)).body).toEqual([record]);
    expect((await get(actor.bearer, `/v1/organizations/${record.id}`).expect(200)).body).toEqual(record);
    const stranger = await signedIn(app);
    expect((await get(stranger.bearer, '/v1/organizations').expect(200)).body).toEqual([]);
    await get(stranger.bearer, `/v1/organizations/${record.id}`).expect(403, { detail: 'Not an organization member' });
    await get(actor.bearer, '/v1/organizations/0199f3a1-0000-7000-8000-000000000000').expect(404, {
      detail: 'Organization not found',
    });
    expect(await app.rows('SELECT plan, billing_status FROM organizations WHERE id = $1', [record.id])).toEqual([
      { plan: 'free', billing_status: 'active' },
    ]);
  });

  it('keeps organization slugs unique and well formed', async () => {
    const [one, two] = [await signedIn(app), await signedIn(app)];
    const slug = slugOf();
    await post(one.bearer, '/v1/organizations', { name: 'One', slug }).expect(201);
    await post(two.bearer, '/v1/organizations', { name: 'Two', slug }).expect(409, { detail: 'Slug already in use' });
    await post(two.bearer, '/v1/organizations', { name: 'Two', slug: slug.toUpperCase() }).expect(409, {
      detail: 'Slug already in use',
    });
    for (const bad of [...BAD_SLUGS, 5, null]) {
      await post(two.bearer, '/v1/organizations', { name: 'Two', slug: bad }).expect(422);
    }
  });

  it('takes slugs of every unreserved character of URLs, and keeps them as given', async () => {
    const owner = await ownerWithProject(app);
    await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [owner.organizationId]);
    const body = { organization_id: owner.organizationId, name: 'P' };
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
      expect((await post(owner.bearer, '/v1/projects', { ...body, slug }).expect(201)).body).toMatchObject({ slug });
    }
    for (const slug of ['UPPER', 'upper', 'A', 'b'.repeat(200), '.WELL-known']) {
      await post(owner.bearer, '/v1/projects', { ...body, slug }).expect(409, { detail: 'Slug already in use' });
    }
    for (const slug of BAD_SLUGS) await post(owner.bearer, '/v1/projects', { ...body, slug }).expect(422);
    // Another organization has slugs of its own.
    const other = await ownerWithProject(app);
    await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [other.organizationId]);
    await post(other.bearer, '/v1/projects', { ...body, organization_id: other.organizationId, slug: 'upper' }).expect(
      201,
    );
  });

  it('gives one of several organizations that are created at once the slug that they write in different cases', async () => {
    const slug = `race-${slugOf()}`;
    const forms = [slug, slug.toUpperCase(), `R${slug.slice(1)}`];
    const actors = await Promise.all(forms.map(() => signedIn(app)));
    const answers = await Promise.all(
      forms.map((form, index) => post(actors[index]?.bearer ?? '', '/v1/organizations', { name: 'One', slug: form })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('holds the plan limit of owned organizations under parallel creates', async () => {
    const actor = await signedIn(app);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(actor.bearer, '/v1/organizations', { name: 'Acme', slug: slugOf() })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 403, 403, 403, 403, 403, 403, 403]);
    expect(answers.find((answer) => answer.status === 403)?.body).toEqual({
      detail: 'Plan limit reached: organizations',
    });
    await app.rows(`UPDATE organizations SET plan = 'pro' WHERE owner_id = $1`, [actor.id]);
    await post(actor.bearer, '/v1/organizations', { name: 'Second', slug: slugOf() }).expect(201);
    await post(actor.bearer, '/v1/organizations', { name: 'Third', slug: slugOf() }).expect(201);
    await post(actor.bearer, '/v1/organizations', { name: 'Fourth', slug: slugOf() }).expect(403);
  });

  it('creates projects for admins, gives every member the role of the organization, and holds the plan limit', async () => {
    const owner = await ownerWithProject(app);
    const project = (await get(owner.bearer, `/v1/projects/${owner.projectId}`).expect(200)).body as { slug: string };
    expect(project).toEqual({
      id: owner.projectId,
      organization_id: owner.organizationId,
      name: 'Web shop',
      slug: expect.any(String),
      owner_id: owner.id,
      created_at: RECORD_TIME,
    });
    const viewer = await addMember(app, owner, 'viewer');
    const create = (bearer: string, slug = slugOf()) =>
      post(bearer, '/v1/projects', { organization_id: owner.organizationId, name: 'Second', slug });
    await create(viewer.bearer).expect(403, { detail: 'Admin role required' });
    await create((await signedIn(app)).bearer).expect(403, { detail: 'Not an organization member' });
    await create(owner.bearer).expect(403, { detail: 'Plan limit reached: projects' });
    await app.rows(`UPDATE organizations SET plan = 'pro' WHERE id = $1`, [owner.organizationId]);
    await create(owner.bearer, project.slug).expect(409, { detail: 'Slug already in use' });
    const second = (await create(owner.bearer).expect(201)).body as { id: string };
    const listed = (await get(viewer.bearer, '/v1/projects').expect(200)).body as { id: string }[];
    expect(listed.map((item) => item.id)).toEqual([second.id, owner.projectId]);
    expect(await app.rows('SELECT role FROM project_members WHERE project_id = $1 ORDER BY role', [second.id])).toEqual(
      [{ role: 'owner' }, { role: 'viewer' }],
    );
  });

  it('holds the plan limit of projects under parallel creates', async () => {
    const actor = await signedIn(app);
    const organization = (await post(actor.bearer, '/v1/organizations', { name: 'Acme', slug: slugOf() }).expect(201))
      .body as { id: string };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        post(actor.bearer, '/v1/projects', { organization_id: organization.id, name: 'P', slug: slugOf() }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(await app.rows('SELECT 1 FROM projects WHERE organization_id = $1', [organization.id])).toHaveLength(1);
  });

  it('shows a project to members of its organization alone', async () => {
    const [owner, stranger] = [await ownerWithProject(app), await ownerWithProject(app)];
    await get(stranger.bearer, `/v1/projects/${owner.projectId}`).expect(403, { detail: 'Not a project member' });
    await get(owner.bearer, '/v1/projects/0199f3a1-0000-7000-8000-000000000000').expect(404, {
      detail: 'Project not found',
    });
    const malformed = await get(owner.bearer, '/v1/projects/nope').expect(422);
    expect((malformed.body as { detail: object[] }).detail).toMatchObject([
      { type: 'uuid_parsing', loc: ['path', 'project_id'] },
    ]);
    const member = await addMember(app, owner, 'member');
    await get(member.bearer, `/v1/projects/${owner.projectId}`).expect(200);
    await app.rows('DELETE FROM organization_members WHERE user_id = $1', [member.id]);
    await get(member.bearer, `/v1/projects/${owner.projectId}`).expect(403, { detail: 'Not a project member' });
    expect((await get(member.bearer, '/v1/projects').expect(200)).body).toEqual([]);
  });

  it('takes an id in every form of a UUID, and of a repeated one the last, for access and input alike', async () => {
    const [owner, stranger] = [await ownerWithProject(app), await ownerWithProject(app)];
    const id = owner.projectId;
    for (const form of [id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`, id.toUpperCase()]) {
      await get(owner.bearer, `/v1/projects/${encodeURIComponent(form)}`).expect(200);
      await get(owner.bearer, `/v1/logs?project_id=${encodeURIComponent(form)}`).expect(200);
      await get(stranger.bearer, `/v1/logs?project_id=${encodeURIComponent(form)}`).expect(403);
    }
    await get(owner.bearer, `/v1/logs?project_id=${stranger.projectId}&project_id=${id}`).expect(200);
    await get(owner.bearer, `/v1/logs?project_id=${id}&project_id=${stranger.projectId}`).expect(403);
    const body = { organization_id: owner.organizationId.replaceAll('-', ''), name: 'Second', slug: slugOf() };
    await post(owner.bearer, '/v1/projects', body).expect(403, { detail: 'Plan limit reached: projects' });
    const key = owner.apiKeyId.replaceAll('-', '');
    await post(owner.bearer, `/v1/api-keys/${key}/revoke`, {}).expect(200);
  });

  it('checks credentials before membership, membership before input, input before state', async () => {
    const [owner, stranger] = [await ownerWithProject(app), await signedIn(app)];
    const path = '/v1/projects';
    await app.request().post(path).send('{').expect(401);
    await post(stranger.bearer, path, { organization_id: owner.organizationId, slug: 'B A D' }).expect(403);
    await post(owner.bearer, path, { organization_id: owner.organizationId, slug: 'B A D' }).expect(422);
    await post(owner.bearer, path, { slug: 'ok', name: 'ok' }).expect(422);
    await post(owner.bearer, path, { organization_id: owner.organizationId, slug: 'ok', name: 'ok' }).expect(403);
  });
});
