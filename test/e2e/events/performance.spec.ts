import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as newId } from 'uuid';
import { eventually } from '../../support/eventually.js';
import { endpointOf, failuresOf, pairsOf, summaryOf } from '../../support/request-model.js';
import { isOnClickHouse } from '../../support/running-service.js';
import { type Account, api, job, outsider, type Tenant, tenant } from '../../support/service.js';
import {
  deleteEvent,
  deleteRollups,
  dueRollups,
  insertEqualRequests,
  insertMeasuredRequests,
  largestRollups,
  rolledUpDays,
  storedRequests,
} from '../../support/sql-builders/event-performance.js';
import { countEvents, type EventRow, insertEvents } from '../../support/sql-builders/event-rows.js';
import { itOfPostgres } from '../../support/stores.js';

const HOUR_MS = 3_600_000;
/** The hours from this one on have ended for three days. */
const BEGINNING = Math.floor(Date.now() / HOUR_MS - 73) * HOUR_MS;
const SOURCES = [newId(), newId()];
const PATHS = ['summary', 'timeseries', 'endpoints', 'slowest', 'errors'];
/** ClickHouse answers what 20,000 requests have to be read for. These have no latency, and an endpoint of their own. */
const PADDING = isOnClickHouse ? 20_000 : 0;
/** In lists of endpoints. */
const PADDED = isOnClickHouse ? 1 : 0;

type Query = Readonly<Record<string, string | number>>;
type Answer = Readonly<Record<string, unknown>>;

const at = (ms: number): string => new Date(BEGINNING + ms).toISOString();
const ask = (of: Tenant, path: string, query: Query = {}, caller: Account = of.owner) =>
  api.as(caller).get(`/v1/performance/${path}`, { project_id: of.projectId, ...query });

async function read<T = Answer>(of: Tenant, path: string, query: Query): Promise<T> {
  const { status, body } = await ask(of, path, query);
  expect([path, query, status, status === 200 ? null : (body as unknown)]).toEqual([path, query, 200, null]);
  return body as T;
}

/** Stores requests and counts them. */
async function put({ projectId }: Tenant, rows: readonly EventRow[]): Promise<void> {
  await insertEvents(projectId, rows);
  await countEvents(projectId);
}

/** Stores what ClickHouse is asked for, before {@link put}. */
async function pad({ projectId }: Tenant, ms: number, { method = 'GET', endpoint = '/padding' } = {}): Promise<void> {
  const padding = { count: PADDING, from: new Date(BEGINNING + ms), method, endpoint };
  if (PADDING > 0) await insertEqualRequests(projectId, padding);
}

/** Waits for the rollups of a project, which the service also makes by itself once a minute. */
async function rollupsMade({ projectId }: Tenant): Promise<void> {
  await eventually(
    async () => {
      await job('maintenance');
      return dueRollups(projectId);
    },
    (due) => due === 0,
    (due) => `${due} rollups are still due`,
  );
}

/** Answers are the same whether they are read from events or from rollups. */
async function beforeAndAfterRollups(of: Tenant, check: () => Promise<void>): Promise<void> {
  await check();
  await rollupsMade(of);
  await check();
}

/** Some 300 requests over 70 hours. */
function someRequests(): EventRow[] {
  return Array.from({ length: 300 }, (_, n) => ({
    timestamp: new Date(BEGINNING + (n % 70) * HOUR_MS + n * 1_000),
    event: ['a', 'b', 'c.error'][n % 3]!,
    source_id: SOURCES[n % 3] ?? null,
    severity: n % 2 === 0 ? 'info' : null,
    environment: n % 5 === 0 ? 'staging' : 'production',
    log_method: n % 4 === 0 ? 'POST' : 'GET',
    log_endpoint: ['/a', '/a/b', '/c'][n % 3]!,
    log_status: [200, 204, 404, 500, 503][n % 5]!,
    ...(n % 7 > 0 && { log_latency_ms: n * 7 }),
  }));
}

describe('The performance of requests', () => {
  let acme: Tenant;

  beforeAll(async () => {
    acme = await tenant();
    await put(acme, someRequests());
  });

  it('is read from rollups, and not from the events of hours that have one', async () => {
    const globex = await tenant();
    await put(globex, someRequests());
    await rollupsMade(globex);
    const window = { from_ts: at(24 * HOUR_MS), to_ts: at(60 * HOUR_MS) };
    const answers = async (): Promise<Answer[]> => {
      const all = [];
      for (const path of ['summary', 'endpoints', 'errors']) all.push(await read(globex, path, window));
      return [...all, await read(globex, 'timeseries', { ...window, interval: 'hour' })];
    };
    const before = await answers();
    expect(before[0]?.requests).toBeGreaterThan(0);
    // No counter has this event, so a read of events alone would find it.
    await insertEvents(globex.projectId, [{ timestamp: new Date(BEGINNING + 30 * HOUR_MS), log_status: 500 }]);
    expect(await answers()).toEqual(before);
  });

  it('has no numbers in a project without requests', async () => {
    const globex = await tenant();
    expect(await read(globex, 'summary', { range: 'all' })).toMatchObject({
      requests: 0,
      requests_per_minute: 0,
      error_rate: 0,
      latency: { min_ms: null, avg_ms: null, p50_ms: null, max_ms: null },
      apdex: { score: null, satisfied: 0 },
      previous: null,
      change: null,
    });
    expect(await read(globex, 'timeseries', { range: 'all' })).toMatchObject({ points: [] });
    expect(await read(globex, 'endpoints', { range: 'all' })).toMatchObject({ items: [], total: 0 });
    expect(await read(globex, 'errors', { range: 'all' })).toMatchObject({
      requests: 0,
      failed: 0,
      failure_rate: 0,
      by_status: [],
      by_endpoint: [],
    });
    expect(await read(globex, 'slowest', { range: 'all' })).toEqual([]);
  });

  it('begins with the first request over the range all', async () => {
    const globex = await tenant();
    const first = Date.UTC(2024, 1, 28, 10, 30);
    await put(globex, [
      { timestamp: new Date(first), log_latency_ms: 5 },
      { timestamp: new Date(first + 86_400_000), log_status: 500 },
    ]);
    await beforeAndAfterRollups(globex, async () => {
      const series = await read<{ interval: string; points: { ts: string; requests: number }[] }>(
        globex,
        'timeseries',
        { range: 'all', interval: 'day', timezone: 'Asia/Kolkata' },
      );
      expect(series.points.slice(0, 3).map(({ ts, requests }) => [ts, requests])).toEqual([
        ['2024-02-27T18:30:00.000Z', 1],
        ['2024-02-28T18:30:00.000Z', 1],
        ['2024-02-29T18:30:00.000Z', 0],
      ]);
      expect((await read<typeof series>(globex, 'timeseries', { range: 'all' })).interval).toBe('week');
      const all = await read<{ requests: number; requests_per_minute: number; to_ts: string }>(globex, 'summary', {
        range: 'all',
      });
      expect(all.requests_per_minute).toBe(2 / ((Date.parse(all.to_ts) - first) / 60_000));
      const none = await read<typeof all>(globex, 'summary', { range: 'all', event: 'none' });
      expect([none.requests, none.requests_per_minute]).toEqual([0, 0]);
      // Bounds win over the range all.
      const bounded = await read(globex, 'summary', { range: 'all', from_ts: new Date(first).toISOString() });
      expect(bounded).toMatchObject({
        requests: 2,
        previous: { requests: 0, apdex: null },
        change: { requests: null, apdex: null },
      });
    });
  });

  it('has a thousand endpoints of an hour one by one, and the others together', async () => {
    const globex = await tenant();
    const hour = 10 * HOUR_MS;
    const pair = (n: number): string => `/pair/${String(n).padStart(4, '0')}`;
    const rows = Array.from({ length: 1_006 }, (_, n): EventRow[] =>
      Array.from({ length: n < 900 ? 2 : 1 }, (__, k) => ({
        timestamp: new Date(BEGINNING + hour + n + k),
        log_endpoint: pair(n),
        log_method: 'GET',
        log_status: n === 1_003 ? 503 : 200,
        log_latency_ms: n,
      })),
    ).flat();
    await pad(globex, hour + HOUR_MS);
    await put(globex, [
      ...rows,
      { timestamp: new Date(BEGINNING + hour + HOUR_MS), log_endpoint: pair(1_003), log_latency_ms: 1 },
    ]);
    const window = { from_ts: at(hour), to_ts: at(hour + 2 * HOUR_MS) };
    const all = await storedRequests(globex.projectId);
    await beforeAndAfterRollups(globex, async () => {
      const page = await read<{ items: Answer[]; total: number }>(globex, 'endpoints', {
        ...window,
        limit: 200,
        offset: 900,
      });
      expect(page.total).toBe(1_002 + PADDED);
      const pairs = pairsOf(all).sort((a, b) => b.requests.length - a.requests.length);
      expect(page.items).toEqual(
        pairs
          .slice(900, 1_100)
          .map((one) => ({ ...endpointOf(one, all), requests_per_minute: one.requests.length / 120 })),
      );
      const top = await read<{ items: Answer[] }>(globex, 'endpoints', { ...window, limit: 1 + PADDED });
      expect(top.items[PADDED]).toMatchObject({ method: null, endpoint: null, requests: 6, errors: 1, max_ms: 1_005 });
      expect(await read(globex, 'errors', window)).toMatchObject({
        by_endpoint: [{ method: null, endpoint: null, failed: 1, requests: 6 }],
      });
      // A filter by name still finds it.
      expect(await read(globex, 'summary', { ...window, endpoint: pair(1_003) })).toMatchObject({
        requests: 2,
        errors: 1,
      });
      expect(await read(globex, 'endpoints', { ...window, endpoint: pair(1_003), method: 'get' })).toMatchObject({
        total: 1,
        items: [{ endpoint: pair(1_003), requests: 1 }],
      });
    });
  });

  it('has percentiles within one percent above five thousand requests, with and without rollups', async () => {
    const globex = await tenant();
    const requests = 14_000 + PADDING;
    const everyMs = isOnClickHouse ? 280 : 700;
    const from = new Date(BEGINNING + 20 * HOUR_MS + 1_234_567);
    await insertMeasuredRequests(globex.projectId, { count: requests, from, everyMs });
    await countEvents(globex.projectId);
    const exact = summaryOf(await storedRequests(globex.projectId), [], 5_000);
    const window = { from_ts: at(20 * HOUR_MS), to_ts: at(30 * HOUR_MS) };
    const answers: Answer[] = [];
    await beforeAndAfterRollups(globex, async () => {
      const summary = await read<{ latency: Record<string, number>; apdex: Record<string, number> }>(
        globex,
        'summary',
        { ...window, apdex_ms: 5_000 },
      );
      for (const [name, value] of Object.entries(exact.latency)) {
        const tolerance = name.startsWith('p') ? Math.max(1, Number(value) * 0.0101) : 0;
        expect(Math.abs((summary.latency[name] ?? -1) - Number(value))).toBeLessThanOrEqual(tolerance);
      }
      expect(summary).toMatchObject({ requests, measured: exact.measured, buckets: exact.buckets });
      for (const name of ['satisfied', 'tolerating', 'frustrated'] as const) {
        expect(Math.abs((summary.apdex[name] ?? 0) - exact.apdex[name])).toBeLessThanOrEqual(exact.measured * 0.01);
      }
      answers.push({ summary, endpoints: await read(globex, 'endpoints', { ...window, sort: 'p95' }) });
    });
    expect(answers[1]).toEqual(answers[0]);
  });

  it('distinguishes long endpoints, and keeps and shows no more than their beginnings', async () => {
    const globex = await tenant();
    const { projectId } = globex;
    const long = 'ä'.repeat(5_000);
    await pad(globex, 0);
    await put(
      globex,
      [`${long}1`, `${long}2`, `${long}2`, long.slice(0, 2_000)].flatMap((log_endpoint) =>
        [0, HOUR_MS].map((after) => ({ timestamp: new Date(BEGINNING + after), log_endpoint, log_status: 500 })),
      ),
    );
    const window = { from_ts: at(0), to_ts: at(2 * HOUR_MS) };
    const check = async (): Promise<void> => {
      const { items } = await read<{ items: { endpoint: string; requests: number }[] }>(globex, 'endpoints', window);
      const listed = items.slice(PADDED);
      expect(listed.map(({ requests }) => requests)).toEqual([4, 2, 2]);
      expect(listed.map(({ endpoint }) => endpoint)).toEqual(Array.from({ length: 3 }, () => long.slice(0, 2_000)));
      const failed = await read<{ by_endpoint: { endpoint: string }[] }>(globex, 'errors', window);
      expect(failed.by_endpoint.map(({ endpoint }) => endpoint.length)).toEqual([2_000, 2_000, 2_000]);
      // The filter finds only the endpoint that has no more characters than that.
      expect(await read(globex, 'summary', { ...window, endpoint: long.slice(0, 2_000) })).toMatchObject({
        requests: 2,
      });
    };
    await beforeAndAfterRollups(globex, check);
    // One hour is read from its events, the other one from its rollup.
    await deleteRollups(projectId, window.from_ts);
    await check();
    expect((await largestRollups(projectId)).characters).toBe(2_064);
  });

  it('has the most frequent failed statuses of each endpoint, and the numbers of all', async () => {
    const globex = await tenant();
    const rows = Array.from({ length: 1_000 }, (_, n): EventRow[] => [
      { timestamp: new Date(BEGINNING + n), log_endpoint: '/wild', log_status: 400 + (n < 700 ? n % 350 : n % 10) },
      { timestamp: new Date(BEGINNING + n), log_endpoint: '/wild', log_status: -n },
      { timestamp: new Date(BEGINNING + n), log_endpoint: '/tame', log_status: 500 + (n % 200) },
    ]);
    await pad(globex, 0);
    await put(globex, rows.flat());
    const all = await storedRequests(globex.projectId);
    const window = { from_ts: at(0), to_ts: at(HOUR_MS), status_from: 400 };
    await beforeAndAfterRollups(globex, async () => {
      const errors = await read<{ by_status: Answer[]; by_endpoint: { endpoint: string; statuses: Answer[] }[] }>(
        globex,
        'errors',
        window,
      );
      const requests = 3_000 + PADDING;
      expect(errors).toMatchObject({ requests, failed: 2_000, failure_rate: 2_000 / requests });
      expect(errors.by_endpoint.map(({ endpoint, statuses }) => [endpoint, statuses.length, statuses[0]])).toEqual([
        ['/tame', 50, { status: 500, requests: 5 }],
        ['/wild', 50, { status: 400, requests: 32 }],
      ]);
      expect(errors.by_status).toHaveLength(200);
      expect(errors.by_status[0]).toMatchObject({ status: 400, requests: 32 });
      // Nothing else is left out.
      const exact = await read<{ by_status: Answer[] }>(globex, 'errors', { ...window, endpoint: '/tame' });
      const tame = all.filter(({ endpoint }) => endpoint === '/tame');
      expect(exact.by_status).toEqual(failuresOf(tame, 400, 50).by_status);
    });
    expect((await largestRollups(globex.projectId)).statuses).toBe(200);
  });

  // PostgreSQL decides which hours it reads.
  itOfPostgres('has the slowest requests without reading hours that cannot have them', async () => {
    const globex = await tenant();
    const rows = Array.from({ length: 40 }, (_, hour): EventRow[] => [
      { timestamp: new Date(BEGINNING + hour * HOUR_MS), log_latency_ms: 1_000 },
      { timestamp: new Date(BEGINNING + hour * HOUR_MS + 1), log_latency_ms: hour },
    ]).flat();
    await put(globex, rows);
    const query = { range: '30d', limit: 3 };
    const before = await read<{ timestamp: string }[]>(globex, 'slowest', query);
    expect(before.map(({ timestamp }) => timestamp)).toEqual([39, 38, 37].map((hour) => at(hour * HOUR_MS)));
    await rollupsMade(globex);
    // No counter has this event, so no hour that is read has it.
    const [id = ''] = await insertEvents(globex.projectId, [
      { timestamp: new Date(BEGINNING + 2), log_latency_ms: 5_000 },
    ]);
    expect(await read(globex, 'slowest', { ...query, min_ms: 1_001 })).toEqual([]);
    await deleteEvent(globex.projectId, id);
    expect(await read(globex, 'slowest', query)).toEqual(before);
  });

  it.each(PATHS)('is shown by /%s to viewers, and not to strangers or without credentials', async (path) => {
    const globex = await tenant();
    await ask(acme, path, {}, await acme.viewer()).expect(200);
    await ask(acme, path, {}, globex.owner).expect(403);
    await ask(acme, path, {}, await outsider()).expect(403);
    await api.get(`/v1/performance/${path}`, { project_id: acme.projectId }).expect(401);
  });

  it('has nothing of another project, not even by the source of that project', async () => {
    const globex = await tenant();
    expect(await read(globex, 'summary', { range: '30d' })).toMatchObject({ requests: 0 });
    const query = { range: '30d', source_id: SOURCES[0] ?? '' };
    expect((await read<{ requests: number }>(acme, 'summary', query)).requests).toBeGreaterThan(0);
    expect(await read(globex, 'summary', query)).toMatchObject({ requests: 0, measured: 0 });
    expect(await read(globex, 'endpoints', query)).toMatchObject({ items: [], total: 0 });
    expect(await read(globex, 'errors', query)).toMatchObject({ requests: 0, failed: 0, by_endpoint: [] });
    expect(await read(globex, 'slowest', query)).toEqual([]);
    const { points } = await read<{ points: { requests: number }[] }>(globex, 'timeseries', query);
    expect(points.reduce((sum, point) => sum + point.requests, 0)).toBe(0);
  });

  it.each(PATHS)('keeps in /%s to the given bounds although the range is all', async (path) => {
    const bounds = { from_ts: at(3 * HOUR_MS), to_ts: at(20 * HOUR_MS), timezone: 'UTC' };
    const answer = await read(acme, path, bounds);
    expect(await read(acme, path, { ...bounds, range: 'all' })).toEqual(answer);
  });

  it('has a window before if one bound is given, and none over the range all', async () => {
    const from_ts = at(3 * HOUR_MS);
    const open = await read<{ from_ts: string; previous: object | null }>(acme, 'summary', { from_ts, range: 'all' });
    expect([open.from_ts, open.previous === null]).toEqual([from_ts, false]);
    expect(await read(acme, 'summary', { range: 'all' })).toMatchObject({ previous: null });
  });

  it.each([
    ['summary', { apdex_ms: 0 }, 'apdex_ms', 'greater_than_equal'],
    ['summary', { apdex_ms: 600_001 }, 'apdex_ms', 'less_than_equal'],
    ['summary', { apdex_ms: '1.5' }, 'apdex_ms', 'int_parsing'],
    ['summary', { compare: 'next' }, 'compare', 'literal_error'],
    ['summary', { range: '2h' }, 'range', 'literal_error'],
    ['summary', { source_id: 'x' }, 'source_id', 'uuid_parsing'],
    ['summary', { endpoint: 'x'.repeat(2_001) }, 'endpoint', 'string_too_long'],
    ['summary', { method: '\u0000' }, 'method', 'value_error'],
    ['summary', { where: '' }, 'where', 'string_too_short'],
    ['timeseries', { where: 'event ==' }, 'where', 'value_error'],
    ['slowest', { where: `event == "${'x'.repeat(2_000)}"` }, 'where', 'string_too_long'],
    ['errors', { where: 'nothing(event)' }, 'where', 'value_error'],
    ['endpoints', { where: 'any where true' }, 'where', 'value_error'],
    ['endpoints', { group_by: 'path' }, 'group_by', 'literal_error'],
    ['endpoints', { requests_only: 'maybe' }, 'requests_only', 'bool_parsing'],
    ['summary', { from_ts: '2026-01-02T00:00:00Z', to_ts: '2026-01-01T00:00:00Z' }, 'to_ts', 'value_error'],
    ['timeseries', { interval: 'month' }, 'interval', 'literal_error'],
    ['timeseries', { interval: 'minute', range: '30d' }, 'interval', 'value_error'],
    ['timeseries', { timezone: 'Mars/Base' }, 'timezone', 'value_error'],
    ['endpoints', { sort: 'p50' }, 'sort', 'literal_error'],
    ['endpoints', { min_requests: 0 }, 'min_requests', 'greater_than_equal'],
    ['endpoints', { limit: 201 }, 'limit', 'less_than_equal'],
    ['endpoints', { offset: -1 }, 'offset', 'greater_than_equal'],
    ['slowest', { limit: 101 }, 'limit', 'less_than_equal'],
    ['slowest', { min_ms: -1 }, 'min_ms', 'greater_than_equal'],
    ['errors', { status_from: 404 }, 'status_from', 'literal_error'],
    ['errors', { limit: 0 }, 'limit', 'greater_than_equal'],
  ])('is refused by /%s with the query %j', async (path, query, name, type) => {
    const { body } = await ask(acme, path, query as unknown as Query).expect(422);
    expect((body as { detail: object[] }).detail).toEqual([expect.objectContaining({ type, loc: ['query', name] })]);
  });

  // SQL decides the first condition of each pair. The second one is evaluated event by event.
  it.each(PATHS)('is in /%s the same by a condition as by the filter that selects the same requests', async (path) => {
    const bounds = { from_ts: at(3 * HOUR_MS), to_ts: at(60 * HOUR_MS) };
    const more: Query = path === 'timeseries' ? { interval: 'day', timezone: 'UTC' } : {};
    const staging = ['environment == "staging"', 'concat(environment, "!") == "staging!"'];
    const cases: readonly (readonly [filter: Query, beside: Query, ...conditions: string[]])[] = [
      [{ environment: 'staging' }, {}, ...staging],
      [{ environment: 'staging', method: 'POST' }, { method: 'post' }, ...staging],
      [{ method: 'post' }, {}, 'log.method == "POST"', 'length(log.method) == 4'],
      [
        { endpoint: '/a', event: 'a' },
        { event: 'a' },
        'log.endpoint : "/A"',
        'length(log.endpoint) == 2 and event == "a"',
      ],
    ];
    for (const [filter, beside, ...conditions] of cases) {
      const expected = await read(acme, path, { ...bounds, ...more, ...filter });
      for (const where of conditions) {
        expect([where, await read(acme, path, { ...bounds, ...more, ...beside, where })]).toEqual([where, expected]);
      }
    }
  });

  it.each(['event == "b"', 'length(event) == 1 and event regex "b"'])(
    'begins with the first request that matches %s over the range all',
    async (where) => {
      const asked = { range: 'all', interval: 'day', timezone: 'UTC' };
      const pointsOf = async (query: Query): Promise<Answer[]> =>
        (await read<{ points: Answer[] }>(acme, 'timeseries', { ...asked, ...query })).points.slice(0, 3);
      expect(await pointsOf({ where })).toEqual(await pointsOf({ event: 'b' }));
      expect(await pointsOf({ where: 'event == "nothing"' })).toEqual([]);
      const { requests } = await read(acme, 'summary', { range: 'all', event: 'b' });
      expect(await read(acme, 'summary', { range: 'all', where })).toMatchObject({ requests });
    },
  );

  it('has the routes of requests in place of their endpoints', async () => {
    const globex = await tenant();
    await pad(globex, 0, { method: 'EVENT', endpoint: '/events/e' });
    const rows: Omit<EventRow, 'timestamp'>[] = [
      { log_endpoint: '/orders/12', log_latency_ms: 30 },
      { log_endpoint: '/orders/13?all=1', log_latency_ms: 10, log_status: 503 },
      { log_endpoint: '/orders/0123456789abcdef/items', properties: { route: '/orders/:id' }, log_latency_ms: 20 },
      { log_endpoint: '/orders/14', log_method: 'PUT' },
      { log_endpoint: '/orders/15', properties: { http_route: '/orders/{order}', tier: 'gold' }, log_latency_ms: 5 },
    ];
    await put(globex, [
      ...rows.map((row, n) => ({ log_method: 'GET', ...row, timestamp: new Date(BEGINNING + HOUR_MS / 2 + n) })),
      { timestamp: new Date(BEGINNING + HOUR_MS), event: 'sign.up' },
    ]);
    const asked = { from_ts: at(0), to_ts: at(2 * HOUR_MS), group_by: 'route', requests_only: 'true' };
    await beforeAndAfterRollups(globex, async () => {
      const page = await read<{ items: Answer[]; total: number }>(globex, 'endpoints', asked);
      expect(page.total).toBe(3);
      expect(page.items).toMatchObject([
        { method: 'GET', endpoint: '/orders/:id', requests: 3, errors: 1, p50_ms: 20, max_ms: 30 },
        { method: 'PUT', endpoint: '/orders/:id', requests: 1, measured: 0, total_time_share: 0 },
        { method: 'GET', endpoint: '/orders/{order}', requests: 1, p95_ms: 5 },
      ]);
      const gold = { ...asked, where: 'properties.tier == "gold"' };
      expect(await read(globex, 'endpoints', gold)).toMatchObject({
        total: 1,
        items: [{ endpoint: '/orders/{order}' }],
      });
      const one = { ...asked, endpoint: '/orders/12' };
      expect(await read(globex, 'endpoints', one)).toMatchObject({ total: 1, items: [{ endpoint: '/orders/:id' }] });
      const all = await read<{ items: Answer[] }>(globex, 'endpoints', {
        ...asked,
        requests_only: 'false',
        limit: 200,
      });
      expect(
        all.items
          .filter(({ method }) => method === 'EVENT')
          .map(({ endpoint }) => endpoint)
          .sort(),
      ).toEqual(PADDING > 0 ? ['/events/e', '/events/sign.up'] : ['/events/sign.up']);
    });
  });

  it('has no events without a method where requests alone are asked for', async () => {
    const globex = await tenant();
    await pad(globex, 0, { method: 'EVENT', endpoint: '/events/e' });
    const request = { timestamp: new Date(BEGINNING + 1), log_method: 'GET', log_endpoint: '/a', log_latency_ms: 7 };
    await put(globex, [request, { timestamp: new Date(BEGINNING + 2), log_latency_ms: 21, log_status: 500 }]);
    const window = { from_ts: at(0), to_ts: at(2 * HOUR_MS) };
    await beforeAndAfterRollups(globex, async () => {
      expect(await read(globex, 'endpoints', { ...window, requests_only: 'true' })).toMatchObject({
        total: 1,
        items: [{ method: 'GET', endpoint: '/a', requests: 1, p99_ms: 7, total_time_share: 1 }],
      });
      const requests = { ...window, requests_only: 'true' };
      expect(await read(globex, 'summary', requests)).toMatchObject({ requests: 1, latency: { max_ms: 7 } });
      expect(await read(globex, 'timeseries', { ...requests, interval: 'day' })).toMatchObject({
        points: [{ requests: 1, p99_ms: 7 }],
      });
      expect(await read(globex, 'slowest', requests)).toMatchObject([{ latency_ms: 7 }]);
      expect(await read(globex, 'errors', requests)).toMatchObject({ failed: 0 });
      expect(await read(globex, 'errors', window)).toMatchObject({ failed: 1 });
      expect(await read(globex, 'endpoints', { ...window, where: 'log.latency_ms > 0' })).toMatchObject({
        total: 2,
        items: [{ total_time_share: 0.25 }, { total_time_share: 0.75 }],
      });
      expect(await read(globex, 'endpoints', window)).toMatchObject({ total: 2 });
    });
  });

  it('is exact beside events of the year 1 and of the year 9999', async () => {
    const globex = await tenant();
    const times = ['0001-01-01T00:00:00Z', '0001-01-01T05:00:00Z', at(0), '9999-12-31T23:00:00Z'];
    await pad(globex, 0, { method: 'EVENT', endpoint: '/events/e' });
    await put(
      globex,
      times.map((time, n) => ({ timestamp: new Date(time), log_latency_ms: n })),
    );
    const all = { from_ts: times[0] ?? '', to_ts: '9999-12-31T23:59:59Z' };
    const requests = 4 + PADDING;
    await beforeAndAfterRollups(globex, async () => {
      expect(await read(globex, 'summary', all)).toMatchObject({
        requests,
        latency: { min_ms: 0, p50_ms: 1, max_ms: 3 },
      });
      expect(await read(globex, 'endpoints', all)).toMatchObject({ total: 1, items: [{ requests, p99_ms: 3 }] });
      expect(await read(globex, 'summary', { ...all, to_ts: times[1] ?? '' })).toMatchObject({ requests: 1 });
      await ask(globex, 'timeseries', { ...all, interval: 'day' }).expect(422);
    });
    expect(await rolledUpDays(globex.projectId)).toBe(2);
  });

  it.each(['summary', 'endpoints', 'errors', 'slowest'])(
    'is shown by /%s from the first moment to the last one',
    async (path) => {
      await read(acme, path, { from_ts: '0001-01-01T00:00:00Z', to_ts: '9999-12-31T23:59:59Z' });
    },
  );

  it('has no points and no requests in an empty window', async () => {
    const empty = { from_ts: '2026-01-01T00:00:00Z', to_ts: '2026-01-01T00:00:00Z' };
    expect(await read(acme, 'timeseries', empty)).toMatchObject({ points: [] });
    expect(await read(acme, 'summary', empty)).toMatchObject({
      requests: 0,
      requests_per_minute: 0,
      previous: { requests: 0 },
    });
  });

  it('has in the examples of the guide the numbers that the guide shows', async () => {
    const guide = readFileSync('docs/guide/performance.md', 'utf8');
    const shop = await tenant();
    const cells = [...guide.matchAll(/^\| (\d\d:\d\d) \|(.*)\|$/gm)].map(([, time = '', rest = '']): EventRow => {
      const [method = '', endpoint = '', status, latency] = rest
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''));
      return {
        timestamp: new Date(`2026-03-02T${time}:00Z`),
        log_method: method,
        log_endpoint: endpoint,
        log_status: Number(status),
        ...(latency && { log_latency_ms: Number(latency) }),
      };
    });
    await put(shop, cells);
    const examples = [...guide.matchAll(/```http\nGET (.*)\n```\n\n```json\n([^`]*)```/g)];
    expect([cells.length, examples.length]).toEqual([8, 6]);
    expect(new Set(examples.map(([, path = '']) => path.split('?')[0])).size).toBe(5);
    for (const [, path = '', written = ''] of examples) {
      const { body } = await api.as(shop.owner).get(path.replace('{project_id}', shop.projectId)).expect(200);
      expect(body).toMatchObject(JSON.parse(written) as Answer);
    }
  });
});
