import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addMember, type Owner, ownerWithProject, signedIn } from '../support/actors.js';
import { createTestApp, type TestApp } from '../support/app.js';

describe('API keys', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  const create = (body: object, bearer = owner.bearer) =>
    app
      .request()
      .post('/v1/api-keys')
      .set('Authorization', bearer)
      .send({ project_id: owner.projectId, name: 'Key', ...body });
  const own = (key: string) => app.request().get('/v1/api-keys/me').set('X-API-Key', key);
  const ingest = (key: string) =>
    app.request().post('/v1/events/ingest').set('X-API-Key', key).send({ event_type: 'a', source: 'b' });
  const revoke = (id: string, bearer = owner.bearer) =>
    app.request().post(`/v1/api-keys/${id}/revoke`).set('Authorization', bearer);

  interface Key {
    id: string;
    key: string;
    prefix: string;
  }

  it('shows a key once and stores its hash alone', async () => {
    const { key, ...record } = (await create({ name: 'Web', scopes: ['events:write'] }).expect(201)).body as Key;
    expect(key).toMatch(/^oes_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(record).toEqual({
      id: expect.any(String),
      project_id: owner.projectId,
      source_id: null,
      name: 'Web',
      prefix: key.slice(4, 12),
      scopes: ['events:write'],
      status: 'active',
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
    });
    const listed = (
      await app
        .request()
        .get(`/v1/api-keys?project_id=${owner.projectId}`)
        .set('Authorization', owner.bearer)
        .expect(200)
    ).body as Key[];
    expect(listed.find((item) => item.id === record.id)).toEqual(record);
    expect(JSON.stringify(await app.rows('SELECT * FROM api_keys'))).not.toContain(key);
    expect(app.logLines.join('')).not.toContain(key);
  });

  it('tells a key about itself', async () => {
    const answer = await own(owner.apiKey).expect(200);
    expect(answer.body).toMatchObject({
      id: owner.apiKeyId,
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      project_name: owner.projectName,
      status: 'active',
    });
    expect(answer.body).not.toHaveProperty('key');
  });

  it('gives both scopes when none are named, and refuses unknown ones', async () => {
    expect(((await create({}).expect(201)).body as { scopes: string[] }).scopes).toEqual([
      'events:read',
      'events:write',
    ]);
    const refused = await create({ scopes: ['events:read', 'admin'] }).expect(422);
    expect((refused.body as { detail: object[] }).detail).toMatchObject([
      { type: 'literal_error', loc: ['body', 'scopes', 1], msg: "Input should be 'events:read' or 'events:write'" },
    ]);
    await create({ scopes: [] }).expect(422);
    await create({ expires_at: '2020-01-01T00:00:00Z' }).expect(422);
  });

  it('refuses missing, malformed, unknown and human credentials', async () => {
    await app.request().get('/v1/api-keys/me').expect(401, { detail: 'Not authenticated' });
    await own('not-a-key').expect(401, { detail: 'Invalid API key' });
    await own(`${owner.apiKey.slice(0, -1)}${owner.apiKey.endsWith('a') ? 'b' : 'a'}`).expect(401, {
      detail: 'Invalid API key',
    });
    await own(owner.accessToken).expect(401, { detail: 'Not authenticated' });
    await app
      .request()
      .get('/v1/auth/me')
      .set('Authorization', `Bearer ${owner.apiKey}`)
      .expect(401, { detail: 'Not authenticated' });
    await app.request().get('/v1/auth/me').set('X-API-Key', owner.apiKey).expect(401, { detail: 'Not authenticated' });
  });

  it('asks for the scope a route needs', async () => {
    const reader = (await create({ scopes: ['events:read'] }).expect(201)).body as Key;
    const writer = (await create({ scopes: ['events:write'] }).expect(201)).body as Key;
    await ingest(reader.key).expect(403, { detail: 'Missing required scope: events:write' });
    const usage = (key: string) => app.request().get('/v1/usage/current').set('X-API-Key', key);
    await usage(writer.key).expect(403, { detail: 'Missing required scope: events:read' });
    await usage(reader.key).expect(200);
    await own(writer.key).expect(200);
  });

  it('stops a revoked key at once, here and on another instance', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      const { id, key } = (await create({}).expect(201)).body as Key;
      const onSecond = () => second.request().get('/v1/api-keys/me').set('X-API-Key', key);
      await ingest(key).expect(200);
      await onSecond().expect(200);
      expect((await revoke(id).expect(200)).body).toMatchObject({ id, status: 'revoked' });
      await ingest(key).expect(403, { detail: 'API key is not active' });
      expect((await revoke(id).expect(200)).body).toMatchObject({ id, status: 'revoked' });
      const statuses: number[] = [];
      while (statuses.at(-1) !== 403 && statuses.length < 500) statuses.push((await onSecond()).status);
      expect(statuses.at(-1)).toBe(403);
    } finally {
      await second.close();
    }
  });

  it('stops an expired key', async () => {
    const { id, key } = (await create({ expires_at: new Date(Date.now() + 3_600_000).toISOString() }).expect(201))
      .body as Key;
    await app.rows(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    await ingest(key).expect(403, { detail: 'API key is not active' });
  });

  it('lets admins alone create and revoke, and hides the keys of other projects', async () => {
    const operator = await addMember(app, owner, 'operator');
    const stranger = await signedIn(app);
    await create({}, operator.bearer).expect(403, { detail: 'Insufficient project role' });
    await create({}, stranger.bearer).expect(403, { detail: 'Not a project member' });
    await revoke(owner.apiKeyId, operator.bearer).expect(403, { detail: 'Insufficient project role' });
    await revoke(owner.apiKeyId, stranger.bearer).expect(404, { detail: 'API key not found' });
    await revoke('0199f3a1-0000-7000-8000-000000000000').expect(404, { detail: 'API key not found' });
    await revoke('nope').expect(422);
    await own(owner.apiKey).expect(200);
  });
});
