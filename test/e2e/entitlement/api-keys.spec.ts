import { beforeEach, describe, expect, it } from '@jest/globals';
import { activityOf } from '../../support/activity.js';
import { type Account, api, outsider, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { createSource, ingest, type KeyRecord, type Verb } from '../../support/sources-api.js';
import { expireKey, keyRows } from '../../support/sql-builders/entitlement.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';

describe('an API key', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const keys = (verb: Verb, rest = '', body?: object, account: Account = acme.owner) =>
    api.as(account)[verb](`/v1/api-keys${rest}`, body);
  const create = (body: object = {}, account?: Account) =>
    keys('post', '', { project_id: acme.projectId, name: 'Key', ...body }, account);
  const created = async (body?: object): Promise<KeyRecord> => (await create(body).expect(201)).body as KeyRecord;
  const list = async (query = ''): Promise<KeyRecord[]> =>
    (await keys('get', `?project_id=${acme.projectId}${query}`).expect(200)).body as KeyRecord[];
  const one = async (id: string): Promise<KeyRecord | undefined> => (await list()).find((key) => key.id === id);
  const revoke = (id: string, account?: Account) => keys('post', `/${id}/revoke`, undefined, account);
  const own = (apiKey: string) => api.as({ apiKey }).get('/v1/api-keys/me');

  it('is shown once and stored as a hash', async () => {
    const { key, ...record } = await created({ name: 'Web', scopes: ['events:write'] });
    expect(key).toMatch(/^oes_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(record).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
      source_id: null,
      name: 'Web',
      prefix: key.slice(4, 12),
      scopes: ['events:write'],
      status: 'active',
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
    });
    const listed = await keys('get', `?project_id=${acme.projectId}`).expect(200);
    expect((listed.body as KeyRecord[]).find((item) => item.id === record.id)).toEqual(record);
    const rows = await keyRows(acme.projectId);
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(await logText()).not.toContain(key);
  });

  it('reads its own record, organization and project', async () => {
    const answer = await own(acme.key.apiKey).expect(200);
    expect(answer.body).toMatchObject({
      id: acme.key.id,
      organization_id: acme.organizationId,
      project_id: acme.projectId,
      project_name: acme.projectName,
      status: 'active',
    });
    expect(answer.body).not.toHaveProperty('key');
  });

  it('has both scopes when none are named, and is not created with unknown or no scopes or an end in the past', async () => {
    expect((await created()).scopes).toEqual(['events:read', 'events:write']);
    const refused = await create({ scopes: ['events:read', 'admin'] }).expect(422);
    expect((refused.body as { detail: object[] }).detail).toMatchObject([
      { type: 'literal_error', loc: ['body', 'scopes', 1], msg: "Input should be 'events:read' or 'events:write'" },
    ]);
    await create({ scopes: [] }).expect(422);
    await create({ expires_at: '2020-01-01T00:00:00Z' }).expect(422);
  });

  it('is refused when it is missing, malformed, unknown or the token of a person, and by routes for people', async () => {
    const { apiKey } = acme.key;
    await api.get('/v1/api-keys/me').expect(401, { detail: 'Not authenticated' });
    await own('not-a-key').expect(401, { detail: 'Invalid API key' });
    const unknown = `${apiKey.slice(0, -1)}${apiKey.endsWith('a') ? 'b' : 'a'}`;
    await own(unknown).expect(401, { detail: 'Invalid API key' });
    await own(acme.owner.accessToken).expect(401, { detail: 'Not authenticated' });
    const me = api.as({ accessToken: apiKey }).get('/v1/auth/me');
    await me.expect(401, { detail: 'Not authenticated' });
    await api.as(acme.key).get('/v1/auth/me').expect(401, { detail: 'Not authenticated' });
  });

  it('is refused by a route whose scope it does not have', async () => {
    const [reader, writer] = [await created({ scopes: ['events:read'] }), await created({ scopes: ['events:write'] })];
    await ingest(reader.key).expect(403, { detail: 'Missing required scope: events:write' });
    const usage = (apiKey: string) => api.as({ apiKey }).get('/v1/usage/current');
    await usage(writer.key).expect(403, { detail: 'Missing required scope: events:read' });
    await usage(reader.key).expect(200);
    await own(writer.key).expect(200);
  });

  it.each([
    ['401 everywhere once it has expired', { isRevoked: false, isExpired: true }, 401],
    ['403 at ingestion and 401 elsewhere once it is revoked', { isRevoked: true, isExpired: false }, 403],
    [
      '403 at ingestion and 401 elsewhere once it is revoked, also when it would have expired since',
      { isRevoked: true, isExpired: true },
      403,
    ],
  ])('is refused with %s', async (_, { isRevoked, isExpired }, atIngestion) => {
    const { id, key } = await created();
    if (isRevoked) await revoke(id).expect(200);
    if (isExpired) await expireKey(id, 1);
    const refused = { detail: 'API key is not active' };
    await ingest(key).expect(atIngestion, refused);
    await api
      .as({ apiKey: key })
      .post('/v1/events/ingest', '{"event_type":"a","source":"b"}')
      .set('Content-Type', 'application/x-ndjson')
      .expect(atIngestion, refused);
    await own(key).expect(401, refused);
    for (const path of ['/v1/usage/current', '/v1/billing/status']) {
      await api.as({ apiKey: key }).get(path).expect(401, refused);
    }
  });

  it('is created and revoked only by admins, and hidden from members of other projects', async () => {
    const [operator, stranger] = [await acme.operator(), await outsider()];
    await create({}, operator).expect(403, { detail: 'Insufficient project role' });
    await create({}, stranger).expect(403, { detail: 'Not a project member' });
    await revoke(acme.key.id, operator).expect(403, { detail: 'Insufficient project role' });
    await revoke(acme.key.id, stranger).expect(404, { detail: 'API key not found' });
    await revoke(NOWHERE).expect(404, { detail: 'API key not found' });
    await revoke('nope').expect(422);
    await own(acme.key.apiKey).expect(200);
  });

  describe('a key in a project of the plan scale', () => {
    beforeEach(() => setPlan(acme.organizationId, 'scale'));

    const ahead = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
    const actsOn = async (id: string): Promise<object[]> =>
      (await activityOf(acme))
        .filter(({ target_id }) => target_id === id)
        .map(({ action, detail }) => ({ action, detail }));

    it('keeps the members that a change leaves out, and loses its end with null', async () => {
      const { id, key, ...record } = await created();
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
      await ingest(key).expect(200);
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
    ])('stays as it is when the change %j is refused with %s', async (change, type) => {
      const refused = await keys('patch', `/${acme.key.id}`, change).expect(422);
      expect((refused.body as { detail: { type: string }[] }).detail[0]?.type).toBe(type);
      expect(await one(acme.key.id)).toMatchObject({ name: 'Test', expires_at: null, status: 'active' });
    });

    it('works again after it has expired, but not after it was revoked', async () => {
      const { id, key } = await created();
      await expireKey(id, 3_600);
      await own(key).expect(401, { detail: 'API key is not active' });
      expect(await one(id)).toMatchObject({ status: 'expired' });
      await keys('post', `/${id}/rotate`).expect(409, { detail: 'API key has expired' });
      await keys('patch', `/${id}`, { expires_at: null }).expect(200);
      await own(key).expect(200);
      await revoke(id).expect(200);
      await keys('patch', `/${id}`, { name: 'Other' }).expect(409, { detail: 'API key has been revoked' });
      await keys('post', `/${id}/rotate`).expect(409, { detail: 'API key has been revoked' });
      expect(await one(id)).toMatchObject({ name: 'Key', status: 'revoked' });
    });

    it('is rotated at once, or with a grace in which the old and the new key work', async () => {
      const expires_at = ahead(86_400);
      const first = await created({ name: 'Web', scopes: ['events:write'], expires_at });
      const second = (await keys('post', `/${first.id}/rotate`).expect(200)).body as KeyRecord;
      expect(second).toEqual({
        ...first,
        id: expect.any(String),
        key: expect.stringMatching(/^oes_/),
        prefix: second.key.slice(4, 12),
        created_at: expect.any(String),
      });
      expect([second.id === first.id, second.key === first.key]).toEqual([false, false]);
      await ingest(first.key).expect(401, { detail: 'API key is not active' });
      await ingest(second.key).expect(200);
      expect(await one(first.id)).toMatchObject({ status: 'expired' });

      const third = (await keys('post', `/${second.id}/rotate`, { grace_seconds: 600 }).expect(200)).body as KeyRecord;
      await ingest(second.key).expect(200);
      await ingest(third.key).expect(200);
      const rotating = await one(second.id);
      expect(rotating).toMatchObject({ status: 'rotating', name: 'Web' });
      expect(Date.parse(rotating?.expires_at ?? '')).toBeLessThan(Date.parse(expires_at));
      expect((await own(second.key).expect(200)).body).toMatchObject({ status: 'rotating' });
      await expireKey(second.id, 0);
      expect(await one(second.id)).toMatchObject({ status: 'expired' });
      expect((await actsOn(first.id)).at(-1)).toEqual({
        action: 'api_key.rotated',
        detail: { rotated_to: second.id, grace_seconds: 0 },
      });
      expect(JSON.stringify(await activityOf(acme))).not.toContain(third.key);
    });

    it('ends no later than before when a rotation has a longer grace', async () => {
      const expires_at = ahead(60);
      const { id } = await created({ expires_at });
      await keys('post', `/${id}/rotate`, { grace_seconds: 604_800 }).expect(200);
      expect(await one(id)).toMatchObject({ status: 'rotating', expires_at });
    });

    it('is rotated once, and is not prolonged afterwards but may be renamed and revoked', async () => {
      for (const grace_seconds of [0, 600]) {
        const { id, key } = await created();
        await keys('post', `/${id}/rotate`, { grace_seconds }).expect(200);
        await keys('post', `/${id}/rotate`).expect(409, { detail: 'API key has already been rotated' });
        const prolonged = keys('patch', `/${id}`, { expires_at: null });
        await prolonged.expect(409, { detail: 'API key has already been rotated' });
        await keys('patch', `/${id}`, { name: 'Old' }).expect(200);
        expect((await revoke(id).expect(200)).body).toMatchObject({ status: 'revoked', name: 'Old' });
        await own(key).expect(401, { detail: 'API key is not active' });
      }
    });

    it.each([-1, 604_801, 1.5, [], 'soon'])('is not rotated with a grace of %j', async (grace_seconds) => {
      await keys('post', `/${acme.key.id}/rotate`, { grace_seconds }).expect(422);
      expect(await one(acme.key.id)).toMatchObject({ status: 'active' });
    });

    it('gets one new key when twenty rotations race', async () => {
      const { id } = await created({ name: 'Raced' });
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => keys('post', `/${id}/rotate`, { grace_seconds: 60 })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
      expect((await list()).filter(({ name }) => name === 'Raced')).toHaveLength(2);
    });

    it('belongs to no source or to a source of its project, and is listed by source', async () => {
      const source = await createSource(acme);
      const key = await created({ source_id: source.id, name: 'Second' });
      expect(key).toMatchObject({ source_id: source.id, scopes: ['events:read', 'events:write'] });
      expect((await list(`&source_id=${source.id}`)).map(({ id }) => id)).toEqual([key.id, source.key.id]);
      expect((await list()).map(({ id }) => id)).toEqual(expect.arrayContaining([key.id, acme.key.id]));
      expect(await list(`&source_id=${NOWHERE}`)).toEqual([]);

      const foreign = await createSource(await tenant());
      for (const source_id of [foreign.id, NOWHERE])
        await create({ source_id }).expect(404, { detail: 'Event source not found' });
      expect(await list(`&source_id=${foreign.id}`)).toEqual([]);
      await created({ source_id: null });
    });

    it('is changed only by admins, and hidden from members of other projects', async () => {
      const { id } = await created();
      const [operator, globex] = [await acme.operator(), await tenant()];
      for (const [verb, rest] of [
        ['patch', ''],
        ['post', '/rotate'],
      ] as const) {
        await keys(verb, `/${id}${rest}`, {}, operator).expect(403, { detail: 'Insufficient project role' });
        await keys(verb, `/${id}${rest}`, {}, globex.owner).expect(404, { detail: 'API key not found' });
        await keys(verb, `/nope${rest}`, {}).expect(422);
      }
      expect(await one(id)).toMatchObject({ status: 'active' });
    });
  });
});
