import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { itOfPostgres } from '../../support/second-store.js';
import { LongReads } from '../../../src/modules/events/long-reads/index.js';

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

describe('logs', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app, 'Tea House');
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
    for (const event of events) {
      await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ source: 'web', ...event })
        .expect(200);
    }
  });
  afterAll(() => app.close());

  const get = (query: Record<string, unknown> = {}) =>
    app
      .request()
      .get('/v1/logs')
      .set('Authorization', owner.bearer)
      .query({ project_id: owner.projectId, ...query });
  const list = async (query: Record<string, unknown> = {}): Promise<LogRow[]> =>
    (await get(query).expect(200)).body as LogRow[];
  const endpoints = async (query: Record<string, unknown>): Promise<string[]> =>
    (await list(query)).map((row) => row.endpoint);

  it('shows the newest first with every derived field', async () => {
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
      api_key_prefix: owner.apiKeyId.slice(0, 8),
      project: 'Tea House',
      request_body: {
        event: 'http.request',
        properties: { method: 'get', path: '/Cart', status_code: 204, latency_ms: 99.4, source: 'web' },
      },
      response_body: { accepted: true, event: 'http.request', status_code: 200 },
    });
  });

  it('classes the latency at its limits', async () => {
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

  it('derives status, prefix and bodies', async () => {
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
  ])('looks back over %s', async (range, count) => {
    expect(await list({ range })).toHaveLength(count);
  });

  it('filters by method in any case, and ALL switches the filter off', async () => {
    expect(await endpoints({ method: 'post' })).toEqual(['/orders']);
    expect(await endpoints({ method: 'EVENT' })).toEqual(['/events/payment_error', '/events/invoice.sent']);
    expect(await endpoints({ method: 'all' })).toHaveLength(7);
    expect(await endpoints({ method: 'PO' })).toEqual([]);
  });

  it('hides noise by exact endpoint', async () => {
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
  ])('searches %s in endpoint, method and event name', async (query, expected) => {
    expect(await endpoints({ query })).toEqual(expected);
  });

  it('takes wildcards literally and finds everything by the name of the project', async () => {
    expect(await endpoints({ query: '100%_', range: '7d' })).toEqual(['/events/invoice.100%_off']);
    expect(await endpoints({ query: '_', range: '15m' })).toEqual([]);
    expect(await endpoints({ query: 'tea HOUSE' })).toHaveLength(7);
  });

  it('finds a text in any case of Unicode, whatever its final letter', async () => {
    const other = await ownerWithProject(app);
    const paths = ['/ΟΔΟΣ', '/οδος', '/Straße', '/ПОИСК', '/\u212aelvin', '/ſtatus', '/100%'];
    for (const path of paths) {
      await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', other.apiKey)
        .send({ event_type: 'page', source: 'web', payload: { path } })
        .expect(200);
    }
    const found = async (query: string): Promise<string[]> => {
      const { body } = await app
        .request()
        .get('/v1/logs')
        .set('Authorization', other.bearer)
        .query({ project_id: other.projectId, query })
        .expect(200);
      return (body as LogRow[]).map(({ endpoint }) => endpoint).sort();
    };
    expect(await found('οδος')).toEqual(['/ΟΔΟΣ', '/οδος'].sort());
    expect(await found('ΟΔΟΣ')).toEqual(['/ΟΔΟΣ', '/οδος'].sort());
    expect(await found('STRAẞE')).toEqual(['/Straße']);
    expect(await found('поиск')).toEqual(['/ПОИСК']);
    expect(await found('KELVIN')).toEqual(['/\u212aelvin']);
    expect(await found('status')).toEqual(['/ſtatus']);
    expect(await found('100%')).toEqual(['/100%']);
    expect(await found('δρόμος')).toEqual([]);
  });

  it.each(['method', 'query'])(
    'takes 200 characters of %s and refuses more, which cost the database seconds',
    async (name) => {
      expect(await endpoints({ [name]: 'x'.repeat(200) })).toEqual([]);
      const refused = await get({ [name]: 'x'.repeat(201) }).expect(422);
      expect(refused.body).toMatchObject({ detail: [{ type: 'string_too_long', loc: ['query', name] }] });
    },
  );

  it('limits the rows', async () => {
    expect(await endpoints({ limit: 2 })).toEqual(['/Cart', '/orders']);
    const refused = async (limit: unknown) =>
      ((await get({ limit }).expect(422)).body as { detail: { type: string }[] }).detail[0]?.type;
    expect(await refused(0)).toBe('greater_than_equal');
    expect(await refused(501)).toBe('less_than_equal');
    expect(await refused('many')).toBe('int_parsing');
    expect(await refused('0x10')).toBe('int_parsing');
  });

  it('refuses an unknown range, a missing and a malformed project', async () => {
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
    const logs = (query: object) => app.request().get('/v1/logs').set('Authorization', owner.bearer).query(query);
    await logs({}).expect(422, {
      detail: [{ type: 'missing', loc: ['query', 'project_id'], msg: 'Field required', input: null }],
    });
    await logs({ project_id: 'nope' }).expect(422);
  });

  it('shows nothing to strangers', async () => {
    const stranger = await ownerWithProject(app);
    const answer = await app
      .request()
      .get('/v1/logs')
      .set('Authorization', stranger.bearer)
      .query({ project_id: owner.projectId });
    expect([answer.status, answer.body]).toEqual([403, { detail: 'Not a project member' }]);
    expect(
      (
        await app
          .request()
          .get('/v1/logs')
          .set('Authorization', stranger.bearer)
          .query({ project_id: stranger.projectId })
      ).body,
    ).toEqual([]);
  });

  it('orders events of one instant by id, newest first', async () => {
    const other = await ownerWithProject(app);
    const timestamp = minutesAgo(1);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const answer = await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', other.apiKey)
        .send({ event_type: 'same', source: 's', timestamp });
      ids.push((answer.body as { ingested_event_id: string }).ingested_event_id);
    }
    const rows = (
      await app.request().get('/v1/logs').set('Authorization', other.bearer).query({ project_id: other.projectId })
    ).body as LogRow[];
    expect(rows.map((row) => row.id)).toEqual([...ids].reverse());
  });

  itOfPostgres(
    'gives up searches that take too long, holds others back, and leaves the database to everybody else',
    async () => {
      const owners = [owner, await ownerWithProject(app), await ownerWithProject(app)];
      const searchOf = async ({ bearer, projectId }: Owner): Promise<[number, string, string | undefined]> => {
        const { status, body, headers } = await app
          .request()
          .get('/v1/logs')
          .set('Authorization', bearer)
          .query({ project_id: projectId, query: 'x' });
        return [status, (body as { detail: string }).detail, headers['retry-after']];
      };
      const blocker = new pg.Client({ connectionString: app.databaseUrl });
      await blocker.connect();
      const { limits } = app.nest.get(LongReads, { strict: false });
      const usual = { ...limits };
      Object.assign(limits, { shortMs: 50, patienceMs: 1_000 });
      let answers: Awaited<ReturnType<typeof searchOf>>[];
      try {
        await blocker.query('BEGIN');
        await blocker.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
        let areAnswered = false;
        const searches = Promise.all([...owners, ...owners, ...owners].map(searchOf)).finally(
          () => (areAnswered = true),
        );
        const stuck = async (): Promise<number> =>
          (
            await app.rows<{ count: number }>(
              `SELECT count(*)::int AS count FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%events%'`,
            )
          )[0]?.count ?? 0;
        while ((await stuck()) < 2) await new Promise((resolve) => setTimeout(resolve, 10));
        // Those that begin in a turn of short reads do not stay.
        while ((await stuck()) > 2) await new Promise((resolve) => setTimeout(resolve, 10));
        await app.request().get('/v1/organizations').set('Authorization', owner.bearer).expect(200);
        expect(await stuck()).toBeLessThanOrEqual(2 + 3);
        expect(areAnswered).toBe(false);
        answers = await searches;
      } finally {
        await blocker.end();
        Object.assign(limits, usual);
      }
      const tooLong = [503, 'Log search took too long: choose a shorter range or a more frequent text', '5'];
      const tooMany = [503, 'Too many log searches at once', '2'];
      expect(answers.filter(([, detail]) => detail === tooLong[1])).toEqual([tooLong, tooLong]);
      expect(answers.filter(([, detail]) => detail !== tooLong[1])).toEqual(Array(7).fill(tooMany));
      await get({ query: 'x' }).expect(200);
    },
  );
});
