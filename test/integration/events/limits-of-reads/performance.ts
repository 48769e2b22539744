import { get as httpGet } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { HourRollupsService } from '../../../../src/modules/events/hour-rollups/hour-rollups.service.js';
import { LONG_READ_MS, LongReads, LongSnapshots } from '../../../../src/modules/events/long-reads/index.js';
import { Database } from '../../../../src/platform/database/database.js';
import { newId } from '../../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../../support/actors.js';
import { createApiApp, type TestApp } from '../../../support/app.js';
import { countEvents, type EventRow, insertEvents } from '../../../support/event-rows.js';
import { eventually } from '../../../support/eventually.js';
import { lockedTable } from '../../../support/table-lock.js';
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
} from '../../../support/request-model.js';
import { describeOfPostgres } from '../../../support/second-store.js';
import { propertyRuns } from '../../../support/property-runs.js';

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
/** `INSIGHT_RUNS` asks for more. */
const RUNS = Math.max(propertyRuns(240, 60), Number(process.env.INSIGHT_RUNS ?? 0));
const MOST_MINUTES = 300;

describe('The performance of requests in one process', () => {
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
    app = await createApiApp({
      env: { INTERNAL_JOB_TOKEN: TOKEN, ACCESS_TOKEN_TTL_SECONDS: '86400' },
    });
    // A first try that ends is begun again, which a machine that does much else decides.
    app.nest.get(LongReads).limits.shortMs = UNHURRIED_MS;
    beginning = Math.floor(Date.now() / HOUR_MS - HOURS + 2) * HOUR_MS;
    await beginProject();
  });
  afterAll(() => app.close());

  /** Makes the owner of a project with requests, of which no rollup has been made. */
  async function beginProject(): Promise<void> {
    owner = await ownerWithProject(app, 'Tea House');
    await insertEvents(app, owner.projectId, fc.sample(requestRow, { numRuns: 1_200, seed: 5 }));
    await countEvents(app);
  }

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
      { numRuns: Math.ceil(RUNS / STATES) },
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

  it('is computed from all events while rollups are missing, made and out of date', async () => {
    await beginProject();
    const { projectId } = owner;
    expect(await app.rows('SELECT FROM hour_rollups WHERE project_id = $1', [projectId])).toEqual([]);
    await expectTruth(await storedRequests(app, owner.projectId));
    const { body } = await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
    expect((body as { processed: number }).processed).toBeGreaterThan(HOURS - 5);
    const [made] = await app.rows<{ hours: number; days: number }>(
      `SELECT (SELECT count(*)::int FROM hour_rollups WHERE project_id = $1) AS hours,
              (SELECT count(*)::int FROM day_rollups WHERE project_id = $1) AS days`,
      [projectId],
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

  it('takes from the database less than 16 KiB a statement, however many latencies there are', async () => {
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

  describeOfPostgres('A read of requests that takes long', () => {
    const slots = (): LongReads => app.nest.get(LongReads);
    let { limits } = new LongReads();
    beforeAll(() => {
      limits = { ...slots().limits };
    });
    const snapshots = (): LongSnapshots => app.nest.get(LongSnapshots);
    afterEach(() => {
      Object.assign(slots().limits, limits);
      snapshots().milliseconds = LONG_READ_MS;
    });

    const runningReads = async (): Promise<number> => {
      const [row] = await app.rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND query LIKE '%raw_requests%' AND pid <> pg_backend_pid()`,
      );
      return row?.count ?? 0;
    };
    const until = (count: number) => eventually(runningReads, (running) => running === count);

    it('returns 503 when its time is over, and when no slot becomes free', async () => {
      Object.assign(slots().limits, { shortMs: 50, timeoutMs: 500 });
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

    it('continues with a slot of long reads, and leaves its slot of short reads to others', async () => {
      slots().limits.shortMs = 50;
      const begun = jest.spyOn(app.nest.get(Database), 'snapshot');
      const asked = ['summary', 'endpoints', 'errors', 'timeseries'].map(
        (path) => () => ask(path, { range: '7d', endpoint: '/nope' }).then(({ status }) => status),
      );
      let answers: Promise<number[]> | undefined;
      await lockedTable(app, 'events', async () => {
        answers = Promise.all(asked.map((one) => one()));
        while (begun.mock.calls.length < asked.length) await new Promise((resolve) => setTimeout(resolve, 5));
        // One has the slot that was free, the others have tried. Of one project one goes on, and they hold no
        // connection.
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
    ])('ends the statement of %s with the query %s when its request is closed', async (path, query) => {
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
      // Its slot is free again.
      await read(path, { range: '24h' });
      expect(app.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    });
  });
});
