import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Actor, addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const SECRET = 'hunter2-4111-1111';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

describe('project settings', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    owner = await ownerWithProject(app);
  });

  const path = () => `/v1/projects/${owner.projectId}/settings`;
  const get = (actor: Actor = owner) => app.request().get(path()).set('Authorization', actor.bearer);
  const put = (body: object, actor: Actor = owner) =>
    app.request().put(path()).set('Authorization', actor.bearer).send(body);
  const ingest = (body: object, on: TestApp = app) =>
    on
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', owner.apiKey)
      .send({ event_type: 'checkout', source: 'web', ...body });

  /** Tables, by name, in which a text stands. */
  async function tablesWith(text: string): Promise<string[]> {
    const tables = await app.rows<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await app.rows(`SELECT 1 FROM ${name} t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text]);
      if (rows.length > 0) found.push(name);
    }
    return found;
  }

  const DEFAULTS = { timezone: 'UTC', default_range: '24h', redacted_properties: [], noise_endpoints: [] };
  const SETTINGS = {
    timezone: 'Europe/Berlin',
    default_range: '7d',
    redacted_properties: ['card.number', 'users.*.email'],
    noise_endpoints: ['/metrics', '/ready'],
  };

  it('are the defaults until they are set, and are replaced whole', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    const defaults = { project_id: owner.projectId, ...DEFAULTS, updated_at: null };
    expect((await get(viewer).expect(200)).body).toEqual(defaults);
    const set = { project_id: owner.projectId, ...SETTINGS, updated_at: TIME };
    expect((await put(SETTINGS).expect(200)).body).toEqual(set);
    expect((await get(viewer).expect(200)).body).toEqual(set);
    expect((await put({ default_range: 'all' }).expect(200)).body).toEqual({
      ...defaults,
      default_range: 'all',
      updated_at: TIME,
    });
    await app.request().put(path()).set('Authorization', owner.bearer).expect(200);
    expect((await get().expect(200)).body).toEqual({ ...defaults, updated_at: TIME });
    for (const actor of [viewer, await addMember(app, owner, 'operator')]) {
      await put(SETTINGS, actor).expect(403, { detail: 'Insufficient project role' });
    }
    expect(
      await app.rows(
        `SELECT detail FROM audit_events WHERE project_id = $1 AND action = 'project.settings_updated' ORDER BY created_at`,
        [owner.projectId],
      ),
    ).toEqual([
      { detail: { changed: ['timezone', 'default_range', 'redacted_properties', 'noise_endpoints'] } },
      { detail: { changed: ['timezone', 'default_range', 'redacted_properties', 'noise_endpoints'] } },
      { detail: { changed: ['default_range'] } },
    ]);
  });

  it.each<[string, object, (string | number)[]]>([
    ['an unknown time zone', { timezone: 'Mars/Olympus' }, ['timezone']],
    ['an offset for a time zone', { timezone: '+01:00' }, ['timezone']],
    ['an empty time zone', { timezone: '' }, ['timezone']],
    ['a list', { timezone: [] }, ['timezone']],
    ['an unknown range', { default_range: '2h' }, ['default_range']],
    ['51 paths', { redacted_properties: Array.from({ length: 51 }, (_, n) => `p${n}`) }, ['redacted_properties']],
    ['a path of 201 characters', { redacted_properties: ['a'.repeat(201)] }, ['redacted_properties', 0]],
    ['a path of 17 names', { redacted_properties: [Array(17).fill('*').join('.')] }, ['redacted_properties', 0]],
    ['a path with an empty name', { redacted_properties: ['ok', 'a..b'] }, ['redacted_properties', 1]],
    ['101 endpoints', { noise_endpoints: Array.from({ length: 101 }, (_, n) => `/${n}`) }, ['noise_endpoints']],
    ['an empty endpoint', { noise_endpoints: [''] }, ['noise_endpoints', 0]],
  ])('refuse %s', async (_, body, at) => {
    const refused = await put({ ...SETTINGS, ...body }).expect(422);
    expect((refused.body as { detail: object[] }).detail).toMatchObject([{ loc: ['body', ...at] }]);
    expect((await get().expect(200)).body).toMatchObject(DEFAULTS);
  });

  it.each(['UTC', 'Etc/GMT+5', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires'])(
    'take the zone %s',
    async (timezone) => {
      expect((await put({ timezone }).expect(200)).body).toMatchObject({ timezone });
    },
  );

  it('mask properties before anything is stored, answered or logged', async () => {
    await put({
      redacted_properties: ['card.number', 'users.*.email', 'path', 'message', 'event_id', 'request.headers'],
    }).expect(200);
    const answer = await ingest({
      event_id: SECRET,
      message: `paid with ${SECRET}`,
      payload: {
        card: { number: SECRET, brand: 'visa' },
        path: `/pay/${SECRET}`,
        'card.number': SECRET,
        request: { headers: { authorization: SECRET }, method: 'POST' },
      },
      properties: { users: [{ email: SECRET, id: 1 }, { email: SECRET }], amount: 5 },
    }).expect(200);
    const properties = {
      source: 'web',
      event_id: '[redacted]',
      message: '[redacted]',
      card: { number: '[redacted]', brand: 'visa' },
      path: '[redacted]',
      'card.number': '[redacted]',
      request: { headers: '[redacted]', method: 'POST' },
      users: [{ email: '[redacted]', id: 1 }, { email: '[redacted]' }],
      amount: 5,
    };
    expect(answer.body).toMatchObject({ properties, external_event_id: '[redacted]' });
    const { ingested_event_id: id } = answer.body as { ingested_event_id: string };
    expect(
      await app.rows(
        'SELECT properties, message, external_event_id, log_endpoint, source FROM events WHERE project_id = $1 AND id = $2',
        [owner.projectId, id],
      ),
    ).toEqual([
      { properties, message: '[redacted]', external_event_id: '[redacted]', log_endpoint: '[redacted]', source: 'web' },
    ]);
    const logs = await app
      .request()
      .get(`/v1/logs?project_id=${owner.projectId}`)
      .set('Authorization', owner.bearer)
      .expect(200);
    expect(answer.text + logs.text + app.logLines.join('')).not.toContain(SECRET);
    expect(await tablesWith(SECRET)).toEqual([]);
    // The search itself finds what is there.
    expect(await tablesWith('visa')).toContain('public.events');
  });

  it('tell nothing of what they mask in refusals, and keep none of it', async () => {
    await put({ redacted_properties: ['card.number', 'message', 'users.email', 'status'] }).expect(200);
    const card = { number: SECRET, brand: 'visa' };
    const refused = [
      { payload: { card } },
      { source: 's', card },
      { source: 's', message: [SECRET], status: { a: SECRET } },
      { source: 's', event_type: 'e', message: SECRET.repeat(200) },
      { source: 's', event_type: 'e', payload: JSON.stringify({ card }) },
      { source: 's', event_type: 'e', payload: [SECRET, { card }] },
      { source: 's', event_type: 'e', properties: { users: [{ email: `${SECRET}\u0000` }] } },
      { source: 's', event_type: 'e', properties: { card: { number: [`${SECRET}\ud800`] }, 'card.number': SECRET } },
      [SECRET],
      SECRET,
    ];
    const told: string[] = [];
    const json = 'application/json';
    for (const body of refused) {
      const text = JSON.stringify(body);
      told.push(
        (await app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).type(json).send(text).expect(422))
          .text,
      );
      const recorded = JSON.stringify(
        Array.isArray(body) ? body : Object.assign({ project_id: owner.projectId }, body),
      );
      for (const sent of [text, recorded]) {
        const answer = app.request().post('/v1/events').set('Authorization', owner.bearer).type(json).send(sent);
        told.push((await answer.expect(422)).text);
      }
    }
    const lines = refused.map((body) => JSON.stringify(body)).join('\n');
    for (let tries = 0; tries < 2; tries += 1) {
      const batch = app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).type('application/x-ndjson');
      told.push((await batch.set('Idempotency-Key', 'refused').send(lines).expect(200)).text);
    }
    expect(told.join('')).not.toContain(SECRET);
    expect(told[0]).toContain('"visa"');
    expect(await tablesWith(SECRET)).toEqual([]);
    expect(await tablesWith('visa')).toContain('public.idempotency_records');
  });

  it('stop nobody by paths that lead everywhere', async () => {
    const everywhere = (name: string) => Array.from({ length: 16 }, (_, at) => (at === 15 ? name : '*')).join('.');
    await put({ redacted_properties: Array.from({ length: 50 }, (_, n) => everywhere(`n${n}`)) }).expect(200);
    // As a project may have set it before paths had a bound of names.
    await app.rows(
      'UPDATE project_settings SET redacted_properties = redacted_properties[2:] || $2 WHERE project_id = $1',
      [owner.projectId, [Array(100).fill('*').join('.')]],
    );
    let list: unknown = 1;
    for (let level = 0; level < 60; level += 1) list = [list];
    const answer = await ingest({ payload: { a: list } }).expect(200);
    expect((answer.body as { properties: object }).properties).toEqual({ a: list, source: 'web' });
  });

  it('mask from the next event on, here at once and on other instances soon', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      const masked = async (on: TestApp): Promise<boolean> => {
        const { body } = await ingest({ properties: { pin: '1234' } }, on).expect(200);
        return (body as { properties: { pin: string } }).properties.pin === '[redacted]';
      };
      expect([await masked(app), await masked(second)]).toEqual([false, false]);
      await put({ redacted_properties: ['pin'] }).expect(200);
      expect(await masked(app)).toBe(true);
      await eventually(
        () => masked(second),
        (isMasked) => isMasked,
      );
      await put({}).expect(200);
      expect(await masked(app)).toBe(false);
    } finally {
      await second.close();
    }
  });

  it('of one project mask nothing in another', async () => {
    await put({ redacted_properties: ['*'] }).expect(200);
    const all = await ingest({ properties: { a: 1, b: { c: 2 } }, severity: 'info' }).expect(200);
    expect((all.body as { properties: object }).properties).toEqual({
      a: '[redacted]',
      b: '[redacted]',
      severity: '[redacted]',
      source: '[redacted]',
    });
    const other = await ownerWithProject(app);
    const answer = await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', other.apiKey)
      .send({ event_type: 'a', source: 'b', properties: { a: 1 } })
      .expect(200);
    expect((answer.body as { properties: object }).properties).toEqual({ a: 1, source: 'b' });
  });
});
