import { beforeAll, describe, expect, it } from '@jest/globals';
import { api, type Tenant, tenant } from '../../support/service.js';

interface LogRow {
  id: string;
  timestamp: string;
  method: string;
  endpoint: string;
  status: number;
  latency_ms: number;
  latency_bucket: string;
  latency_color: string;
  api_key_prefix: string;
  project: string;
  request_body: Record<string, unknown>;
  response_body: Record<string, unknown>;
}

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

describe('the list of log rows', () => {
  let acme: Tenant;

  beforeAll(async () => {
    acme = await tenant({ projectName: 'Tea House' });
    const events: object[] = [
      {
        event_type: 'http.request',
        timestamp: minutesAgo(1),
        payload: { method: 'get', path: '/Cart', status_code: 204, latency_ms: 99.4 },
      },
      {
        event_type: 'http.request',
        timestamp: minutesAgo(2),
        payload: { http_method: 'POST', endpoint: '/orders', path: '/x', latency_ms: 100 },
      },
      {
        event_type: 'http.request',
        timestamp: minutesAgo(3),
        payload: { method: 'GET', route: '/health', duration_ms: '299.4' },
      },
      {
        event_type: 'http.request',
        timestamp: minutesAgo(4),
        payload: { method: 'GET', path: '/favicon.ico', response_time_ms: 300 },
      },
      { event_type: 'http.request', timestamp: minutesAgo(5), payload: { method: 'GET', path: '/health/deep' } },
      { event_type: 'payment_error', timestamp: minutesAgo(30), payload: { api_key_prefix: 'abcd1234' } },
      {
        event_type: 'invoice.sent',
        timestamp: minutesAgo(120),
        status: 'failed',
        payload: { request: { a: 1 }, response: { b: 2 } },
      },
      {
        event_type: 'invoice.100%_off',
        timestamp: minutesAgo(60 * 30),
        severity: 'warning',
        payload: { request_body: { c: 3 }, response_body: { d: 4 } },
      },
      { event_type: 'old', timestamp: minutesAgo(60 * 24 * 10) },
      { event_type: 'ancient', timestamp: '2015-05-17T10:05:03Z' },
    ];
    for (const event of events) await ingest(acme, event);
  });

  const ingest = ({ key }: Tenant, body: object) =>
    api
      .as(key)
      .post('/v1/events/ingest', { source: 'web', ...body })
      .expect(200);
  const get = (query: object = {}, { owner, projectId }: Tenant = acme) =>
    api.as(owner).get('/v1/logs', { project_id: projectId, ...query });
  const list = async (query: object = {}, of?: Tenant): Promise<LogRow[]> =>
    (await get(query, of).expect(200)).body as LogRow[];
  const endpoints = async (query: object, of?: Tenant): Promise<string[]> =>
    (await list(query, of)).map((row) => row.endpoint);

  it('shows the newest row first, with every derived field', async () => {
    const rows = await list();
    expect(rows.map((row) => row.endpoint)).toEqual([
      '/Cart',
      '/orders',
      '/health',
      '/favicon.ico',
      '/health/deep',
      '/events/payment_error',
      '/events/invoice.sent',
    ]);
    expect(rows[0]).toEqual({
      id: expect.any(String),
      timestamp: expect.stringMatching(/Z$/),
      method: 'GET',
      endpoint: '/Cart',
      status: 204,
      latency_ms: 99,
      latency_bucket: 'fast',
      latency_color: 'green',
      api_key_prefix: acme.key.id.slice(0, 8),
      project: 'Tea House',
      request_body: {
        event: 'http.request',
        properties: { method: 'get', path: '/Cart', status_code: 204, latency_ms: 99.4, source: 'web' },
      },
      response_body: { accepted: true, event: 'http.request', status_code: 200 },
    });
  });

  it('names a latency slow from 100 ms and very slow from 300 ms', async () => {
    const rows = await list();
    const classes = rows.slice(0, 5).map((row) => [row.latency_ms, row.latency_bucket, row.latency_color]);
    expect(classes).toEqual([
      [99, 'fast', 'green'],
      [100, 'slow', 'yellow'],
      [299, 'slow', 'yellow'],
      [300, 'very_slow', 'red'],
      [0, 'fast', 'green'],
    ]);
  });

  it('derives the status, the prefix of the key and both bodies from the event', async () => {
    const rows = await list({ range: '7d' });
    const by = (endpoint: string) => rows.find((row) => row.endpoint === endpoint);
    expect(by('/events/payment_error')).toMatchObject({ method: 'EVENT', status: 500, api_key_prefix: 'abcd1234' });
    expect(by('/events/invoice.sent')).toMatchObject({ status: 500, request_body: { a: 1 }, response_body: { b: 2 } });
    expect(by('/events/invoice.100%_off')).toMatchObject({
      status: 400,
      request_body: { c: 3 },
      response_body: { d: 4 },
    });
  });

  it.each([
    ['15m', 5],
    ['1h', 6],
    ['24h', 7],
    ['7d', 8],
    ['30d', 9],
    ['all', 10],
  ])('covers the range %s, in which %i events lie', async (range, count) => {
    expect(await list({ range })).toHaveLength(count);
  });

  it('filters by a method in any case, and not at all by ALL', async () => {
    expect(await endpoints({ method: 'post' })).toEqual(['/orders']);
    expect(await endpoints({ method: 'EVENT' })).toEqual(['/events/payment_error', '/events/invoice.sent']);
    expect(await endpoints({ method: 'all' })).toHaveLength(7);
    expect(await endpoints({ method: 'PO' })).toEqual([]);
  });

  it('hides noise by its exact endpoint', async () => {
    expect(await endpoints({ hide_noise: 'true' })).not.toContain('/health');
    expect(await endpoints({ hide_noise: 'yes' })).toEqual([
      '/Cart',
      '/orders',
      '/health/deep',
      '/events/payment_error',
      '/events/invoice.sent',
    ]);
    expect(await endpoints({ hide_noise: '0' })).toHaveLength(7);
  });

  it.each([
    ['cart', ['/Cart']],
    ['ORDER', ['/orders']],
    ['post', ['/orders']],
    ['payment_', ['/events/payment_error']],
    ['%_off', []],
    ['no such thing', []],
  ])('searches endpoint, method and event name for %j and finds %j', async (query, expected) => {
    expect(await endpoints({ query })).toEqual(expected);
  });

  it.each([
    [{ where: 'log.status >= 500' }, ['/events/payment_error', '/events/invoice.sent']],
    [{ where: 'log.status >= 500', query: 'PAYMENT' }, ['/events/payment_error']],
    [{ where: 'log.status >= 500', query: 'TEA' }, ['/events/payment_error', '/events/invoice.sent']],
    [{ where: 'length(event) == 12', method: 'get', hide_noise: 'true' }, ['/Cart', '/health/deep']],
    [{ where: 'properties.latency_ms >= 100 or properties.method == "get"', limit: 1 }, ['/Cart']],
    [{ where: 'event == "old"' }, []],
    [{ where: 'event == "old"', range: '30d' }, ['/events/old']],
  ])('shows for %j only the rows %j', async (query, expected) => {
    expect(await endpoints(query)).toEqual(expected);
  });

  it('returns 422 for a condition that is no EQL', async () => {
    const { body } = await get({ where: 'nowhere(event)' }).expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'value_error', loc: ['query', 'where'] }] });
  });

  it('takes the wildcards of SQL literally', async () => {
    expect(await endpoints({ query: '100%_', range: '7d' })).toEqual(['/events/invoice.100%_off']);
    expect(await endpoints({ query: '_', range: '15m' })).toEqual([]);
  });

  it('shows every row when the name of the project contains the text', async () => {
    expect(await endpoints({ query: 'tea HOUSE' })).toHaveLength(7);
  });

  it('finds a text in any case of Unicode, also by a final sigma', async () => {
    const globex = await tenant();
    const paths = ['/ΟΔΟΣ', '/οδος', '/Straße', '/ПОИСК', '/\u212aelvin', '/ſtatus', '/100%'];
    for (const path of paths) await ingest(globex, { event_type: 'page', payload: { path } });
    const found = async (query: string): Promise<string[]> => (await endpoints({ query }, globex)).sort();
    expect(await found('οδος')).toEqual(['/ΟΔΟΣ', '/οδος'].sort());
    expect(await found('ΟΔΟΣ')).toEqual(['/ΟΔΟΣ', '/οδος'].sort());
    expect(await found('STRAẞE')).toEqual(['/Straße']);
    expect(await found('поиск')).toEqual(['/ПОИСК']);
    expect(await found('KELVIN')).toEqual(['/\u212aelvin']);
    expect(await found('status')).toEqual(['/ſtatus']);
    expect(await found('100%')).toEqual(['/100%']);
    expect(await found('δρόμος')).toEqual([]);
  });

  it.each(['method', 'query'])('accepts 200 characters of %s and returns 422 for 201', async (name) => {
    expect(await endpoints({ [name]: 'x'.repeat(200) })).toEqual([]);
    const refused = await get({ [name]: 'x'.repeat(201) }).expect(422);
    expect(refused.body).toMatchObject({ detail: [{ type: 'string_too_long', loc: ['query', name] }] });
  });

  it('shows as many rows as the limit allows', async () => {
    expect(await endpoints({ limit: 2 })).toEqual(['/Cart', '/orders']);
  });

  it.each([
    [0, 'greater_than_equal'],
    [501, 'less_than_equal'],
    ['many', 'int_parsing'],
    ['0x10', 'int_parsing'],
  ])('returns 422 for the limit %s, with the type %s', async (limit, type) => {
    const { body } = await get({ limit }).expect(422);
    expect((body as { detail: { type: string }[] }).detail[0]?.type).toBe(type);
  });

  it('returns 422 for an unknown range', async () => {
    const unknown = await get({ range: '2h' }).expect(422);
    expect(unknown.body).toEqual({
      detail: [
        {
          type: 'literal_error',
          loc: ['query', 'range'],
          msg: "Input should be '15m', '1h', '24h', '7d', '30d' or 'all'",
          input: '2h',
          ctx: { expected: "'15m', '1h', '24h', '7d', '30d' or 'all'" },
        },
      ],
    });
  });

  it('returns 422 for a missing and a malformed project', async () => {
    const logs = (query: object) => api.as(acme.owner).get('/v1/logs', query);
    await logs({}).expect(422, {
      detail: [{ type: 'missing', loc: ['query', 'project_id'], msg: 'Field required', input: null }],
    });
    await logs({ project_id: 'nope' }).expect(422);
  });

  it('returns 403 to the owner of another project, whose own list is empty', async () => {
    const globex = await tenant();
    const refused = await api.as(globex.owner).get('/v1/logs', { project_id: acme.projectId });
    expect([refused.status, refused.body]).toEqual([403, { detail: 'Not a project member' }]);
    expect(await list({}, globex)).toEqual([]);
  });

  it.each([
    {},
    { query: 'EVENTS/' },
    { method: 'get', hide_noise: 'true' },
    { where: 'log.status >= 400' },
    { where: 'length(event) > 5', query: 'e' },
  ])('continues after the row that before names, under the filters %j', async (filter) => {
    const whole = await list({ range: '30d', ...filter });
    expect(whole.length).toBeGreaterThan(1);
    for (const [at, { id }] of whole.entries())
      expect(await list({ range: '30d', ...filter, before: id, limit: 2 })).toEqual(whole.slice(at + 1, at + 3));
  });

  it('prefers from_ts, which is inclusive, and to_ts, which is not, to the range', async () => {
    const [first, second, third] = await list();
    const between = { from_ts: third?.timestamp, to_ts: first?.timestamp };
    expect(await list({ range: '15m', ...between })).toEqual([second, third]);
    expect(await list({ range: 'all', ...between, before: second?.id, query: 'http' })).toEqual([third]);
    expect(await endpoints({ to_ts: '2015-05-17T10:05:03.001Z', range: '15m' })).toEqual(['/events/ancient']);
    const { body } = await get({ from_ts: first?.timestamp, to_ts: third?.timestamp }).expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'value_error', loc: ['query', 'to_ts'] }] });
  });

  it('returns 422 for a before that is malformed, and for one that names no row of the project', async () => {
    const globex = await tenant();
    const { body: theirs } = await ingest(globex, { event_type: 'theirs' });
    const foreign = (theirs as { ingested_event_id: string }).ingested_event_id;
    for (const before of [foreign, '0199f3a1-0000-7000-8000-000000000000']) {
      const { body } = await get({ before }).expect(422);
      expect(body).toEqual({
        detail: [
          {
            type: 'value_error',
            loc: ['query', 'before'],
            msg: 'Value error, before must be the id of a log row',
            input: before,
            ctx: { error: {} },
          },
        ],
      });
    }
    const malformed = await get({ before: 'x' }).expect(422);
    expect(malformed.body).toMatchObject({ detail: [{ type: 'uuid_parsing', loc: ['query', 'before'] }] });
  });

  it('orders events of one instant by id, the newest first', async () => {
    const globex = await tenant();
    const timestamp = minutesAgo(1);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { body } = await ingest(globex, { event_type: 'same', timestamp });
      ids.push((body as { ingested_event_id: string }).ingested_event_id);
    }
    expect((await list({}, globex)).map((row) => row.id)).toEqual([...ids].reverse());
    for (const where of [undefined, 'event == "same"', 'length(event) == 4']) {
      const later = await list({ where, before: ids[3], limit: 2 }, globex);
      expect(later.map((row) => row.id)).toEqual([ids[2], ids[1]]);
    }
  });
});
