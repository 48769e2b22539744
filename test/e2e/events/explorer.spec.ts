import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { v7 as newId } from 'uuid';
import { api, service, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { createSource } from '../../support/sources-api.js';
import { insertLargeEvents } from '../../support/sql-builders/event-lists.js';
import { countEvents, insertEvents } from '../../support/sql-builders/event-rows.js';
import { failNextStatement } from '../../support/test-control.js';
import { utcDay } from '../../support/utc-day.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface EventItem {
  id: string;
  timestamp: string;
  event: string;
  severity: string | null;
  properties: Record<string, unknown>;
}

interface Page {
  items: EventItem[];
  total: number;
  limit: number;
  offset: number;
  project_id: string;
  project_name: string;
  from_ts: string;
  to_ts: string;
}

/** Collects an answer of any type as text. */
function asText(test: Test): Test {
  return test.buffer(true).parse((response, done) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => (text += chunk));
    response.on('end', () => done(null, text));
  });
}

describe('the events explorer', () => {
  let acme: Tenant;
  let sourceId: string;
  let now: number;
  const ago = (ms: number): string => new Date(now - ms).toISOString();

  const ingest = (key: Tenant['key'] | { apiKey: string }, body: object) =>
    api
      .as(key)
      .post('/v1/events/ingest', { source: 'web', ...body })
      .expect(200);
  const path = (rest = '', { projectId }: Tenant = acme): string => `/v1/projects/${projectId}/events${rest}`;
  const get = (query: object = {}, rest = '', of = acme) => api.as(of.owner).get(path(rest, of), query);
  const page = async (query: object = {}, of = acme): Promise<Page> =>
    (await get(query, '', of).expect(200)).body as Page;
  const names = async (query: object = {}): Promise<string[]> => (await page(query)).items.map(({ event }) => event);
  /** Everything but the type and the place of each fault. */
  const faults = async (query: object): Promise<unknown> =>
    ((await get(query).expect(422)).body as { detail: { type: string; loc: string[]; msg: string }[] }).detail.map(
      ({ type, loc, msg }) => [type, ...loc, msg],
    );

  beforeAll(async () => {
    acme = await tenant({ projectName: 'Tea House' });
    now = Date.now();
    const rare = { severity: 'critical', environment: 'staging' };
    const events: object[] = [
      { event_type: 'a', timestamp: ago(MINUTE_MS), severity: 'info', status: 'ok', environment: 'production' },
      { event_type: 'a', timestamp: ago(2 * MINUTE_MS), severity: 'info', message: 'hello', event_id: 'x-1' },
      { event_type: 'b', timestamp: ago(30 * MINUTE_MS), ...rare, payload: { latency_ms: 7, path: '/b' } },
      { event_type: 'b', timestamp: ago(3 * HOUR_MS), severity: 'info' },
      { event_type: 'c', timestamp: ago(5 * HOUR_MS), ...rare, status: 'failed' },
      { event_type: 'a', timestamp: ago(30 * HOUR_MS), severity: 'info' },
      { event_type: 'a', timestamp: ago(8 * 24 * HOUR_MS), ...rare },
      { event_type: 'a', timestamp: ago(40 * 24 * HOUR_MS) },
      { event_type: 'ahead', timestamp: ago(-HOUR_MS) },
    ];
    for (const body of events) await ingest(acme.key, body);
    const source = await createSource(acme, { name: 'Browser' });
    sourceId = source.id;
    const fromSource = { event_type: 'from.source', source: 'browser', timestamp: ago(3 * MINUTE_MS) };
    await ingest({ apiKey: source.key.key }, fromSource);
  });

  it('shows a page of whole events with the window, the total and whether there are more', async () => {
    const answer = await page({ limit: 2 });
    expect(answer).toEqual({
      project_id: acme.projectId,
      project_name: 'Tea House',
      from_ts: expect.any(String),
      to_ts: expect.any(String),
      items: expect.any(Array),
      total: 6,
      limit: 2,
      offset: 0,
      has_more: true,
    });
    expect(Date.parse(answer.to_ts) - Date.parse(answer.from_ts)).toBe(24 * HOUR_MS);
    expect(answer.items[1]).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
      source_id: null,
      api_key_id: acme.key.id,
      event: 'a',
      source: 'web',
      severity: 'info',
      status: null,
      environment: null,
      message: 'hello',
      external_event_id: 'x-1',
      properties: { source: 'web', severity: 'info', message: 'hello', event_id: 'x-1' },
      timestamp: ago(2 * MINUTE_MS),
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it.each([
    [{}, ['a', 'a', 'from.source', 'b', 'b', 'c']],
    [{ range: '15m' }, ['a', 'a', 'from.source']],
    [{ range: '1h' }, ['a', 'a', 'from.source', 'b']],
    [{ range: '7d' }, ['a', 'a', 'from.source', 'b', 'b', 'c', 'a']],
    [{ range: '30d', event: 'a' }, ['a', 'a', 'a', 'a']],
    [{ range: 'all' }, ['a', 'a', 'from.source', 'b', 'b', 'c', 'a', 'a', 'a']],
    [{ event: 'b' }, ['b', 'b']],
    [{ event: 'B' }, []],
    [{ event: '' }, ['a', 'a', 'from.source', 'b', 'b', 'c']],
    [{ severity: 'critical' }, ['b', 'c']],
    [{ severity: 'critical', range: '30d' }, ['b', 'c', 'a']],
    [{ severity: 'critical', range: '30d', offset: 1, limit: 1 }, ['c']],
    [{ environment: 'staging', event: 'a', range: 'all' }, ['a']],
    [{ status: 'failed' }, ['c']],
    [{ status: 'ok', severity: 'critical' }, []],
    [{ offset: 2, limit: 2 }, ['from.source', 'b']],
    [{ offset: 6 }, []],
    [{ offset: 1_000_000_000 }, []],
  ])('shows for the query %j the events %j', async (query, expected) => {
    const { items, total } = await page(query);
    expect(items.map(({ event }) => event)).toEqual(expected);
    if (!('offset' in query)) expect(total).toBe(expected.length);
  });

  it('filters by an Event Source', async () => {
    expect(await names({ source_id: sourceId, range: 'all' })).toEqual(['from.source']);
    expect(await names({ source_id: newId(), range: 'all' })).toEqual([]);
  });

  it('prefers from_ts, which is inclusive, and to_ts, which is not, to the range', async () => {
    const bounded = await page({ range: '15m', from_ts: ago(5 * HOUR_MS), to_ts: ago(30 * MINUTE_MS) });
    expect(bounded).toMatchObject({ from_ts: ago(5 * HOUR_MS), to_ts: ago(30 * MINUTE_MS), total: 2 });
    expect(bounded.items.map(({ event }) => event)).toEqual(['b', 'c']);
    expect(await names({ from_ts: ago(3 * HOUR_MS) })).toEqual(['a', 'a', 'from.source', 'b', 'b']);
    const before = await page({ to_ts: ago(2 * HOUR_MS) });
    expect(before).toMatchObject({ from_ts: ago(26 * HOUR_MS), total: 2 });
    expect(await names({ range: 'all', to_ts: ago(-2 * HOUR_MS) })).toContain('ahead');
    expect(await names({ from_ts: ago(-10 * MINUTE_MS), to_ts: ago(-2 * HOUR_MS) })).toEqual(['ahead']);
    expect(await names({ from_ts: ago(-10 * MINUTE_MS) })).toEqual([]);
  });

  it.each([
    ['event', 200],
    ['severity', 50],
    ['status', 100],
    ['environment', 100],
  ])('accepts a value of %s up to %i characters and returns 422 for a longer one', async (field, most) => {
    expect(await page({ range: 'all', [field]: 'x'.repeat(most) })).toMatchObject({ total: 0, items: [] });
    expect(await faults({ [field]: 'x'.repeat(most + 1) })).toMatchObject([
      ['string_too_long', 'query', field, expect.anything()],
    ]);
  });

  it('returns 422 with the place of every value that it cannot read', async () => {
    expect(await faults({ limit: 0 })).toEqual([
      ['greater_than_equal', 'query', 'limit', 'Input should be greater than or equal to 1'],
    ]);
    expect(await faults({ limit: 501, offset: -1 })).toEqual([
      ['less_than_equal', 'query', 'limit', 'Input should be less than or equal to 500'],
      ['greater_than_equal', 'query', 'offset', 'Input should be greater than or equal to 0'],
    ]);
    expect(await faults({ source_id: 'x' })).toMatchObject([['uuid_parsing', 'query', 'source_id', expect.anything()]]);
    expect(await faults({ range: '2h' })).toMatchObject([['literal_error', 'query', 'range', expect.anything()]]);
    expect(await faults({ from_ts: 'yesterday' })).toMatchObject([
      ['datetime_from_date_parsing', 'query', 'from_ts', expect.anything()],
    ]);
    expect(await faults({ from_ts: ago(0), to_ts: ago(1) })).toEqual([
      ['value_error', 'query', 'to_ts', 'Value error, to_ts must not be before from_ts'],
    ]);
  });

  it('counts each facet under the other filters', async () => {
    const facets = async (query: object) => (await get(query, '/facets').expect(200)).body as object;
    expect(await facets({ severity: 'critical', range: '30d' })).toEqual({
      project_id: acme.projectId,
      project_name: 'Tea House',
      from_ts: expect.any(String),
      to_ts: expect.any(String),
      facets: {
        event: [
          { value: 'a', count: 1 },
          { value: 'b', count: 1 },
          { value: 'c', count: 1 },
        ],
        source_id: [{ value: null, name: null, count: 3 }],
        severity: [
          { value: 'info', count: 4 },
          { value: 'critical', count: 3 },
          { value: null, count: 1 },
        ],
        status: [
          { value: null, count: 2 },
          { value: 'failed', count: 1 },
        ],
        environment: [{ value: 'staging', count: 3 }],
      },
    });
    expect(await facets({})).toMatchObject({
      facets: {
        source_id: [
          { value: null, count: 5 },
          { value: sourceId, name: 'Browser', count: 1 },
        ],
      },
    });
  });

  describe('facets by property', () => {
    let globex: Tenant;
    const facetsBy = async (query: object): Promise<unknown> =>
      ((await get(query, '/facets', globex).expect(200)).body as { facets: { by?: unknown } }).facets.by;

    beforeAll(async () => {
      globex = await tenant();
      const few = [
        { plan: 'pro' },
        { plan: 'pro' },
        { plan: 1 },
        { plan: '1' },
        { plan: { a: true } },
        { plan: null },
        {},
      ];
      const many = Array.from({ length: 25 }, (_, n) => ({ n }));
      const rows = [
        ...few.map((properties) => ({ event: 'few', properties })),
        ...[...many, { n: 7 }].map((properties) => ({ event: 'many', properties })),
      ];
      await insertEvents(
        globex.projectId,
        rows.map((row) => ({ timestamp: new Date(now - MINUTE_MS), ...row })),
      );
      await countEvents(globex.projectId);
    });

    it.each([{}, { where: 'event != "none"' }, { where: 'length(event) < 5' }])(
      'have the most frequent values and the numbers of others and of missing ones, with %j',
      async (query) => {
        const by = ['properties.plan', 'properties.plan.a', 'properties.n', 'properties.nowhere'];
        expect(await facetsBy({ ...query, by })).toEqual([
          {
            field: 'properties.plan',
            values: [
              { value: 'pro', count: 2 },
              { value: '1', count: 1 },
              { value: 1, count: 1 },
            ],
            others: { values: 0, events: 0 },
            missing: 29,
          },
          {
            field: 'properties.plan.a',
            values: [{ value: true, count: 1 }],
            others: { values: 0, events: 0 },
            missing: 32,
          },
          {
            field: 'properties.n',
            values: [7, 0, 1, 2, 3, 4, 5, 6, ...Array.from({ length: 12 }, (_, n) => n + 8)].map((value) => ({
              value,
              count: value === 7 ? 2 : 1,
            })),
            others: { values: 5, events: 5 },
            missing: 7,
          },
          { field: 'properties.nowhere', values: [], others: { values: 0, events: 0 }, missing: 33 },
        ]);
        expect(await facetsBy({ ...query, by: 'properties.plan', event: 'many' })).toEqual([
          { field: 'properties.plan', values: [], others: { values: 0, events: 0 }, missing: 26 },
        ]);
        expect(await facetsBy(query)).toBeUndefined();
      },
    );

    it.each([
      ['event', 'value_error', 'Value error, by must be properties.<path>'],
      ['properties.', 'value_error', 'Value error, by must be properties.<path>'],
      [
        Array.from({ length: 11 }, (_, n) => `properties.p${n}`),
        'too_long',
        'List should have at most 10 items after validation, not 11',
      ],
    ])('are refused with 422 for %j', async (by, type, msg) => {
      const { body } = await get({ by }, '/facets').expect(422);
      expect(body).toMatchObject({ detail: [{ type, msg }] });
    });
  });

  describe('with a condition', () => {
    // The process itself evaluates the functions and the comparison of two fields.
    it.each([
      [{ where: 'severity == "critical"' }, ['b', 'c']],
      [{ where: 'properties.latency_ms > 5 or properties.event_id == "x-1"' }, ['a', 'b']],
      [{ where: 'length(event) == 1 and properties.severity == "info"' }, ['a', 'a', 'b']],
      [{ where: 'severity == properties.severity', severity: 'critical', range: 'all' }, ['b', 'c', 'a']],
      [{ where: 'event == "a"', range: 'all', environment: 'production' }, ['a']],
      [{ where: 'properties.nowhere == 1' }, []],
    ])('lists, counts and exports for %j the events %j', async (query, expected) => {
      const whole = await page(query);
      expect([whole.items.map(({ event }) => event), whole.total]).toEqual([expected, expected.length]);
      const second = await page({ ...query, limit: 1, offset: 1 });
      expect(second).toMatchObject({ items: whole.items.slice(1, 2), total: expected.length });
      expect(second).toHaveProperty('has_more', expected.length > 2);
      expect(await page({ ...query, offset: 1_000_000_000 })).toMatchObject({ items: [], total: expected.length });
      const { body } = await get(query, '/facets').expect(200);
      const { event } = (body as { facets: { event: { value: string; count: number }[] } }).facets;
      expect(event.flatMap(({ value, count }) => Array<string>(count).fill(value))).toEqual([...expected].sort());
      const exported = await asText(api.as(acme.owner).post(path('/export'), query)).expect(200);
      const lines = (exported.body as string).split('\n').filter((line) => line !== '');
      expect(lines.map((line) => JSON.parse(line) as EventItem)).toEqual(whole.items);
    });

    it.each(['length(event) == 1', 'event != "from.source"'])(
      'counts each facet under the other filters and %s',
      async (where) => {
        const { body } = await get({ severity: 'critical', range: '30d', where }, '/facets').expect(200);
        expect((body as { facets: object }).facets).toEqual({
          event: ['a', 'b', 'c'].map((value) => ({ value, count: 1 })),
          source_id: [{ value: null, name: null, count: 3 }],
          severity: [
            { value: 'info', count: 4 },
            { value: 'critical', count: 3 },
          ],
          status: [
            { value: null, count: 2 },
            { value: 'failed', count: 1 },
          ],
          environment: [{ value: 'staging', count: 3 }],
        });
      },
    );

    it.each([
      ['', 'string_too_short', ''],
      ['x'.repeat(2_001), 'string_too_long', ''],
      ['event = "a"', 'value_error', 'Value error, line 1, column 7: '],
      [`${'('.repeat(900)}event${')'.repeat(900)}`, 'value_error', 'Value error, line 1, column '],
      ['nothing(event)', 'value_error', 'Value error, line 1, column 1: '],
    ])('returns 422 for %j with the type %s', async (where, type, sentence) => {
      const answers = [get({ where }), get({ where }, '/facets'), api.as(acme.owner).post(path('/export'), { where })];
      const places = (await Promise.all(answers)).map(({ status, body }) => {
        const [fault] = (body as { detail: { type: string; loc: string[]; msg: string }[] }).detail;
        expect([status, fault?.type]).toEqual([422, type]);
        expect(fault?.msg).toContain(sentence);
        return fault?.loc;
      });
      expect(places).toEqual([
        ['query', 'where'],
        ['query', 'where'],
        ['body', 'where'],
      ]);
    });
  });

  it('shows one event with its log row', async () => {
    const [, , , first] = (await page()).items;
    const detail = await get({}, `/${first?.id ?? ''}`).expect(200);
    expect(detail.body).toEqual({
      ...first,
      log: {
        id: first?.id,
        timestamp: ago(30 * MINUTE_MS),
        method: 'EVENT',
        endpoint: '/b',
        status: 500,
        latency_ms: 7,
        latency_bucket: 'fast',
        latency_color: 'green',
        api_key_prefix: acme.key.id.slice(0, 8),
        project: 'Tea House',
        request_body: { event: 'b', properties: first?.properties },
        response_body: { accepted: true, event: 'b', status_code: 200 },
      },
      related_alerts: [],
    });
    // Its id was made long after its timestamp.
    const old = (await page({ range: 'all' })).items.at(-1);
    expect((await get({}, `/${old?.id ?? ''}`).expect(200)).body).toMatchObject({ id: old?.id, event: 'a' });
  });

  it('returns 404 for an event of another project, for one that never was, and 422 for a malformed id', async () => {
    const globex = await tenant();
    const [theirs = ''] = await insertEvents(globex.projectId, [{ timestamp: new Date(now) }]);
    for (const id of [theirs, newId(), '00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
      await get({}, `/${id}`).expect(404, { detail: 'Event not found' });
    await get({}, '/nope').expect(422);
  });

  it('returns 403 to the owner of another project', async () => {
    const globex = await tenant();
    const refused = await api.as(globex.owner).get(path());
    expect([refused.status, refused.body]).toEqual([403, { detail: 'Not a project member' }]);
  });

  it('shows its page, its facets and its export to viewers', async () => {
    const viewer = await acme.viewer();
    for (const rest of ['', '/facets']) await api.as(viewer).get(path(rest)).expect(200);
    await asText(api.as(viewer).post(path('/export'))).expect(200);
  });

  it('loses and repeats no event over many pages, whatever the filter', async () => {
    const globex = await tenant();
    const at = (index: number): Date => new Date(now - Math.floor(index / 3) * 7 * MINUTE_MS);
    await insertEvents(
      globex.projectId,
      Array.from({ length: 900 }, (_, index) => ({
        timestamp: at(index),
        event: `e${index % 4}`,
        severity: index % 60 === 0 ? 'critical' : 'info',
      })),
    );
    await countEvents(globex.projectId);
    const walk = async (filter: object, limit: number): Promise<number> => {
      const seen: EventItem[] = [];
      for (let offset = 0; ; offset += limit) {
        const { items, total } = await page({ range: '7d', limit, offset, ...filter }, globex);
        seen.push(...items);
        if (items.length < limit) {
          expect(seen).toHaveLength(total);
          break;
        }
      }
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      const sorted = [...seen].sort((a, b) => (a.timestamp + a.id < b.timestamp + b.id ? 1 : -1));
      expect(seen.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
      const { where: _where, ...rest } = filter as Partial<EventItem> & { where?: string };
      for (const item of seen) expect(item).toMatchObject(rest);
      return seen.length;
    };
    await walk({}, 333);
    await walk({ event: 'e1' }, 50);
    const critical = await walk({ severity: 'critical' }, 4);
    const criticalOfOneType = await walk({ severity: 'critical', event: 'e0' }, 2);
    await walk({ severity: 'info' }, 100);
    expect(await walk({ where: 'severity == "critical"' }, 4)).toBe(critical);
    expect(await walk({ where: 'length(severity) == 8', event: 'e0' }, 9)).toBe(criticalOfOneType);
    const lines = await asText(
      api.as(globex.owner).post(path('/export', globex), { range: '7d', where: 'severity == "info"', format: 'csv' }),
    ).expect(200);
    expect((lines.body as string).trimEnd().split('\r\n')).toHaveLength(1 + 885);
  });

  it('returns the status of GET to a HEAD request', async () => {
    const { status } = await fetch(new URL(path(), service.url), {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${acme.owner.accessToken}` },
    });
    expect(status).toBe(200);
  });

  describe('the export', () => {
    const send = (body: object) => api.as(acme.owner).post(path('/export'), body);
    const exported = (body: object) => asText(send(body)).expect(200);

    it("writes the explorer's events as one line of JSON each", async () => {
      const day = await utcDay();
      const answer = await exported({ range: 'all' });
      expect(answer.headers['content-type']).toBe('application/x-ndjson');
      expect(answer.headers['content-disposition']).toBe(
        `attachment; filename="events-${acme.projectId}-${day}.ndjson"`,
      );
      const lines = (answer.body as string).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line) as EventItem)).toEqual((await page({ range: 'all' })).items);
      const filtered = await exported({ range: 'all', severity: 'critical', event: 'b', format: 'ndjson' });
      expect((filtered.body as string).split('\n')).toHaveLength(2);
      expect((await exported({ severity: 'none' })).body).toBe('');
    });

    it('needs no body in its request', async () => {
      const answer = await asText(api.as(acme.owner).post(path('/export'))).expect(200);
      expect(answer.headers['content-type']).toBe('application/x-ndjson');
    });

    it('writes CSV with a line of names', async () => {
      const answer = await exported({ format: 'csv', event: 'c' });
      expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
      const [head, line, end] = (answer.body as string).split('\r\n');
      expect(head).toMatch(/^id,project_id,.*,timestamp,created_at$/);
      expect(line).toContain(',c,web,critical,failed,staging,,,"{""source""');
      expect(end).toBe('');
    });

    it('returns 422 for an unknown format, a malformed source and a window that ends before its start', async () => {
      await send({ format: 'xml' }).expect(422);
      await send({ source_id: 'x' }).expect(422);
      await send({ from_ts: ago(0), to_ts: ago(1) }).expect(422);
    });

    it('cuts the connection when a read fails after the first bytes', async () => {
      const globex = await tenant();
      await insertLargeEvents(globex.projectId, 400);
      await countEvents(globex.projectId);
      const requestId = randomUUID();
      const url = new URL(path('/export', globex), service.url);
      const headers = { Authorization: `Bearer ${globex.owner.accessToken}`, 'X-Request-ID': requestId };
      const outcome = await new Promise<string>((resolve) => {
        httpRequest(url, { method: 'POST', headers }, (response) => {
          response.once('data', () => {
            response.pause();
            failNextStatement(requestId, 'JOIN events').then(
              () => response.resume(),
              (error: unknown) => response.destroy(error as Error),
            );
          });
          response.on('end', () => resolve('ended')).on('error', (error) => resolve(error.message));
        }).end();
      });
      expect(outcome).toBe('aborted');
      const lines = (await logText()).split('\n').filter((line) => line.includes(requestId));
      expect(lines.join('\n')).toContain('A test made this statement fail');
    });
  });
});
