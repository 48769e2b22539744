import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../../src/platform/clock/index.js';
import { type Actor, addMember, type Owner, ownerWithProject, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { callerOf, createSource, ingest, type KeyRecord, setPlan, type Verb } from '../../support/sources.js';

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
    await ingest(app, reader.key).expect(403, { detail: 'Missing required scope: events:write' });
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
      await ingest(app, key).expect(200);
      await onSecond().expect(200);
      expect((await revoke(id).expect(200)).body).toMatchObject({ id, status: 'revoked' });
      await ingest(app, key).expect(403, { detail: 'API key is not active' });
      expect((await revoke(id).expect(200)).body).toMatchObject({ id, status: 'revoked' });
      const statuses: number[] = [];
      while (statuses.at(-1) !== 401 && statuses.length < 500) statuses.push((await onSecond()).status);
      expect(statuses.at(-1)).toBe(401);
    } finally {
      await second.close();
    }
  });

  it.each([
    ['401 everywhere for a key that has expired', [`expires_at = now() - interval '1 second'`], 401],
    ['403 at ingestion and 401 elsewhere for a revoked key', ['revoked_at = now()'], 403],
    [
      '403 at ingestion and 401 elsewhere for a revoked key that would have expired meanwhile',
      ['revoked_at = now()', `expires_at = now() - interval '1 second'`],
      403,
    ],
  ])('returns %s', async (_, change, atIngestion) => {
    const { id, key } = (await create({}).expect(201)).body as Key;
    await app.rows(`UPDATE api_keys SET ${change.join(', ')} WHERE id = $1`, [id]);
    const refused = { detail: 'API key is not active' };
    await ingest(app, key).expect(atIngestion, refused);
    await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', key)
      .set('Content-Type', 'application/x-ndjson')
      .send('{"event_type":"a","source":"b"}')
      .expect(atIngestion, refused);
    await own(key).expect(401, refused);
    for (const path of ['/v1/usage/current', '/v1/billing/status']) {
      await app.request().get(path).set('X-API-Key', key).expect(401, refused);
    }
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

describe('changes of API keys', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app);
    await setPlan(app, owner, 'scale');
  });
  afterAll(() => app.close());

  const keys = (verb: Verb, rest = '', body?: object, as: Actor = owner) =>
    callerOf(app, '/v1/api-keys', as)(verb, rest, body);
  const create = async (body: object = {}): Promise<KeyRecord> =>
    (await keys('post', '', { project_id: owner.projectId, name: 'Key', ...body }).expect(201)).body as KeyRecord;
  const list = async (query = ''): Promise<KeyRecord[]> =>
    (await keys('get', `?project_id=${owner.projectId}${query}`).expect(200)).body as KeyRecord[];
  const one = async (id: string): Promise<KeyRecord | undefined> => (await list()).find((key) => key.id === id);
  const own = (key: string, on = app) => on.request().get('/v1/api-keys/me').set('X-API-Key', key);
  const ahead = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
  const actsOn = async (id: string): Promise<object[]> =>
    app.rows<{ action: string; detail: object }>(
      'SELECT action, detail FROM audit_events WHERE target_id = $1 ORDER BY created_at, id',
      [id],
    );

  it('rename, narrow and end it, each alone and together, and clear the end', async () => {
    const { id, key, ...record } = await create();
    const end = ahead(3600);
    const steps: [object, object][] = [
      [{ name: 'Web' }, { name: 'Web' }],
      [{ scopes: ['events:read'] }, { scopes: ['events:read'] }],
      [{ expires_at: end }, { expires_at: end }],
      [{}, {}],
      [{ expires_at: null }, { expires_at: null }],
      [
        { name: 'Both', scopes: ['events:write', 'events:write'] },
        { name: 'Both', scopes: ['events:write'] },
      ],
    ];
    let expected: object = { id, ...record };
    for (const [change, effect] of steps) {
      expected = { ...expected, ...effect };
      expect((await keys('patch', `/${id}`, change).expect(200)).body).toEqual(expected);
    }
    expect(await one(id)).toEqual(expected);
    await ingest(app, key).expect(200);
    expect((await actsOn(id)).slice(1)).toEqual([
      { action: 'api_key.updated', detail: { name: 'Web' } },
      { action: 'api_key.updated', detail: { scopes: ['events:read'] } },
      { action: 'api_key.updated', detail: { expires_at: end } },
      { action: 'api_key.updated', detail: { expires_at: null } },
      { action: 'api_key.updated', detail: { name: 'Both', scopes: ['events:write'] } },
    ]);
  });

  it.each([
    [{ name: '' }, 'string_too_short'],
    [{ name: null }, 'string_type'],
    [{ scopes: [] }, 'too_short'],
    [{ scopes: ['admin'] }, 'literal_error'],
    [{ scopes: null }, 'list_type'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'value_error'],
    [{ expires_at: 'soon' }, 'datetime_from_date_parsing'],
  ])('refuse %j and change nothing', async (change, type) => {
    const refused = await keys('patch', `/${owner.apiKeyId}`, change).expect(422);
    expect((refused.body as { detail: { type: string }[] }).detail[0]?.type).toBe(type);
    expect(await one(owner.apiKeyId)).toMatchObject({ name: 'Test', expires_at: null, status: 'active' });
  });

  it('revive a key that has expired, but none that was revoked', async () => {
    const { id, key } = await create();
    await app.rows(`UPDATE api_keys SET expires_at = now() - interval '1 hour' WHERE id = $1`, [id]);
    await own(key).expect(401, { detail: 'API key is not active' });
    expect(await one(id)).toMatchObject({ status: 'expired' });
    await keys('post', `/${id}/rotate`).expect(409, { detail: 'API key has expired' });
    await keys('patch', `/${id}`, { expires_at: null }).expect(200);
    await own(key).expect(200);
    await keys('post', `/${id}/revoke`).expect(200);
    await keys('patch', `/${id}`, { name: 'Other' }).expect(409, { detail: 'API key has been revoked' });
    await keys('post', `/${id}/rotate`).expect(409, { detail: 'API key has been revoked' });
    expect(await one(id)).toMatchObject({ name: 'Key', status: 'revoked' });
  });

  it('rotate it at once, or with a grace in which both work', async () => {
    const expires_at = ahead(86_400);
    const first = await create({ name: 'Web', scopes: ['events:write'], expires_at });
    const second = (await keys('post', `/${first.id}/rotate`).expect(200)).body as KeyRecord;
    expect(second).toEqual({
      ...first,
      id: expect.any(String),
      key: expect.stringMatching(/^oes_/),
      prefix: second.key.slice(4, 12),
      created_at: expect.any(String),
    });
    expect([second.id === first.id, second.key === first.key]).toEqual([false, false]);
    await ingest(app, first.key).expect(401, { detail: 'API key is not active' });
    await ingest(app, second.key).expect(200);
    expect(await one(first.id)).toMatchObject({ status: 'expired' });

    const third = (await keys('post', `/${second.id}/rotate`, { grace_seconds: 600 }).expect(200)).body as KeyRecord;
    await ingest(app, second.key).expect(200);
    await ingest(app, third.key).expect(200);
    const rotating = await one(second.id);
    expect(rotating).toMatchObject({ status: 'rotating', name: 'Web' });
    expect(Date.parse(rotating?.expires_at ?? '')).toBeLessThan(Date.parse(expires_at));
    expect((await own(second.key).expect(200)).body).toMatchObject({ status: 'rotating' });
    await app.rows(`UPDATE api_keys SET expires_at = now() WHERE id = $1`, [second.id]);
    expect(await one(second.id)).toMatchObject({ status: 'expired' });
    expect((await actsOn(first.id)).at(-1)).toEqual({
      action: 'api_key.rotated',
      detail: { rotated_to: second.id, grace_seconds: 0 },
    });
    expect(JSON.stringify(await app.rows('SELECT * FROM audit_events'))).not.toContain(third.key);
  });

  it('end by themselves, also while they are in use', async () => {
    const expires_at = ahead(600);
    const { id, key } = await create({ expires_at });
    const clock = jest.spyOn(app.nest.get(Clock), 'now');
    try {
      // It is in the cache from then on, for longer than it lives.
      clock.mockImplementation(() => new Date(Date.parse(expires_at) - 1));
      await own(key).expect(200);
      clock.mockImplementation(() => new Date(Date.parse(expires_at)));
      await own(key).expect(401);
      expect(await one(id)).toMatchObject({ status: 'expired' });
    } finally {
      clock.mockRestore();
    }
  });

  it('never let a grace outlive the end of the key', async () => {
    const expires_at = ahead(60);
    const { id } = await create({ expires_at });
    await keys('post', `/${id}/rotate`, { grace_seconds: 604_800 }).expect(200);
    expect(await one(id)).toMatchObject({ status: 'rotating', expires_at });
  });

  it('rotate once: what was rotated is not rotated again, nor prolonged, but may be renamed and revoked', async () => {
    for (const grace_seconds of [0, 600]) {
      const { id, key } = await create();
      await keys('post', `/${id}/rotate`, { grace_seconds }).expect(200);
      await keys('post', `/${id}/rotate`).expect(409, { detail: 'API key has already been rotated' });
      await keys('patch', `/${id}`, { expires_at: null }).expect(409, { detail: 'API key has already been rotated' });
      await keys('patch', `/${id}`, { name: 'Old' }).expect(200);
      expect((await keys('post', `/${id}/revoke`).expect(200)).body).toMatchObject({ status: 'revoked', name: 'Old' });
      await own(key).expect(401, { detail: 'API key is not active' });
    }
  });

  it.each([-1, 604_801, 1.5, [], 'soon'])('refuse a grace of %j', async (grace_seconds) => {
    await keys('post', `/${owner.apiKeyId}/rotate`, { grace_seconds }).expect(422);
    expect(await one(owner.apiKeyId)).toMatchObject({ status: 'active' });
  });

  it('make one new key when twenty rotations race', async () => {
    const { id } = await create({ name: 'Raced' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => keys('post', `/${id}/rotate`, { grace_seconds: 60 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
    expect((await list()).filter(({ name }) => name === 'Raced')).toHaveLength(2);
  });

  it('make and list keys of a source of the same project alone', async () => {
    const source = await createSource(app, owner);
    const key = await create({ source_id: source.id, name: 'Second' });
    expect(key).toMatchObject({ source_id: source.id, scopes: ['events:read', 'events:write'] });
    expect((await list(`&source_id=${source.id}`)).map(({ id }) => id)).toEqual([key.id, source.key.id]);
    expect((await list()).map(({ id }) => id)).toEqual(expect.arrayContaining([key.id, owner.apiKeyId]));
    expect(await list('&source_id=0199f3a1-0000-7000-8000-000000000000')).toEqual([]);

    const stranger = await ownerWithProject(app);
    const foreign = await createSource(app, stranger);
    for (const source_id of [foreign.id, '0199f3a1-0000-7000-8000-000000000000'])
      await keys('post', '', { project_id: owner.projectId, name: 'Key', source_id }).expect(404, {
        detail: 'Event source not found',
      });
    expect(await list(`&source_id=${foreign.id}`)).toEqual([]);
    await create({ source_id: null });
  });

  it('take an admin, and hide keys of others', async () => {
    const { id } = await create();
    const [operator, stranger] = [await addMember(app, owner, 'operator'), await ownerWithProject(app)];
    for (const [verb, rest] of [
      ['patch', ''],
      ['post', '/rotate'],
    ] as const) {
      await keys(verb, `/${id}${rest}`, {}, operator).expect(403, { detail: 'Insufficient project role' });
      await keys(verb, `/${id}${rest}`, {}, stranger).expect(404, { detail: 'API key not found' });
      await keys(verb, `/nope${rest}`, {}).expect(422);
    }
    expect(await one(id)).toMatchObject({ status: 'active' });
  });

  it('reach other instances: rotation, end, scopes', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      const answered = (answerOf: () => PromiseLike<{ status: number }>, status: number): Promise<number> =>
        eventually(
          async () => (await answerOf()).status,
          (last) => last === status,
        );
      const rotated = await create();
      await own(rotated.key, second).expect(200);
      const fresh = (await keys('post', `/${rotated.id}/rotate`).expect(200)).body as KeyRecord;
      await own(rotated.key).expect(401);
      await own(fresh.key, second).expect(200);
      await answered(() => own(rotated.key, second), 401);

      const narrowed = await create();
      await ingest(second, narrowed.key).expect(200);
      await keys('patch', `/${narrowed.id}`, { scopes: ['events:read'] }).expect(200);
      await ingest(app, narrowed.key).expect(403, { detail: 'Missing required scope: events:write' });
      await answered(() => ingest(second, narrowed.key), 403);
    } finally {
      await second.close();
    }
  });
});
