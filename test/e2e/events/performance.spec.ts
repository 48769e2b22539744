import { get as httpGet } from 'node:http';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { HourRollupsService } from '../../../src/modules/events/hour-rollups/hour-rollups.service.js';
import { LONG_READ_MS, LongReads, LongSnapshots } from '../../../src/modules/events/long-reads/index.js';
import { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/ids/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { countEvents, type EventRow, insertEvents } from '../../support/event-rows.js';
import { INSIGHT_RUNS, LASTING_TOKENS } from '../../support/insight.js';
import { lockedTable } from '../../support/table-lock.js';
import {
  endpointOf,
  errorsOf,
  failuresOf,
  latenciesOf,
  pairsOf,
  percentile,
  slowestOf,
  type StoredRequest,
  storedRequests,
  summaryOf,
} from '../../support/request-model.js';
import { describeOfPostgres, itOfPostgres } from '../../support/second-store.js';
import { propertyRuns } from '../../support/property-runs.js';

const HOUR_MS = 3_600_000;
const HOURS = 75;
const TOKEN = 'internal-token-of-the-performance-suite';
const SOURCES = [newId(), newId()];

type Query = Readonly<Record<string, string | number>>;
type Answer = Readonly<Record<string, unknown>>;

const UNHURRIED_MS = 60_000;
/** That rollups are in while everything is asked: missing, made, out of date, made again. */
const STATES = 4;
/** Each of these is asked in every state. */
const QUESTIONS = ['summary', 'timeseries', 'endpoints', 'errors', 'slowest', 'explorer'] as const;
const FEWEST_RUNS = propertyRuns(240, 60);
const MOST_MINUTES = 300;

describe('the performance of requests', () => {
  let app: TestApp;
  let owner: Owner;
  let beginning: number;

  const moment = fc.oneof(
    fc.integer({ min: -HOUR_MS, max: (HOURS + 1) * HOUR_MS }),
    fc.tuple(fc.integer({ min: 0, max: HOURS }), fc.constantFrom(-1, 0, 1)).map(([hour, off]) => hour * HOUR_MS + off),
  );
  const requestRow: fc.Arbitrary<EventRow> = fc
    .record({
      at: moment,
      event: fc.constantFrom('a', 'b', 'c.error'),
      source_id: fc.constantFrom(...SOURCES, null),
      severity: fc.constantFrom('info', 'critical', null),
      status: fc.constantFrom('ok', null),
      environment: fc.constantFrom('production', 'staging', null),
      log_method: fc.constantFrom('GET', 'POST', 'EVENT'),
      log_endpoint: fc.constantFrom('/a', '/a/b', '/c', '/d'),
      log_status: fc.constantFrom(200, 204, 404, 429, 499, 500, 503),
      log_latency_ms: fc.option(fc.oneof(fc.constantFrom(0, 99, 100, 300, 30_000), fc.nat({ max: 2_000 })), {
        nil: undefined,
      }),
    })
    .map(({ at, ...row }) => ({ ...row, timestamp: new Date(beginning + at) }));
  const windows = fc.tuple(moment, moment).map(([a, b]) => ({
    from_ts: new Date(beginning + Math.min(a, b)).toISOString(),
    to_ts: new Date(beginning + Math.max(a, b)).toISOString(),
  }));
  const filters: fc.Arbitrary<Query> = fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    fc.record(
      {
        event: fc.constantFrom('a', 'b', ''),
        source_id: fc.constantFrom(...SOURCES, ''),
        severity: fc.constantFrom('info', ''),
        status: fc.constantFrom('ok', ''),
        environment: fc.constantFrom('staging', ''),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      { method: fc.constantFrom('GET', 'get', 'Post', ''), endpoint: fc.constantFrom('/a', '/a/b', '') },
      { requiredKeys: [] },
    ),
    fc.record({ method: fc.constant('get'), endpoint: fc.constant('/c'), event: fc.constant('a') }),
  );

  beforeAll(async () => {
    app = await createTestApp({ env: { PROCESS_ROLE: 'api', INTERNAL_JOB_TOKEN: TOKEN, ...LASTING_TOKENS } });
    // A first try that ends is begun again, which a machine that does much else decides.
    app.nest.get(LongReads).limits.shortMs = UNHURRIED_MS;
    owner = await ownerWithProject(app, 'Tea House');
    beginning = Math.floor(Date.now() / HOUR_MS - HOURS + 2) * HOUR_MS;
    await insertEvents(app, owner.projectId, fc.sample(requestRow, { numRuns: 1_200, seed: 5 }));
    await countEvents(app);
  });
  afterAll(() => app.close());

  const ask = (path: string, query: Query, who: Pick<Owner, 'bearer' | 'projectId'> = owner) =>
    app
      .request()
      .get(`/v1/performance/${path}`)
      .query({ project_id: who.projectId, ...query })
      .set('Authorization', who.bearer);
  const read = async <T = Answer>(
    path: string,
    query: Query,
    who?: Pick<Owner, 'bearer' | 'projectId'>,
  ): Promise<T> => {
    const { status, body } = await ask(path, query, who);
    expect([path, query, status, status === 200 ? null : body]).toEqual([path, query, 200, null]);
    return body as T;
  };
  const makeRollups = () => app.nest.get(HourRollupsService).makeDue();

  const isFitting = (query: Query, request: StoredRequest): boolean =>
    (['event', 'source_id', 'severity', 'environment', 'endpoint'] as const).every(
      (name) => query[name] === undefined || query[name] === '' || query[name] === request[name],
    ) &&
    (query.status === undefined || query.status === '' || query.status === request.event_status) &&
    (query.method === undefined || query.method === '' || String(query.method).toUpperCase() === request.method);
  const chosen = (all: readonly StoredRequest[], query: Query, from: number, to: number): StoredRequest[] =>
    all.filter((one) => one.ms >= from && one.ms < to && isFitting(query, one));

  /** Asks about random windows and filters, one question at a time, and compares with what the rows say. */
  async function expectTruth(all: readonly StoredRequest[]): Promise<void> {
    const asked = fc.record({
      window: windows,
      filter: filters,
      threshold: fc.constantFrom(1, 100, 300, 5_000),
      sort: fc.constantFrom('requests', 'p95', 'error_rate', 'errors', 'total_time'),
      zone: fc.constantFrom('UTC', 'Asia/Kolkata', 'America/New_York'),
      interval: fc.constantFrom('minute', 'hour', 'day', 'week'),
      compare: fc.constantFrom('previous', 'none'),
      statusFrom: fc.constantFrom(400, 500),
      minMs: fc.constantFrom(0, 100, 1_900),
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...QUESTIONS), asked, async (question, { window: whole, filter, ...wanted }) => {
        const { threshold, sort, zone, interval, compare, statusFrom, minMs } = wanted;
        const from = Date.parse(whole.from_ts);
        // There are only so many minutes in an answer.
        const most = question === 'timeseries' && interval === 'minute' ? MOST_MINUTES * 60_000 : Infinity;
        const to = Math.min(Date.parse(whole.to_ts), from + most);
        const window = { ...whole, to_ts: new Date(to).toISOString() };
        const query = { ...window, ...filter };
        const some = chosen(all, filter, from, to);
        const minutes = (to - from) / 60_000;
        const head = { project_id: owner.projectId, project_name: 'Tea House', ...window };

        switch (question) {
          case 'summary': {
            const before = compare === 'none' ? null : chosen(all, filter, 2 * from - to, from);
            expect(await read('summary', { ...query, apdex_ms: threshold, compare })).toEqual({
              ...head,
              requests_per_minute: minutes === 0 ? 0 : some.length / minutes,
              ...summaryOf(some, before, threshold),
            });
            return;
          }
          case 'timeseries': {
            const asked = { ...query, interval, timezone: zone };
            const series = await read<{ points: { ts: string }[] }>('timeseries', asked);
            const starts = series.points.map(({ ts }) => Date.parse(ts));
            const points = await pointsOf(some, starts, interval, zone);
            expect(series).toEqual({ ...head, interval, timezone: zone, points });
            return;
          }
          case 'endpoints': {
            const asked = { ...query, sort, min_requests: 2 };
            const page = await read<{ items: Answer[] }>('endpoints', asked);
            const pairs = pairsOf(some).filter((pair) => pair.requests.length >= 2);
            const items = pairs.map((pair) => ({
              ...endpointOf(pair, some),
              requests_per_minute: pair.requests.length / minutes,
            }));
            const weightOf = (item: (typeof items)[number]): number => {
              const name = sort === 'p95' ? 'p95_ms' : sort === 'total_time' ? 'total_time_share' : sort;
              return (item as unknown as Record<string, number | null>)[name] ?? -1;
            };
            items.sort((a, b) => weightOf(b) - weightOf(a));
            expect(page).toEqual({ ...head, items, total: items.length, limit: 50, offset: 0 });
            const second = await read<{ items: Answer[] }>('endpoints', { ...asked, limit: 2, offset: 1 });
            expect(second.items).toEqual(items.slice(1, 3));
            return;
          }
          case 'errors':
            expect(await read('errors', { ...query, status_from: statusFrom, limit: 3 })).toEqual({
              ...head,
              ...failuresOf(some, statusFrom, 3),
            });
            return;
          case 'slowest': {
            const rows = await read<{ id: string }[]>('slowest', { ...query, min_ms: minMs, limit: 7 });
            expect(rows.map(({ id }) => id)).toEqual(slowestOf(some, minMs, 7));
            return;
          }
          case 'explorer': {
            // As the explorer counts them.
            if (filter.method !== undefined || filter.endpoint !== undefined) return;
            const facets = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
            const { body } = await app
              .request()
              .get(`/v1/projects/${owner.projectId}/events`)
              .query({ ...window, ...facets, limit: 1 })
              .set('Authorization', owner.bearer);
            expect((body as { total: number }).total).toBe(some.length);
          }
        }
      }),
      { numRuns: Math.ceil(Math.max(FEWEST_RUNS, INSIGHT_RUNS) / STATES) },
    );
  }

  async function pointsOf(some: readonly StoredRequest[], starts: number[], interval: string, zone: string) {
    const truncated = await app.rows<{ id: string; bucket: number }>(
      `SELECT id, extract(epoch FROM date_trunc($2, "timestamp", $3))::float8 * 1000 AS bucket FROM events
       WHERE project_id = $1 AND id = ANY ($4::uuid[])`,
      [owner.projectId, interval, ['minute', 'hour'].includes(interval) ? 'UTC' : zone, some.map(({ id }) => id)],
    );
    const bucketOf = new Map(truncated.map(({ id, bucket }) => [id, bucket]));
    expect(starts).toEqual(expect.arrayContaining([...new Set(bucketOf.values())]));
    return starts.map((start) => {
      const inside = some.filter(({ id }) => bucketOf.get(id) === start);
      const latencies = latenciesOf(inside);
      return {
        ts: new Date(start).toISOString(),
        requests: inside.length,
        measured: latencies.length,
        errors: errorsOf(inside),
        error_rate: inside.length === 0 ? 0 : errorsOf(inside) / inside.length,
        p50_ms: percentile(latencies, 0.5),
        p95_ms: percentile(latencies, 0.95),
        p99_ms: percentile(latencies, 0.99),
      };
    });
  }

  it('is that of the rows while rollups are missing, made and out of date', async () => {
    expect(await app.rows('SELECT FROM hour_rollups')).toEqual([]);
    await expectTruth(await storedRequests(app, owner.projectId));
    const { body } = await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
    expect((body as { processed: number }).processed).toBeGreaterThan(HOURS - 5);
    const [made] = await app.rows<{ hours: number; days: number }>(
      `SELECT (SELECT count(*)::int FROM hour_rollups) AS hours, (SELECT count(*)::int FROM day_rollups) AS days`,
    );
    expect(made?.days).toBeGreaterThanOrEqual(2);
    await expectTruth(await storedRequests(app, owner.projectId));
    // Late, out of order and across the hours; some by the service itself.
    await insertEvents(app, owner.projectId, fc.sample(requestRow, { numRuns: 25, seed: 6 }));
    await countEvents(app);
    for (const ago of [0, 1, 3_599, 3_600, 90_000]) {
      await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({
          event_type: 'a',
          source: 'late',
          timestamp: new Date(beginning + 40 * HOUR_MS - ago * 1_000).toISOString(),
          properties: { method: 'get', path: '/a', status_code: 502, duration_ms: 77 },
        })
        .expect(200);
    }
    await expectTruth(await storedRequests(app, owner.projectId));
    expect(await makeRollups()).toBeGreaterThan(0);
    await expectTruth(await storedRequests(app, owner.projectId));
  });

  it('reads rollups and not the rows of hours that are made', async () => {
    const query = {
      from_ts: new Date(beginning + 24 * HOUR_MS).toISOString(),
      to_ts: new Date(beginning + 60 * HOUR_MS).toISOString(),
    };
    const paths = ['summary', 'timeseries?interval=hour', 'endpoints', 'errors'];
    const answers = async () => {
      const all = [];
      for (const path of paths)
        all.push(
          (
            await app
              .request()
              .get(`/v1/performance/${path}`)
              .query({ project_id: owner.projectId, ...query })
              .set('Authorization', owner.bearer)
              .expect(200)
          ).body,
        );
      return all;
    };
    const before = await answers();
    // Rows that no count knows of are seen by whoever looks at rows alone.
    const ids = await insertEvents(app, owner.projectId, [
      { timestamp: new Date(beginning + 30 * HOUR_MS), log_status: 500 },
    ]);
    expect(await answers()).toEqual(before);
    await app.rows('DELETE FROM events WHERE id = ANY ($1)', [ids]);
  });

  it('takes all from the first request on, and knows what has none', async () => {
    const stranger = await ownerWithProject(app);
    const none = await read('summary', { range: 'all' }, stranger);
    expect(none).toMatchObject({
      requests: 0,
      requests_per_minute: 0,
      error_rate: 0,
      latency: { min_ms: null, avg_ms: null, p50_ms: null, max_ms: null },
      apdex: { score: null, satisfied: 0 },
      previous: null,
      change: null,
    });
    expect(await read('timeseries', { range: 'all' }, stranger)).toMatchObject({ points: [] });
    expect(await read('endpoints', { range: 'all' }, stranger)).toMatchObject({ items: [], total: 0 });
    expect(await read('errors', { range: 'all' }, stranger)).toMatchObject({
      requests: 0,
      failed: 0,
      failure_rate: 0,
      by_status: [],
      by_endpoint: [],
    });
    expect(await read('slowest', { range: 'all' }, stranger)).toEqual([]);

    const first = new Date(Date.UTC(2024, 1, 28, 10, 30)).getTime();
    await insertEvents(app, stranger.projectId, [
      { timestamp: new Date(first), log_latency_ms: 5 },
      { timestamp: new Date(first + 86_400_000), log_status: 500 },
    ]);
    await countEvents(app);
    for (let round = 0; round < 2; round += 1) {
      const series = await read<{ interval: string; points: { ts: string; requests: number }[] }>(
        'timeseries',
        { range: 'all', interval: 'day', timezone: 'Asia/Kolkata' },
        stranger,
      );
      expect(series.points.slice(0, 3).map(({ ts, requests }) => [ts, requests])).toEqual([
        ['2024-02-27T18:30:00.000Z', 1],
        ['2024-02-28T18:30:00.000Z', 1],
        ['2024-02-29T18:30:00.000Z', 0],
      ]);
      expect((await read<typeof series>('timeseries', { range: 'all' }, stranger)).interval).toBe('week');
      const all = await read<{ requests: number; requests_per_minute: number; to_ts: string }>(
        'summary',
        { range: 'all' },
        stranger,
      );
      expect(all.requests_per_minute).toBe(2 / ((Date.parse(all.to_ts) - first) / 60_000));
      const failed = await read<typeof all>('summary', { range: 'all', event: 'none' }, stranger);
      expect([failed.requests, failed.requests_per_minute]).toEqual([0, 0]);
      // Bounds of its own win over all.
      const bounded = await read('summary', { range: 'all', from_ts: new Date(first).toISOString() }, stranger);
      expect(bounded).toMatchObject({
        requests: 2,
        previous: { requests: 0, apdex: null },
        change: { requests: null, apdex: null },
      });
      await makeRollups();
    }
  });

  it('keeps a thousand pairs of an hour apart and the others together', async () => {
    const busy = await ownerWithProject(app);
    const hour = beginning + 10 * HOUR_MS;
    const pair = (n: number): string => `/pair/${String(n).padStart(4, '0')}`;
    const rows = Array.from({ length: 1_006 }, (_, n): EventRow[] =>
      Array.from({ length: n < 900 ? 2 : 1 }, (__, k) => ({
        timestamp: new Date(hour + n + k),
        log_endpoint: pair(n),
        log_method: 'GET',
        log_status: n === 1_003 ? 503 : 200,
        log_latency_ms: n,
      })),
    ).flat();
    await insertEvents(app, busy.projectId, [
      ...rows,
      { timestamp: new Date(hour + HOUR_MS), log_endpoint: pair(1_003), log_latency_ms: 1 },
    ]);
    await countEvents(app);
    const window = { from_ts: new Date(hour).toISOString(), to_ts: new Date(hour + 2 * HOUR_MS).toISOString() };
    for (let round = 0; round < 2; round += 1) {
      const all = await storedRequests(app, busy.projectId);
      const page = await read<{ items: Answer[]; total: number }>(
        'endpoints',
        { ...window, limit: 200, offset: 900 },
        busy,
      );
      expect(page.total).toBe(1_002);
      const pairs = pairsOf(all).sort((a, b) => b.requests.length - a.requests.length);
      expect(page.items).toEqual(
        pairs
          .slice(900, 1_100)
          .map((one) => ({ ...endpointOf(one, all), requests_per_minute: one.requests.length / 120 })),
      );
      const [most] = (await read<{ items: Answer[] }>('endpoints', { ...window, limit: 1 }, busy)).items;
      expect(most).toMatchObject({ method: null, endpoint: null, requests: 6, errors: 1, max_ms: 1_005 });
      expect(await read('errors', window, busy)).toMatchObject({
        by_endpoint: [{ method: null, endpoint: null, failed: 1, requests: 6 }],
      });
      // Asked for by name it is found all the same.
      expect(await read('summary', { ...window, endpoint: pair(1_003) }, busy)).toMatchObject({
        requests: 2,
        errors: 1,
      });
      expect(await read('endpoints', { ...window, endpoint: pair(1_003), method: 'get' }, busy)).toMatchObject({
        total: 1,
        items: [{ endpoint: pair(1_003), requests: 1 }],
      });
      await makeRollups();
    }
  });

  it('gives percentiles within one percent above five thousand requests, whatever they are read from', async () => {
    const busy = await ownerWithProject(app);
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, log_has_latency, created_at)
       SELECT $1, $2::timestamptz + n * interval '700 milliseconds', gen_random_uuid(), 'e', 's', '{}', 'GET', '/', 200 + (n % 2) * 300,
              (n::bigint * 7919) % 30000, n % 4 > 0, now() FROM generate_series(1, 14000) n`,
      [busy.projectId, new Date(beginning + 20 * HOUR_MS + 1_234_567)],
    );
    await countEvents(app);
    const all = await storedRequests(app, busy.projectId);
    const window = {
      from_ts: new Date(beginning + 20 * HOUR_MS).toISOString(),
      to_ts: new Date(beginning + 30 * HOUR_MS).toISOString(),
    };
    const answers: Answer[] = [];
    for (let round = 0; round < 2; round += 1) {
      const given = await read<{ latency: Record<string, number>; apdex: Record<string, number> }>(
        'summary',
        { ...window, apdex_ms: 5_000 },
        busy,
      );
      const exact = summaryOf(all, [], 5_000);
      for (const [name, value] of Object.entries(exact.latency)) {
        const tolerance = /^p/.test(name) ? Math.max(1, Number(value) * 0.0101) : 0;
        expect(Math.abs((given.latency[name] ?? -1) - Number(value))).toBeLessThanOrEqual(tolerance);
      }
      expect(given).toMatchObject({ requests: 14_000, measured: exact.measured, buckets: exact.buckets });
      for (const name of ['satisfied', 'tolerating', 'frustrated'] as const) {
        expect(Math.abs((given.apdex[name] ?? 0) - exact.apdex[name])).toBeLessThanOrEqual(exact.measured * 0.01);
      }
      const items = await read<{ items: Answer[] }>('endpoints', { ...window, sort: 'p95' }, busy);
      answers.push({ given, items });
      await makeRollups();
    }
    expect(answers[1]).toEqual(answers[0]);
  });

  it('brings no more than it answers, however many latencies there are', async () => {
    const busy = await ownerWithProject(app);
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, log_has_latency, created_at)
       SELECT $1, $2::timestamptz + n * interval '3 seconds', gen_random_uuid(), 'e', 's', '{}', 'GET', '/' || n % 3, 200,
              (n::bigint * 7919) % 1000003, true, now() FROM generate_series(0, 29999) n`,
      [busy.projectId, new Date(beginning)],
    );
    await countEvents(app);
    const window = {
      from_ts: new Date(beginning).toISOString(),
      to_ts: new Date(beginning + 25 * HOUR_MS).toISOString(),
    };
    const rows = jest.spyOn(app.nest.get(Database), 'rows');
    for (let round = 0; round < 2; round += 1) {
      const all = await storedRequests(app, busy.projectId);
      const firstHour = latenciesOf(all.filter(({ ms }) => ms < beginning + HOUR_MS));
      rows.mockClear();
      const { points } = await read<{ points: Answer[] }>('timeseries', { ...window, interval: 'hour' }, busy);
      expect(points[0]).toMatchObject({
        measured: 1_200,
        p50_ms: percentile(firstHour, 0.5),
        p99_ms: percentile(firstHour, 0.99),
      });
      await read('summary', window, busy);
      await read('endpoints', { ...window, sort: 'p95' }, busy);
      const sizes = await Promise.all(rows.mock.results.map(async ({ value }) => JSON.stringify(await value).length));
      expect(sizes.length).toBeGreaterThan(6);
      expect(Math.max(...sizes)).toBeLessThan(16_384);
      await makeRollups();
    }
    rows.mockRestore();
  });

  it('tells long endpoints apart and keeps none of them whole', async () => {
    const wordy = await ownerWithProject(app);
    const long = 'ä'.repeat(5_000);
    await insertEvents(
      app,
      wordy.projectId,
      [`${long}1`, `${long}2`, `${long}2`, long.slice(0, 2_000)].flatMap((log_endpoint) =>
        [0, HOUR_MS].map((after) => ({ timestamp: new Date(beginning + after), log_endpoint, log_status: 500 })),
      ),
    );
    await countEvents(app);
    const window = {
      from_ts: new Date(beginning).toISOString(),
      to_ts: new Date(beginning + 2 * HOUR_MS).toISOString(),
    };
    for (const made of [0, 1, 2]) {
      const page = await read<{ items: { endpoint: string; requests: number }[] }>('endpoints', window, wordy);
      expect(page.items.map(({ requests }) => requests)).toEqual([4, 2, 2]);
      expect(page.items.map(({ endpoint }) => endpoint)).toEqual(Array.from({ length: 3 }, () => long.slice(0, 2_000)));
      const failed = await read<{ by_endpoint: { endpoint: string }[] }>('errors', window, wordy);
      expect(failed.by_endpoint.map(({ endpoint }) => endpoint.length)).toEqual([2_000, 2_000, 2_000]);
      // Only the one that is as long as that is asked for.
      expect(await read('summary', { ...window, endpoint: long.slice(0, 2_000) }, wordy)).toMatchObject({
        requests: 2,
      });
      if (made === 0) await makeRollups();
      // An hour from its rollup, the other one from its rows.
      if (made === 1) {
        await app.rows('DELETE FROM hour_rollups WHERE project_id = $1 AND hour = $2', [
          wordy.projectId,
          window.from_ts,
        ]);
        await app.rows('DELETE FROM day_rollups WHERE project_id = $1', [wordy.projectId]);
      }
    }
    const [stored] = await app.rows<{ most: number }>(
      'SELECT max(length(endpoint)) AS most FROM endpoint_hours WHERE project_id = $1',
      [wordy.projectId],
    );
    expect(stored).toEqual({ most: 2_064 });
  });

  it('keeps the most frequent failed statuses of an endpoint, and the numbers of all', async () => {
    const odd = await ownerWithProject(app);
    const rows = Array.from({ length: 1_000 }, (_, n): EventRow[] => [
      { timestamp: new Date(beginning + n), log_endpoint: '/wild', log_status: 400 + (n < 700 ? n % 350 : n % 10) },
      { timestamp: new Date(beginning + n), log_endpoint: '/wild', log_status: -n },
      { timestamp: new Date(beginning + n), log_endpoint: '/tame', log_status: 500 + (n % 200) },
    ]);
    await insertEvents(app, odd.projectId, rows.flat());
    await countEvents(app);
    const all = await storedRequests(app, odd.projectId);
    const window = {
      from_ts: new Date(beginning).toISOString(),
      to_ts: new Date(beginning + HOUR_MS).toISOString(),
    };
    const statusesOf = (rows: readonly { endpoint: string; statuses: readonly Answer[] }[]): unknown =>
      rows.map(({ endpoint, statuses }) => [endpoint, statuses.length, statuses[0]]);
    for (let round = 0; round < 2; round += 1) {
      const given = await read<{ by_status: Answer[]; by_endpoint: { endpoint: string; statuses: Answer[] }[] }>(
        'errors',
        { ...window, status_from: 400 },
        odd,
      );
      expect(given).toMatchObject({ requests: 3_000, failed: 2_000, failure_rate: 2 / 3 });
      expect(statusesOf(given.by_endpoint)).toEqual([
        ['/tame', 50, { status: 500, requests: 5 }],
        ['/wild', 50, { status: 400, requests: 32 }],
      ]);
      expect(given.by_status).toHaveLength(200);
      expect(given.by_status[0]).toMatchObject({ status: 400, requests: 32 });
      // No more than that is left out.
      const exact = await read<{ by_status: Answer[] }>(
        'errors',
        { ...window, endpoint: '/tame', status_from: 400 },
        odd,
      );
      expect(exact.by_status).toEqual(
        failuresOf(
          all.filter(({ endpoint }) => endpoint === '/tame'),
          400,
          50,
        ).by_status,
      );
      await makeRollups();
    }
    const [kept] = await app.rows<{ most: number }>(
      'SELECT max(cardinality(statuses)) AS most FROM endpoint_hours WHERE project_id = $1',
      [odd.projectId],
    );
    expect(kept).toEqual({ most: 200 });
  });

  // Which hours are looked at is PostgreSQL's.
  itOfPostgres('finds the slowest without looking at hours that cannot have them', async () => {
    const spread = await ownerWithProject(app);
    const rows = Array.from({ length: 40 }, (_, hour): EventRow[] => [
      { timestamp: new Date(beginning + hour * HOUR_MS), log_latency_ms: 1_000 },
      { timestamp: new Date(beginning + hour * HOUR_MS + 1), log_latency_ms: hour },
    ]).flat();
    await insertEvents(app, spread.projectId, rows);
    await countEvents(app);
    const query = { range: '30d', limit: 3 };
    const before = await read<{ timestamp: string }[]>('slowest', query, spread);
    expect(before.map(({ timestamp }) => Date.parse(timestamp))).toEqual(
      [39, 38, 37].map((hour) => beginning + hour * HOUR_MS),
    );
    await makeRollups();
    // No count knows of it, and so no hour that is looked at has it.
    const ids = await insertEvents(app, spread.projectId, [
      { timestamp: new Date(beginning + 2), log_latency_ms: 5_000 },
    ]);
    expect(await read('slowest', { ...query, min_ms: 1_001 }, spread)).toEqual([]);
    await app.rows('DELETE FROM events WHERE id = ANY ($1)', [ids]);
    expect(await read('slowest', query, spread)).toEqual(before);
  });

  it('is refused to strangers and read by viewers, each project by itself', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    const stranger = await ownerWithProject(app);
    for (const path of ['summary', 'timeseries', 'endpoints', 'slowest', 'errors']) {
      await ask(path, {}, { bearer: viewer.bearer, projectId: owner.projectId }).expect(200);
      await ask(path, {}, { bearer: stranger.bearer, projectId: owner.projectId }).expect(403);
      await app.request().get(`/v1/performance/${path}`).query({ project_id: owner.projectId }).expect(401);
    }
    expect(await read('summary', { range: '30d' }, stranger)).toMatchObject({ requests: 0 });
    // A source of another project names nothing here, as one that is nowhere.
    const { requests } = await read<{ requests: number }>('summary', { range: '30d', source_id: SOURCES[0] ?? '' });
    expect(requests).toBeGreaterThan(0);
    const foreign = { range: '30d', source_id: SOURCES[0] ?? '' };
    expect(await read('summary', foreign, stranger)).toMatchObject({ requests: 0, measured: 0 });
    expect(await read('endpoints', foreign, stranger)).toMatchObject({ items: [], total: 0 });
    expect(await read('errors', foreign, stranger)).toMatchObject({ requests: 0, failed: 0, by_endpoint: [] });
    expect(await read('slowest', foreign, stranger)).toEqual([]);
    const { points } = await read<{ points: { requests: number }[] }>('timeseries', foreign, stranger);
    expect(points.reduce((sum, point) => sum + point.requests, 0)).toBe(0);
  });

  it('takes the bounds where all is asked for beside them', async () => {
    const bounds = {
      from_ts: new Date(beginning + 3 * HOUR_MS).toISOString(),
      to_ts: new Date(beginning + 20 * HOUR_MS).toISOString(),
    };
    for (const path of ['summary', 'timeseries', 'endpoints', 'errors', 'slowest']) {
      const told = await read(path, { ...bounds, timezone: 'UTC' });
      expect(await read(path, { ...bounds, range: 'all', timezone: 'UTC' })).toEqual(told);
    }
    // One bound is as good as two: there is a window before, which all has not.
    const { from_ts } = bounds;
    const open = await read<{ from_ts: string; previous: object | null }>('summary', { from_ts, range: 'all' });
    expect([open.from_ts, open.previous === null]).toEqual([from_ts, false]);
    expect(await read('summary', { range: 'all' })).toMatchObject({ previous: null });
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
  ])('refuses %s with %j', async (path, query, name, type) => {
    const { body } = await ask(path, query as unknown as Query).expect(422);
    expect((body as { detail: object[] }).detail).toEqual([expect.objectContaining({ type, loc: ['query', name] })]);
  });

  it('is the same beside an event of the first and the last year', async () => {
    const old = await ownerWithProject(app);
    const times = [
      '0001-01-01T00:00:00Z',
      '0001-01-01T05:00:00Z',
      new Date(beginning).toISOString(),
      '9999-12-31T23:00:00Z',
    ];
    await insertEvents(
      app,
      old.projectId,
      times.map((at, n) => ({ timestamp: new Date(at), log_latency_ms: n })),
    );
    await countEvents(app);
    const all = { from_ts: times[0] ?? '', to_ts: '9999-12-31T23:59:59Z' };
    for (let round = 0; round < 3; round += 1) {
      expect(await read('summary', all, old)).toMatchObject({
        requests: 4,
        latency: { min_ms: 0, p50_ms: 1, max_ms: 3 },
      });
      expect(await read('endpoints', all, old)).toMatchObject({ total: 1, items: [{ requests: 4, p99_ms: 3 }] });
      expect(await read('summary', { ...all, to_ts: times[1] ?? '' }, old)).toMatchObject({ requests: 1 });
      await ask('timeseries', { ...all, interval: 'day' }, old).expect(422);
      await makeRollups();
    }
    const days = await app.rows('SELECT FROM day_rollups WHERE project_id = $1', [old.projectId]);
    expect(days).toHaveLength(2);
  });

  it('takes windows at the ends of time', async () => {
    for (const path of ['summary', 'endpoints', 'errors', 'slowest']) {
      await read(path, { from_ts: '0001-01-01T00:00:00Z', to_ts: '9999-12-31T23:59:59Z' });
    }
    const empty = { from_ts: '2026-01-01T00:00:00Z', to_ts: '2026-01-01T00:00:00Z' };
    expect(await read('timeseries', empty)).toMatchObject({ points: [] });
    expect(await read('summary', empty)).toMatchObject({
      requests: 0,
      requests_per_minute: 0,
      previous: { requests: 0 },
    });
  });

  it('answers the examples of the guide as it shows', async () => {
    const guide = readFileSync('docs/guide/performance.md', 'utf8');
    const shop = await ownerWithProject(app);
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
    await insertEvents(app, shop.projectId, cells);
    await countEvents(app);
    const examples = [...guide.matchAll(/```http\nGET (.*)\n```\n\n```json\n([^`]*)```/g)];
    expect([cells.length, examples.length]).toEqual([8, 6]);
    expect(new Set(examples.map(([, path = '']) => path.split('?')[0])).size).toBe(5);
    for (const [, path = '', written = ''] of examples) {
      const asked = path.replace('{project_id}', shop.projectId);
      const { body } = await app.request().get(asked).set('Authorization', shop.bearer).expect(200);
      expect(body).toMatchObject(JSON.parse(written) as Answer);
    }
  });

  describeOfPostgres('that takes long', () => {
    const turns = (): LongReads => app.nest.get(LongReads);
    let { limits } = new LongReads();
    beforeAll(() => {
      limits = { ...turns().limits };
    });
    const snapshots = (): LongSnapshots => app.nest.get(LongSnapshots);
    afterEach(() => {
      Object.assign(turns().limits, limits);
      snapshots().milliseconds = LONG_READ_MS;
    });

    const until = async (count: number): Promise<void> => {
      for (;;) {
        const [row] = await app.rows<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity
           WHERE datname = current_database() AND state = 'active' AND query LIKE '%looked%' AND pid <> pg_backend_pid()`,
        );
        if (row?.count === count) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };

    it('ends after its time, and waits for its turn for a while', async () => {
      Object.assign(turns().limits, { shortMs: 50, patienceMs: 500 });
      snapshots().milliseconds = 4_000;
      await lockedTable(app, 'events', async () => {
        const answers = await Promise.all(['summary', 'errors'].map((path) => ask(path, { range: '30d', event: 'a' })));
        const told = answers.map(({ status, body, headers }) => [
          status,
          (body as { detail: string }).detail,
          headers['retry-after'],
        ]);
        expect(told).toContainEqual([503, 'Query took too long: choose a shorter range or a narrower filter', '5']);
        expect(told).toContainEqual([503, 'Too many queries at once', '2']);
      });
    });

    it('goes on with its turn where it takes longer than was expected, and lets others in', async () => {
      turns().limits.shortMs = 50;
      const begun = jest.spyOn(app.nest.get(Database), 'snapshot');
      const asked = ['summary', 'endpoints', 'errors', 'timeseries'].map(
        (path) => () => ask(path, { range: '7d', endpoint: '/nope' }).then(({ status }) => status),
      );
      let answers: Promise<number[]> | undefined;
      await lockedTable(app, 'events', async () => {
        answers = Promise.all(asked.map((one) => one()));
        while (begun.mock.calls.length < asked.length) await new Promise((resolve) => setTimeout(resolve, 5));
        // One has the turn that was free, the others have tried. Of one project one goes on, and they hold no connection.
        await until(1);
      });
      const statuses = (await answers) ?? [];
      begun.mockRestore();
      expect(statuses).toContain(200);
      for (const status of statuses) expect([200, 503]).toContain(status);
    });

    it.each([
      ['summary', 'event=a'],
      ['timeseries', 'interval=day&event=a'],
      ['endpoints', 'event=a&sort=p95'],
      ['errors', 'event=a'],
      ['slowest', ''],
    ])('leaves no statement of %s behind when its request is closed', async (path, query) => {
      await lockedTable(app, 'events', async (lock) => {
        const asked = `project_id=${owner.projectId}&range=30d&${query}`;
        const request = httpGet(`${app.url}/v1/performance/${path}?${asked}`, {
          headers: { Authorization: owner.bearer },
        });
        request.on('error', () => undefined);
        await lock.until('waited for');
        request.destroy();
        await lock.until('left alone');
      });
      // Its turn is over too.
      await read(path, { range: '24h' });
      expect(app.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    });
  });
});
