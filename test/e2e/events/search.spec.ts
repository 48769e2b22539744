import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { EventSearchReader } from '../../../src/modules/events/event-store/search/event-search.reader.js';
import { SearchLimits } from '../../../src/modules/events/search/search-limits.js';
import { LongReads } from '../../../src/modules/events/long-reads/index.js';
import {
  judge,
  readWords,
  SEARCH_TYPES,
  type SearchField,
  searchSql,
} from '../../../src/modules/tenancy/search-sources/index.js';
import { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Actor, addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { AlertEventsClient } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { haveTime } from '../../support/both-stores.js';
import { countEvents, type EventRow, insertEvents } from '../../support/event-rows.js';
import { Objects } from '../../support/objects.js';
import { RuleClient } from '../../support/rules.js';
import { lockedTable } from '../../support/table-lock.js';
import { itOfPostgres } from '../../support/second-store.js';

interface Item {
  readonly type: string;
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly matched: { readonly field: string; readonly text: string };
  readonly score: number;
  readonly timestamp: string;
}

interface Answer {
  readonly project_id: string;
  readonly q: string;
  readonly items: Item[];
  readonly counts: Record<string, number>;
  readonly is_partial: boolean;
}

type Record_ = Readonly<Record<string, string | null>>;

const DAY_MS = 86_400_000;
const ago = (ms: number): Date => new Date(Date.now() - ms);

/** The route that shows things of a type, and what search looks into of them. */
const ROUTES: Readonly<Record<string, { path: (projectId: string) => string; fields: readonly string[] }>> = {
  event_source: { path: (id) => `/v1/ingest-sources?project_id=${id}`, fields: ['name', 'description', 'type'] },
  api_key: { path: (id) => `/v1/api-keys?project_id=${id}`, fields: ['name', 'prefix'] },
  alert_rule: { path: (id) => `/v1/alert-rules?project_id=${id}`, fields: ['name'] },
  alert_event: { path: (id) => `/v1/alerts/events?project_id=${id}`, fields: ['message', 'event_type', 'source'] },
  alert_destination: { path: (id) => `/v1/alert-destinations?project_id=${id}`, fields: ['name', 'type'] },
  delivery_channel: { path: (id) => `/v1/delivery/channels?project_id=${id}`, fields: ['name', 'type'] },
  saved_view: { path: (id) => `/v1/projects/${id}/saved-views`, fields: ['name'] },
  object: { path: (id) => `/v1/core/objects?project_id=${id}`, fields: ['key'] },
  secret: { path: (id) => `/v1/secrets?project_id=${id}`, fields: ['name', 'description'] },
};

describe('search', () => {
  let app: TestApp;
  let owner: Owner;
  let stranger: Owner;

  const find = (query: object, who: Pick<Actor, 'bearer'> = owner, projectId: string = owner.projectId) =>
    app
      .request()
      .get('/v1/search')
      .query({ project_id: projectId, ...query })
      .set('Authorization', who.bearer);
  const search = async (q: string, more: object = {}, who: Pick<Actor, 'bearer'> = owner): Promise<Answer> => {
    const { status, body } = await find({ q, ...more }, who);
    expect([q, status, status === 200 ? null : body]).toEqual([q, 200, null]);
    return body as Answer;
  };
  const shown = async (q: string, more: object = {}): Promise<unknown[]> =>
    (await search(q, more)).items.map(({ type, title, score, matched: { field } }) => [type, title, score, field]);
  const listed = async (type: string, who: Pick<Actor, 'bearer'> = owner): Promise<Record_[]> => {
    const path = ROUTES[type]?.path(owner.projectId) ?? '';
    const { body } = await app.request().get(path).set('Authorization', who.bearer).expect(200);
    return (Array.isArray(body) ? body : (body as { items: unknown[] }).items) as Record_[];
  };

  /** One of each kind, each with a name of its own about the same bird. */
  async function furnish(of: Owner): Promise<void> {
    const { projectId, bearer } = of;
    const send = (path: string, body: object) =>
      app
        .request()
        .post(path)
        .set('Authorization', bearer)
        .send({ project_id: projectId, ...body })
        .expect(201);
    await send('/v1/ingest-sources', { name: 'Kestrel web', type: 'http', description: 'Front door of the nest' });
    await send('/v1/api-keys', { name: 'A key of kestrel' });
    await new RuleClient(app, of, projectId).rule({ name: 'Kestrel is down' });
    await new AlertEventsClient(app, of, projectId).fire({ message: 'No kestrel was seen' });
    await send('/v1/alert-destinations', {
      type: 'webhook',
      name: 'On call for KESTREL',
      target_url: 'https://hooks.example.com/hidden-address',
    });
    await send('/v1/delivery/channels', {
      type: 'webhook',
      name: 'kestrels',
      configuration: { url: 'https://example.com/hidden-address' },
    });
    await send(`/v1/projects/${projectId}/saved-views`, { name: 'kestrel', filters: { event: 'hidden-filter' } });
    await new Objects(app, of).put('reports/kestrel.csv', 'hidden-content').expect(201);
    await send('/v1/secrets', { name: 'OLD_KESTREL_TOKEN', value: 'hidden-value', description: 'Of the falconer' });
    const ingest = (body: object) =>
      app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', of.apiKey)
        .send({ source: 'nest', ...body })
        .expect(200);
    await ingest({ event_type: 'kestrel.seen', message: 'high up', event_id: 'ext-4711' });
    await ingest({ event_type: 'bird.seen', message: 'a kestrel', payload: { color: 'hidden-property' } });
    await ingest({ event_type: 'http.request', properties: { path: '/birds/kestrel', method: 'GET' } });
  }

  beforeAll(async () => {
    app = await createTestApp();
    haveTime(app);
    owner = await ownerWithProject(app);
    stranger = await ownerWithProject(app);
    await furnish(owner);
    await furnish(stranger);
  });
  afterAll(() => app.close());

  it('finds each kind of thing by what it is called, names before events', async () => {
    const { items, ...rest } = await search('KESTREL', { limit: 50 });
    expect(rest).toEqual({
      project_id: owner.projectId,
      q: 'KESTREL',
      counts: {
        event: 3,
        event_type: 1,
        event_source: 1,
        api_key: expect.any(Number),
        alert_rule: 1,
        alert_event: 1,
        alert_destination: 1,
        delivery_channel: 1,
        saved_view: 1,
        object: 1,
        secret: 1,
        finding: 0,
      },
      is_partial: false,
    });
    const told = items
      .filter(({ type, title }) => type !== 'api_key' || title === 'A key of kestrel')
      .map(({ type, title, subtitle, matched, score }) => [type, title, subtitle, matched.field, matched.text, score]);
    expect(told).toEqual([
      ['saved_view', 'kestrel', null, 'name', 'kestrel', 1],
      ['event_type', 'kestrel.seen', null, 'name', 'kestrel.seen', 0.8],
      ['event_source', 'Kestrel web', 'Front door of the nest', 'name', 'Kestrel web', 0.8],
      ['alert_rule', 'Kestrel is down', 'warning', 'name', 'Kestrel is down', 0.8],
      ['delivery_channel', 'kestrels', 'webhook', 'name', 'kestrels', 0.8],
      ['api_key', 'A key of kestrel', expect.stringMatching(/^\w{8}$/), 'name', 'A key of kestrel', 0.6],
      ['alert_event', 'No kestrel was seen', 'payment.failed', 'message', 'No kestrel was seen', 0.6],
      ['alert_destination', 'On call for KESTREL', 'webhook', 'name', 'On call for KESTREL', 0.6],
      ['object', 'reports/kestrel.csv', 'text/plain', 'key', 'reports/kestrel.csv', 0.6],
      ['secret', 'OLD_KESTREL_TOKEN', 'Of the falconer', 'name', 'OLD_KESTREL_TOKEN', 0.6],
      ['event', 'kestrel.seen', 'high up', 'event', 'kestrel.seen', 0.4],
      ['event', 'http.request', '/birds/kestrel', 'endpoint', '/birds/kestrel', 0.3],
      ['event', 'bird.seen', 'a kestrel', 'message', 'a kestrel', 0.3],
    ]);
    for (const { timestamp } of items) expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it.each([
    ['front door', 'event_source', 'description'],
    ['http', 'event_source', 'type'],
    ['falconer', 'secret', 'description'],
    ['payment.failed', 'alert_event', 'event_type'],
    ['checkout', 'alert_event', 'source'],
    ['webhook', 'alert_destination', 'type'],
    ['webhook', 'delivery_channel', 'type'],
    ['ext-4711', 'event', 'external_event_id'],
    ['nest', 'event', 'source'],
    ['HIGH UP', 'event', 'message'],
    ['"high up"', 'event', 'message'],
    ['/birds', 'event', 'endpoint'],
  ])('looks into every field: %s in %s by %s', async (q, type, field) => {
    const { items } = await search(q, { type });
    expect(items.map((item) => [item.type, item.matched.field])).toContainEqual([type, field]);
  });

  it('finds things by their ids, and keys by their prefixes', async () => {
    for (const type of Object.keys(ROUTES)) {
      const [thing] = await listed(type);
      const id = thing?.id ?? '';
      const { items } = await search(id.toUpperCase(), { type });
      expect(items).toMatchObject([{ type, id, matched: { field: 'id', text: id }, score: 0.9 }]);
      expect((await search(id.slice(3, 20), { type })).items.map((item) => item.id)).toContain(id);
    }
    // Those of another tenant name nothing here.
    const { body: sources } = await app
      .request()
      .get(ROUTES.event_source?.path(stranger.projectId) ?? '')
      .set('Authorization', stranger.bearer)
      .expect(200);
    const [foreign] = (Array.isArray(sources) ? sources : (sources as { items: unknown[] }).items) as { id: string }[];
    expect(foreign?.id).toBeDefined();
    expect((await search(foreign?.id ?? '')).items).toEqual([]);
    const [key] = await listed('api_key');
    expect((await search(key?.prefix ?? '', { type: 'api_key' })).items).toMatchObject([
      { id: key?.id, matched: { field: 'prefix' }, score: 1 },
    ]);
    const [event] = (await search('kestrel.seen', { type: 'event' })).items;
    expect((await search(event?.id ?? '')).items).toMatchObject([
      { type: 'event', id: event?.id, matched: { field: 'id' }, score: 0.45 },
    ]);
    expect((await search('kestrel.seen', { type: 'event_type' })).items).toMatchObject([
      { id: 'kestrel.seen', timestamp: event?.timestamp },
    ]);
  });

  it('never looks into configuration, addresses, payloads, filters, contents or values', async () => {
    for (const q of [
      'hidden',
      'hidden-address',
      'hidden-filter',
      'hidden-content',
      'hidden-value',
      'hidden-property',
      'example.com',
    ]) {
      expect([q, (await search(q)).items]).toEqual([q, []]);
    }
  });

  it('shows every role what its own routes show it, and strangers nothing', async () => {
    for (const role of ['viewer', 'member', 'operator', 'admin', 'owner']) {
      const who = role === 'owner' ? owner : await addMember(app, owner, role);
      for (const q of ['kestrel', 'e']) {
        const { items } = await search(q, { limit: 50, type: Object.keys(ROUTES) }, who);
        for (const [type, { fields }] of Object.entries(ROUTES)) {
          const expected = (await listed(type, who)).flatMap((thing) => {
            const texts: SearchField[] = fields.map((name) => ({ name, text: thing[name] ?? null }));
            const judged = judge([...texts, { name: 'id', text: thing.id ?? '', isId: true }], readWords(q));
            return judged === null ? [] : [[thing.id, judged.score]];
          });
          const found = items.filter((item) => item.type === type).map(({ id, score }) => [id, score]);
          expect([role, type, found.sort()]).toEqual([role, type, expected.sort()]);
        }
      }
    }
    await find({ q: 'kestrel' }, stranger).expect(403, { detail: 'Not a project member' });
    await find({ q: 'kestrel' }, owner, newId()).expect(404, { detail: 'Project not found' });
    await app
      .request()
      .get(`/v1/search?project_id=${owner.projectId}&q=a`)
      .expect(401, { detail: 'Not authenticated' });
    await find({ q: 'kestrel' }, { bearer: `Bearer ${owner.apiKey}` }).expect(401);
    const own = await search('kestrel', { limit: 50 });
    const { body } = await find({ q: 'kestrel', limit: 50 }, stranger, stranger.projectId).expect(200);
    const ids = new Set(own.items.filter(({ type }) => type !== 'event_type').map(({ id }) => id));
    expect((body as Answer).items.filter(({ id }) => ids.has(id))).toEqual([]);
    expect((body as Answer).items).toHaveLength(own.items.length);
  });

  it('can look objects up by the index on their keys', async () => {
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      for (const way of ['seqscan', 'indexscan', 'indexonlyscan']) await client.query(`SET enable_${way} = off`);
      const { fits } = searchSql({ id: 'id::text', texts: ['key'] }, readWords('kestrel'), () => `'%kestrel%'`);
      const { rows } = await client.query<Record<string, string>>(`EXPLAIN SELECT FROM stored_objects WHERE ${fits}`);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('ix_stored_objects_key_text');
    } finally {
      await client.end();
    }
  });

  it('asks for the types that are named alone', async () => {
    const one = await search('kestrel', { type: 'secret' });
    expect(one).toMatchObject({ counts: { secret: 1 }, items: [{ type: 'secret' }] });
    expect(Object.keys(one.counts)).toEqual(['secret']);
    const { counts } = await search('kestrel', { type: ['finding', 'saved_view', 'saved_view', 'event'] });
    expect(counts).toEqual({ event: 3, saved_view: 1, finding: 0 });
    expect(Object.keys((await search('no such thing')).counts)).toEqual([...SEARCH_TYPES]);
  });

  it('refuses what it cannot read', async () => {
    const refused = async (query: object): Promise<unknown> =>
      ((await find(query).expect(422)).body as { detail: { type: string; loc: unknown[] }[] }).detail.map(
        ({ type, loc }) => [type, ...loc],
      );
    expect(await refused({})).toEqual([['missing', 'query', 'q']]);
    expect(await refused({ q: '   ' })).toEqual([['string_too_short', 'query', 'q']]);
    expect(await refused({ q: 'x'.repeat(201) })).toEqual([['string_too_long', 'query', 'q']]);
    expect(await refused({ q: 'a b c d e f g h i' })).toEqual([['value_error', 'query', 'q']]);
    expect(await refused({ q: '"  " "\t"' })).toEqual([['value_error', 'query', 'q']]);
    expect(await refused({ q: 'a\0b' })).toEqual([['value_error', 'query', 'q']]);
    expect(await refused({ q: 'a', type: ['secret', 'user'] })).toEqual([['literal_error', 'query', 'type', 1]]);
    expect(await refused({ q: 'a', range: '2d' })).toEqual([['literal_error', 'query', 'range']]);
    expect(await refused({ q: 'a', limit: 0 })).toEqual([['greater_than_equal', 'query', 'limit']]);
    expect(await refused({ q: 'a', limit: 51 })).toEqual([['less_than_equal', 'query', 'limit']]);
    expect((await search(`  ${'x'.repeat(200)}  `)).q).toBe('x'.repeat(200));
    expect((await search('a b c d e f g h A H')).is_partial).toBe(false);
  });

  describe('of events', () => {
    let project: Owner;
    const put = async (rows: readonly EventRow[]): Promise<string[]> => {
      const ids = await insertEvents(app, project.projectId, rows);
      await countEvents(app);
      return ids;
    };
    const seek = async (q: string, more: object = {}): Promise<Answer> => {
      const { body } = await find({ q, ...more }, project, project.projectId).expect(200);
      return body as Answer;
    };

    beforeAll(async () => {
      project = await ownerWithProject(app);
      const odd = ['100% sure', 'a_b', 'back\\slash', `it's "quoted"`, 'Straße', '\u212aelvin', 'ÄÖÜ'];
      await put([
        ...odd.map((message, at) => ({ timestamp: ago(at * 60_000), event: 'odd', message })),
        { timestamp: ago(2 * 3_600_000), event: 'age', message: 'two hours' },
        { timestamp: ago(2 * DAY_MS), event: 'age', message: 'two days' },
        { timestamp: ago(8 * DAY_MS), event: 'age.old', message: 'eight days' },
        { timestamp: ago(40 * DAY_MS), event: 'age.old', message: 'forty days' },
      ]);
    });

    it.each([
      ['100%', ['100% sure']],
      ['%', ['100% sure']],
      ['A_B', ['a_b']],
      ['_', ['a_b']],
      ['\\', ['back\\slash']],
      ["it's", [`it's "quoted"`]],
      ['"quoted"', [`it's "quoted"`]],
      ['straß', ['Straße']],
      ['STRASSE', []],
      ['kelvin', ['\u212aelvin']],
      ['äöü', ['ÄÖÜ']],
      ['%_', []],
      ["'; DROP TABLE events; --", []],
    ])('takes signs for themselves and letters in any case: %s', async (q, messages) => {
      const { items } = await seek(q, { type: 'event' });
      expect(items.map(({ matched }) => matched.text)).toEqual(messages);
    });

    it.each([
      ['1h', []],
      ['24h', ['two hours']],
      ['7d', ['two hours', 'two days']],
      ['30d', ['two hours', 'two days', 'eight days']],
      ['all', ['two hours', 'two days', 'eight days', 'forty days']],
    ])('keeps to the range %s, and so do event types', async (range, messages) => {
      const { items, counts } = await seek('age', { range, type: ['event', 'event_type'], limit: 50 });
      const events = items.filter(({ type }) => type === 'event');
      expect(new Set(events.map(({ subtitle }) => subtitle))).toEqual(new Set(messages));
      expect(counts).toEqual({
        event: messages.length,
        event_type: messages.length === 0 ? 0 : messages.length > 2 ? 2 : 1,
      });
    });

    it('keeps alert events to the range, with their beginning, and other things not', async () => {
      const other = await ownerWithProject(app);
      const alerts = new AlertEventsClient(app, other, other.projectId);
      const ages: Record<string, number> = { now: 0, hours: 2 / 24, days: 2, week: 8, month: 40 };
      for (const [name, days] of Object.entries(ages)) {
        const id = await alerts.fire({ message: `merlin of ${name}` });
        await app.rows('UPDATE alert_events SET created_at = $2 WHERE id = $1', [id, ago(days * DAY_MS)]);
      }
      await new RuleClient(app, other, other.projectId).rule({ name: 'merlin' });
      await app.rows(`UPDATE alert_rules SET created_at = $2 WHERE project_id = $1`, [
        other.projectId,
        ago(90 * DAY_MS),
      ]);
      const found = async (more: object): Promise<string[]> => {
        const { body } = await find({ q: 'merlin', ...more }, other, other.projectId).expect(200);
        return (body as Answer).items.map(({ title }) => title.replace('merlin of ', ''));
      };
      const names = Object.keys(ages);
      const ranges = { '15m': 1, '1h': 1, '24h': 2, '7d': 3, '30d': 4, all: 5 };
      for (const [range, count] of Object.entries(ranges)) {
        expect([range, ...(await found({ range }))]).toEqual([range, 'merlin', ...names.slice(0, count)]);
      }
      expect(await found({ type: 'alert_event' })).toEqual(names.slice(0, 3));
    });

    it('counts fifty, takes the best of all however old, and leaves half of the places to others', async () => {
      const rows = Array.from({ length: 120 }, (_, at) => ({
        timestamp: ago(at * 1_000),
        event: 'heron.many',
        message: `number ${at}`,
      }));
      const [best] = await put([
        { timestamp: ago(5 * DAY_MS), event: 'rare', message: 'heron' },
        ...rows,
        { timestamp: ago(3 * DAY_MS), event: 'rare', message: 'a heron' },
      ]);
      const { items, counts } = await seek('heron', { limit: 10 });
      expect(counts).toMatchObject({ event: 50, event_type: 1 });
      expect(items.map(({ type, subtitle, score }) => [type, subtitle, score])).toEqual([
        ['event_type', null, 0.8],
        ['event', 'heron', 0.5],
        ...[0, 1, 2, 3].map((at) => ['event', `number ${at}`, 0.4]),
      ]);
      expect(items[1]?.id).toBe(best);
      expect((await seek('heron', { limit: 3, type: 'event' })).items).toHaveLength(3);
      const all = await seek('heron', { limit: 50, type: 'event' });
      expect(all.items.map(({ score }) => score)).toEqual([0.5, ...Array.from({ length: 49 }, () => 0.4)]);
    });

    it('looks on for what is newer than what an index knows, and fits as well', async () => {
      const other = await ownerWithProject(app);
      const named = Array.from({ length: 60 }, (_, at) => ({ timestamp: ago(4 * DAY_MS + at), event: 'bittern' }));
      const told = Array.from({ length: 200 }, (_, at) => ({
        timestamp: ago(3_600_000 + at * 1_000),
        message: at % 20 === 19 ? 'Bittern' : 'nothing',
      }));
      await insertEvents(app, other.projectId, [...named, ...told]);
      await countEvents(app);
      const limits = app.nest.get(SearchLimits, { strict: false });
      try {
        limits.firstRows = 50;
        const { body } = await find({ q: 'bittern', type: 'event', limit: 50 }, other, other.projectId).expect(200);
        const { items, is_partial } = body as Answer;
        expect(is_partial).toBe(false);
        expect(items.slice(0, 10).map(({ subtitle }) => subtitle)).toEqual(Array(10).fill('Bittern'));
      } finally {
        Object.assign(limits, new SearchLimits());
        haveTime(app);
      }
    });

    it('answers words that stand in many long texts', async () => {
      const rows = Array.from({ length: 200 }, (_, at) => ({
        timestamp: ago(at),
        event: 'long',
        message: 'ab'.repeat(1_000),
        log_endpoint: `/${'ab'.repeat(10_000)}`,
      }));
      await put(rows);
      const words = Array.from({ length: 8 }, (_, at) => 'ab'.repeat(8 + at)).join(' ');
      const { items, counts } = await seek(words, { type: 'event' });
      expect(counts).toEqual({ event: 50 });
      for (const { matched, subtitle } of items) {
        expect(matched.text).toHaveLength(160);
        expect(subtitle).toHaveLength(160);
      }
      for (const q of [
        '%'.repeat(200),
        '_'.repeat(200),
        '\\'.repeat(200),
        '('.repeat(200),
        '😀'.repeat(200),
        'aé'.repeat(100),
      ]) {
        expect((await seek(q)).items).toEqual([]);
      }
    });

    describe('that take too long', () => {
      const limits = (): SearchLimits => app.nest.get(SearchLimits, { strict: false });
      const beUsual = (): void => {
        Object.assign(limits(), new SearchLimits());
        haveTime(app);
      };
      afterEach(() => {
        jest.restoreAllMocks();
        beUsual();
      });

      itOfPostgres('are partial: the newest are found, and names are whole', async () => {
        limits().firstRows = 5;
        const repository = app.nest.get(EventSearchReader, { strict: false });
        const best = repository.best.bind(repository);
        let stretches = 0;
        jest.spyOn(repository, 'best').mockImplementation(async (scope, asked, stretch, limit, tx) => {
          stretches += 1;
          if (stretches > 1) {
            await app.nest.get(Database).limit(tx, 1);
            await app.nest.get(Database).execute('SELECT pg_sleep(600)', [], tx);
          }
          return best(scope, asked, stretch, limit, tx);
        });
        const [newest] = await put([{ timestamp: ago(0), event: 'other', message: 'heron at last' }]);
        const found = await seek('heron', { limit: 50 });
        expect(found).toMatchObject({ is_partial: true, counts: { event_type: 1 } });
        // What an index knows comes before the rows.
        expect(found.items.map(({ id }) => id)).toEqual(expect.arrayContaining([newest]));
        expect(found.items.map(({ subtitle }) => subtitle)).toContain('number 20');
        expect(found.items.map(({ subtitle }) => subtitle)).not.toContain('a heron');
        expect((await seek('heron', { type: 'event_type' })).is_partial).toBe(false);
      });

      it('are found in a turn of short reads where those of long ones are taken', async () => {
        let release: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        const other = app.nest.get(LongReads, { strict: false }).run(project, () => held);
        expect((await seek('heron', { type: ['event', 'event_type'] })).is_partial).toBe(false);
        release();
        await other;
      });

      itOfPostgres('answer 503 where nobody could look, and are partial where other things were found', async () => {
        await app
          .request()
          .post(`/v1/projects/${project.projectId}/saved-views`)
          .set('Authorization', project.bearer)
          .send({ name: 'heron', filters: {} })
          .expect(({ status }) => expect(status).toBeLessThan(300));
        const turns = app.nest.get(LongReads, { strict: false });
        let release: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        const other = turns.run(project, () => held);
        const { patienceMs } = turns.limits;
        Object.assign(turns.limits, { shortMs: 200, patienceMs: 20 });
        try {
          await lockedTable(app, 'events', async () => {
            const { headers } = await find({ q: 'heron', type: 'event' }, project, project.projectId).expect(503, {
              detail: 'Too many queries at once',
            });
            expect(headers['retry-after']).toBe('2');
            const found = await seek('heron', { type: ['event', 'saved_view'] });
            expect(found).toMatchObject({ is_partial: true, counts: { event: 0, saved_view: 1 } });
          });
        } finally {
          turns.limits.patienceMs = patienceMs;
          release();
          await other;
        }
      });

      it('are asked for behind names, which are whole or refused', async () => {
        limits().namesMs = 100;
        await lockedTable(app, 'saved_views', async () => {
          const { headers } = await find({ q: 'heron' }, project, project.projectId).expect(503, {
            detail: 'Query took too long: choose a shorter range or a narrower filter',
          });
          expect(headers['retry-after']).toBe('5');
          beUsual();
          await find({ q: 'heron', type: ['event', 'secret'] }, project, project.projectId).expect(200);
        });
      });

      it('have a turn of long reads where names take long after all', async () => {
        const turns = app.nest.get(LongReads, { strict: false });
        const known = await seek('heron', { type: 'saved_view' });
        let release: () => void = () => undefined;
        const other = turns.run(project, () => new Promise<void>((resolve) => (release = resolve)));
        // Long enough to be seen waiting.
        turns.limits.shortMs = 1_000;
        await lockedTable(app, 'saved_views', async (lock) => {
          const found = seek('heron', { type: 'saved_view' });
          await lock.until('waited for');
          await lock.until('left alone');
          await lock.release();
          release();
          await other;
          expect(await found).toEqual(known);
        });
      });

      it.each([
        ['events', 'event'],
        ['events', 'event_type'],
        ['saved_views', 'saved_view'],
      ])('end with the request that asked: %s, %s', async (table, type) => {
        Object.assign(limits(), { eventsMs: 600_000, namesMs: 600_000 });
        await lockedTable(app, table, async (lock) => {
          const path = `${app.url}/v1/search?project_id=${project.projectId}&q=heron&type=${type}`;
          const sent = httpRequest(path, { headers: { Authorization: project.bearer } });
          sent.on('error', () => undefined).end();
          await lock.until('waited for');
          sent.destroy();
          await lock.until('left alone');
        });
        expect((await seek('heron')).is_partial).toBe(false);
      });
    });
  });

  it('answers the examples of the guide', async () => {
    const guide = readFileSync('docs/guide/search.md', 'utf8');
    const asked = [...guide.matchAll(/GET (\/v1\/search\?\S+)/g)].map(([, path = '']) => path);
    expect(asked.length).toBeGreaterThan(2);
    for (const path of asked) {
      const url = path.replace('$PROJECT', owner.projectId);
      await app.request().get(url).set('Authorization', owner.bearer).expect(200);
    }
    const [, answer = '{}'] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
    const written = JSON.parse(answer) as Answer;
    const { items } = await search(written.q, { type: 'saved_view' });
    expect(Object.keys(written.items[0] ?? {})).toEqual(Object.keys(items[0] ?? {}));
    expect(await shown(written.q, { type: 'saved_view' })).toEqual(
      written.items
        .filter(({ type }) => type === 'saved_view')
        .map((one) => [one.type, one.title, one.score, one.matched.field]),
    );
  });
});
