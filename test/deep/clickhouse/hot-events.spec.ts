import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError, loadConfig } from '../../../src/config/index.js';
import { runBackfill } from '../../../src/modules/events/event-store/index.js';
import { MonthArchiver } from '../../../src/modules/events/event-store/archiving/month-archiver.js';
import { MonthsRepository } from '../../../src/modules/events/event-store/archiving/months.repository.js';
import { HotEvents } from '../../../src/modules/events/event-store/retention/hot-events.js';
import { HotMonthsReader } from '../../../src/modules/events/event-store/retention/hot-months.reader.js';
import { PastMonthsReader } from '../../../src/modules/events/event-store/retention/past-months.reader.js';
import { LongReads, LongSnapshots } from '../../../src/modules/events/long-reads/index.js';
import { HourRollupsService } from '../../../src/modules/events/hour-rollups/hour-rollups.service.js';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  type ClickHouseAccess,
  type EventStore,
  eventStore,
  FaultyServer,
  testClickHouse,
} from '../../support/clickhouse.js';
import { allReplicated } from '../../support/replication.js';
import { makeMonths, monthOf, tableOf } from '../../support/event-months.js';
import { countEvents, insertEvents } from '../../support/event-rows.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { eventually } from '../../support/eventually.js';
import { rulesOf } from '../../support/rules.js';
import { createSource } from '../../support/sources.js';

const clickHouse = await testClickHouse();
/** Of each kind of request; the suite is content with few. */
const QUERIES = Number(process.env.EVENT_STORE_QUERIES ?? 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const AWAY = { detail: 'Older events cannot be read at the moment: choose a shorter range or try again later' };

/** Status and body. */
type Answer = readonly [number, unknown];

interface Request {
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
}

function tests(access: ClickHouseAccess): void {
  describe('An event that PostgreSQL keeps only for some days', () => {
    const now = Date.now();
    const hotFrom = monthOf(new Date(now - 35 * DAY_MS));
    /** Months that are archived, the older one first. */
    const archived = [monthOf(hotFrom, -2), monthOf(hotFrom, -1)] as const;
    const longAgo = new Date('2001-02-03T04:05:06.789Z');
    let database: TestDatabase;
    let server: FaultyServer;
    let store: EventStore;
    /** Reads from PostgreSQL alone, as long as that has all. */
    let plain: TestApp;
    let app: TestApp;
    let owner: Owner;
    let stranger: Owner;
    /** Of more events than an export reads before its first byte. */
    let large: Owner;
    let sourceId: string;
    let ids: string[];
    const answers: { readonly request: Request; readonly answer: Answer }[] = [];

    /** In the archived months, around their ends, and since. */
    const TIMES = [
      ...[0, 1, 1_800_000, 5 * DAY_MS, 5 * DAY_MS + 700, 11 * DAY_MS + 90_000].flatMap((more) =>
        archived.map((month) => month.getTime() + more),
      ),
      ...[-1, 0, 1_000, 40 * MINUTE_MS].map((more) => hotFrom.getTime() + more),
      ...[90 * MINUTE_MS, DAY_MS, 3 * DAY_MS].map((age) => now - age),
      longAgo.getTime(),
    ];
    const event = fc.record({
      timestamp: fc
        .tuple(fc.constantFrom(...TIMES), fc.constantFrom(0, 0, 1, 61_000))
        .map(([at, more]) => new Date(at === hotFrom.getTime() - 1 ? at : at + more)),
      event: fc.constantFrom('a', 'b', 'Order.Paid'),
      severity: fc.constantFrom(null, 'info', 'warn'),
      status: fc.constantFrom(null, 'done'),
      environment: fc.constantFrom(null, 'production', 'staging'),
      message: fc.option(fc.constantFrom('', 'a message', 'é'.repeat(300))),
      log_method: fc.constantFrom('GET', 'POST', 'EVENT'),
      log_endpoint: fc.constantFrom('/cart', '/orders/7', '/health'),
      log_status: fc.constantFrom(200, 404, 500),
      log_latency_ms: fc.option(fc.constantFrom(0, 1, 20, 777, 12_345), { nil: undefined }),
      properties: fc.constantFrom<Record<string, unknown>>(
        {},
        { plan: 'pro', n: 1.5 },
        { plan: 'free', n: 2, request: { a: 1 } },
        { plan: null, list: [1, 'a'] },
      ),
    });

    const instant = fc
      .tuple(fc.constantFrom(...TIMES), fc.constantFrom(0, 1, -1, 500, 17 * MINUTE_MS))
      .map(([at, more]) => at + more);
    const window = fc.tuple(instant, instant).map(([one, other]) => ({
      from_ts: new Date(Math.min(one, other)).toISOString(),
      to_ts: new Date(Math.max(one, other)).toISOString(),
    }));
    const filter = fc.record(
      {
        event: fc.constantFrom('a', 'Order.Paid', 'none'),
        severity: fc.constantFrom('info', 'none'),
        environment: fc.constantFrom('production'),
      },
      { requiredKeys: [] },
    );
    const asked = fc.tuple(window, filter).map(([times, values]) => ({ ...times, ...values }));
    const where = fc.constantFrom(
      undefined,
      undefined,
      'log.status >= 404',
      'properties.plan == "pro"',
      'properties.n > 1 and severity != null',
      'log.route == "/orders/:id" and log.status_class in ("2xx", "5xx")',
      'concat(log.route, log.status_class) == "/cart4xx"',
    );
    const requests = (): Record<string, fc.Arbitrary<Request>> => {
      const project = { project_id: owner.projectId };
      const of = (path: string, query: fc.Arbitrary<object>): fc.Arbitrary<Request> =>
        query.map((one) => ({ path, query: { ...one, ...project } }));
      const more = (model: Record<string, fc.Arbitrary<unknown>>) =>
        fc.tuple(asked, fc.record(model)).map(([one, other]) => ({ ...one, ...other }));
      const explorer = `/v1/projects/${owner.projectId}/events`;
      return {
        page: fc
          .tuple(more({ where }), fc.constantFrom(1, 7, 50), fc.constantFrom(0, 3, 60))
          .map(([query, limit, offset]) => ({ path: explorer, query: { ...query, limit, offset } })),
        facets: more({
          where,
          by: fc.constantFrom(undefined, ['properties.plan'], ['properties.n', 'properties.a']),
        }).map((query) => ({ path: `${explorer}/facets`, query })),
        overview: of('/v1/analytics/overview', more({ where })),
        breakdown: of(
          '/v1/analytics/breakdown',
          more({
            where,
            by: fc.constantFrom('event', 'severity', 'source_id', 'properties.plan', 'log.status', 'log.route'),
          }),
        ),
        series: of(
          '/v1/analytics/timeseries',
          fc
            .tuple(
              more({
                where,
                interval: fc.constantFrom('day', 'week', 'auto'),
                timezone: fc.constantFrom('UTC', 'Asia/Kathmandu'),
                compare: fc.constantFrom('none', 'previous'),
                split_by: fc.constantFrom(undefined, 'event', 'properties.plan'),
              }),
              fc.constantFrom(
                { aggregate: 'count' },
                { aggregate: 'error_rate' },
                { aggregate: 'avg', aggregate_field: 'properties.n' },
                { aggregate: 'p95', aggregate_field: 'log.latency_ms' },
              ),
            )
            .map(([one, aggregate]) => ({ ...one, ...aggregate })),
        ),
        funnel: of(
          '/v1/analytics/funnel',
          more({ where, by: fc.constantFrom('environment', 'properties.plan'), step: fc.constant(['a', 'b']) }),
        ),
        summary: of('/v1/performance/summary', more({ where })),
        endpoints: of(
          '/v1/performance/endpoints',
          more({
            where,
            group_by: fc.constantFrom('endpoint', 'route'),
            requests_only: fc.constantFrom('false', 'true'),
          }),
        ),
        requests: of('/v1/performance/timeseries', more({ where, interval: fc.constantFrom('hour', 'day', 'auto') })),
        slowest: of(
          '/v1/performance/slowest',
          more({ where, limit: fc.constantFrom(1, 20), min_ms: fc.constantFrom(0, 20) }),
        ),
        errors: of('/v1/performance/errors', more({ where })),
        queries: fc
          .tuple(
            window,
            fc.constantFrom(
              'any where properties.plan == "pro"',
              'any where log.status >= 404 | tail 5',
              'sequence by environment [a where true] [b where true]',
              'any where length(message) > 10',
            ),
          )
          .map(([times, query]) => ({ path: '/v1/eql', body: { ...times, ...project, query } })),
      };
    };
    /** Windows that end now, whose answers move on with the time. */
    const moving = (): Request[] => {
      const project = { project_id: owner.projectId };
      return [
        { path: '/v1/logs', query: { ...project, range: 'all', limit: 500 } },
        { path: '/v1/logs', query: { ...project, range: 'all', method: 'get', query: 'CART' } },
        { path: '/v1/events/counts', query: { ...project, range: 'all' } },
        { path: '/v1/events/names', query: { ...project, range: 'all' } },
        { path: '/v1/analytics/overview', query: { ...project, range: 'all' } },
        { path: '/v1/performance/summary', query: { ...project, range: 'all' } },
        { path: '/v1/usage', query: project },
        { path: '/v1/eql', body: { ...project, range: 'all', query: 'any where true | head 3' } },
        { path: `/v1/projects/${owner.projectId}/events`, query: { range: 'all', limit: 500 } },
        { path: `/v1/ingest-sources/${sourceId}/events`, query: { limit: 200 } },
        { path: '/v1/search', query: { ...project, q: 'order', range: 'all', type: ['event', 'event_type'] } },
      ];
    };

    const ask = (of: TestApp, { path, query = {}, body }: Request) =>
      (body === undefined ? of.request().get(path).query(query) : of.request().post(path).send(body)).set(
        'Authorization',
        owner.bearer,
      );
    /** Without what is of the moment in which it was asked. */
    const answer = async (of: TestApp, request: Request): Promise<Answer> => {
      const { status, body } = await ask(of, request);
      if (body === null || typeof body !== 'object' || Array.isArray(body)) return [status, body as unknown];
      const {
        took_ms: _,
        to_ts: __,
        from_ts: ___,
        requests_per_minute: ____,
        ...others
      } = body as Record<string, unknown>;
      return [status, others];
    };
    const exported = async (of: TestApp, request: object, who = owner): Promise<string> => {
      const { text } = await of
        .request()
        .post(`/v1/projects/${who.projectId}/events/export`)
        .set('Authorization', who.bearer)
        .send(request)
        .buffer(true)
        .expect(200);
      return text;
    };
    /** As many as there are, page by page. */
    const everyId = async (): Promise<string[]> => {
      const found: string[] = [];
      let before: string | null = null;
      do {
        const query: object = { project_id: owner.projectId, limit: 100, ...(before !== null && { before }) };
        const { body } = await ask(app, { path: '/v1/events', query }).expect(200);
        found.push(...(body as { items: { id: string }[] }).items.map(({ id }) => id));
        before = (body as { next_before: string | null }).next_before;
      } while (before !== null);
      return found;
    };
    const ingest = async (timestamp: Date, of = owner): Promise<string> => {
      const { body } = await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', of.apiKey)
        .send({ event_type: 'late', source: 'shop', timestamp: timestamp.toISOString(), payload: { n: 1 } })
        .expect(200);
      return (body as { ingested_event_id: string }).ingested_event_id;
    };
    const archiveMonths = (of = app): Promise<number> => of.nest.get(MonthArchiver, { strict: false }).archiveMonths();
    /** As a process does that dies then. Who reads or writes events goes before it. */
    const takeOut = async (table: string): Promise<void> => {
      const dead = await MonthsRepository.open(database.url);
      const [month] = (await dead.all()).filter(({ name }) => name === table);
      if (month === undefined) throw new Error(`${table} is not there`);
      await eventually(
        () => dead.detach(month),
        (outcome) => outcome === 'done',
      );
      await dead.close();
    };
    const tables = async (): Promise<string[]> =>
      (
        await app.rows<{ name: string }>(
          `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ '^events_[0-9_]+$' ORDER BY 1`,
        )
      ).map(({ name }) => name);
    /** Returns the ids of the events before an instant that PostgreSQL still has. */
    const keptBefore = async (until: Date): Promise<string[]> =>
      (await app.rows<{ id: string }>('SELECT id FROM events WHERE "timestamp" < $1', [until])).map(({ id }) => id);
    /** Returns the number of events that were removed from PostgreSQL because ClickHouse has them. */
    const remembered = async (): Promise<number> => {
      const [row] = await app.rows<{ events: string }>('SELECT coalesce(sum(events), 0) AS events FROM cold_months');
      return Number(row?.events);
    };
    const said = (text: string): boolean => app.logLines.some((line) => line.includes(text));
    /** Its code, and what it says. */
    const move = async (options: { isRestored?: boolean } = {}): Promise<[number, string]> => {
      const { eventStore: settings } = loadConfig({ NODE_ENV: 'test', DATABASE_URL: database.url, ...store.env });
      const output = new PassThrough();
      const lines: string[] = [];
      output.on('data', (piece: Buffer) => lines.push(piece.toString()));
      return [await runBackfill(database.url, settings, output, options), lines.join('')];
    };
    /** As if every process had had the time to know. */
    const whenAllKnow = (): void => void (app.nest.get(HotMonthsReader, { strict: false }).announced.forMs = 0);

    /** Of the stranger. @returns has them back */
    const takeCopies = async (until: Date): Promise<() => Promise<void>> => {
      const { database: name } = store.server;
      const condition = 'project_id = {project: UUID} AND timestamp < {until: String}';
      const values = { project: stranger.projectId, until: until.toISOString().slice(0, 19).replace('T', ' ') };
      await store.server.command(
        `CREATE TABLE \`${name}\`.aside ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM \`${name}\`.events WHERE ${condition}`,
        values,
      );
      await store.server.command(
        `ALTER TABLE \`${name}\`.events DELETE WHERE ${condition} SETTINGS mutations_sync = 2`,
        values,
      );
      return async () => {
        await store.server.command(`INSERT INTO \`${name}\`.events SELECT * FROM \`${name}\`.aside`);
        await store.server.command(`DROP TABLE \`${name}\`.aside SYNC`);
      };
    };

    beforeAll(async () => {
      database = await createTestDatabase();
      const connection = new pg.Client({ connectionString: database.url });
      await connection.connect();
      // Months are those of UTC, wherever the database is.
      await connection.query(
        `ALTER DATABASE ${connection.escapeIdentifier(connection.database ?? '')} SET timezone = 'America/New_York'`,
      );
      await connection.end();
      server = await FaultyServer.before(access);
      store = await eventStore(access, server.url);
      plain = await createTestApp({ databaseUrl: database.url });
      await makeMonths(plain, archived);
      app = await createTestApp({
        databaseUrl: database.url,
        dataDir: plain.dataDir,
        env: { ...store.env, EVENT_STORE: 'clickhouse', EVENTS_HOT_DAYS: '35' },
      });
      owner = await ownerWithProject(app);
      stranger = await ownerWithProject(app);
      sourceId = (await createSource(app, owner)).id;
      const sample = fc.sample(event, { numRuns: 400, seed: 5 });
      ids = await insertEvents(
        app,
        owner.projectId,
        sample.map((one, at) => ({ ...one, source_id: at % 3 === 0 ? sourceId : null })),
      );
      await insertEvents(app, stranger.projectId, fc.sample(event, { numRuns: 100, seed: 6 }));
      large = await ownerWithProject(app);
      const hours = Array.from({ length: 1_600 }, (_, n) => new Date(archived[1].getTime() + (n % 3) * HOUR_MS + n));
      await insertEvents(
        app,
        large.projectId,
        hours.map((timestamp) => ({ timestamp })),
      );
      await countEvents(app);
      // Of some hours; the others are read from rows.
      await app.nest.get(HourRollupsService, { strict: false }).makeDue();
      await app.rows(`DELETE FROM hour_rollups WHERE extract(hour FROM hour)::int % 2 = 0`);
      await allReplicated(app);
    });

    afterEach(() => server.behave());

    afterAll(async () => {
      await app.close();
      await plain.close();
      await server.goAway();
      await store.drop();
      await database.drop();
    });

    it('stays in PostgreSQL while the replica in ClickHouse differs', async () => {
      for (const requestsOfKind of Object.values(requests())) {
        for (const request of fc.sample(requestsOfKind, { numRuns: QUERIES, seed: 7 })) {
          answers.push({ request, answer: await answer(plain, request) });
        }
      }
      for (const request of moving()) answers.push({ request, answer: await answer(plain, request) });
      expect(answers.filter(({ answer: [status] }) => status !== 200 && status !== 422)).toEqual([]);
      expect(answers.filter(({ answer: [status] }) => status === 200).length).toBeGreaterThan(answers.length * 0.9);
      const giveBack = await takeCopies(monthOf(archived[0], 1));
      const monthArchiver = app.nest.get(MonthArchiver, { strict: false });
      Object.assign(monthArchiver, { restMs: 0 });
      monthArchiver.due.forMs = 0;
      expect(await archiveMonths()).toBe(0);
      expect(said(`${tableOf(archived[0])} stays: 1 of 2 projects differ`)).toBe(true);
      expect(await app.rows('SELECT * FROM hot_events')).toEqual([]);
      await giveBack();
    });

    it('stays in PostgreSQL when the system clock jumps forward and back', async () => {
      const { due } = app.nest.get(MonthArchiver, { strict: false });
      due.forMs = 3_600_000;
      const clock = jest.spyOn(app.nest.get(PastMonthsReader, { strict: false }), 'before');
      for (const at of [monthOf(new Date(), 1), monthOf(new Date(), 24)]) {
        clock.mockResolvedValueOnce(at);
        expect(await archiveMonths()).toBe(0);
      }
      expect(clock).toHaveBeenCalledTimes(2);
      clock.mockRestore();
      expect(await app.rows('SELECT * FROM hot_events')).toEqual([]);
      due.forMs = 0;
    });

    it('is no longer read from PostgreSQL before PostgreSQL drops its month', async () => {
      expect(await archiveMonths()).toBe(0);
      expect(await app.rows('SELECT hot_from FROM hot_events')).toEqual([{ hot_from: hotFrom }]);
      expect(await tables()).toEqual(expect.arrayContaining(archived.map(tableOf)));
      // Not every process knows yet.
      expect(await archiveMonths()).toBe(0);
      expect(await tables()).toEqual(expect.arrayContaining(archived.map(tableOf)));
    });

    it('stays in PostgreSQL while an event of its month waits to be replicated', async () => {
      whenAllKnow();
      const { isHeld, free } = server.holdNext();
      await ingest(new Date(archived[0].getTime() + 3 * DAY_MS), stranger);
      await isHeld;
      // The month behind it does not wait for it.
      await eventually(archiveMonths, (gone) => gone === 1);
      expect(await tables()).toContain(tableOf(archived[0]));
      expect(await tables()).not.toContain(tableOf(archived[1]));
      expect(said(`${tableOf(archived[0])} was not dropped: some of its events are to be copied`)).toBe(true);
      free();
      await allReplicated(app);
      await app.rows('DELETE FROM event_outbox');
    });

    it('returns to PostgreSQL when ClickHouse loses it after its month was detached', async () => {
      const counted = (): Promise<unknown> =>
        app.rows(`SELECT count(*)::int AS events FROM events WHERE "timestamp" >= $1 AND "timestamp" < $2`, [
          archived[0],
          archived[1],
        ]);
      const before = await counted();
      await takeOut(tableOf(archived[0]));
      const giveBack = await takeCopies(monthOf(archived[0], 1));
      // Nobody waits for it behind who reads events for long.
      const reader = new pg.Client({ connectionString: database.url });
      await reader.connect();
      await reader.query('BEGIN; SELECT count(*) FROM events');
      expect(await archiveMonths()).toBe(0);
      expect(said('stays apart: events are read or stored all the time, or too many lie in no month')).toBe(true);
      expect(await tables()).not.toContain(tableOf(archived[0]));
      await reader.end();
      await eventually(
        async () => {
          expect(await archiveMonths()).toBe(0);
          return tables();
        },
        (names) => names.includes(tableOf(archived[0])),
      );
      expect(await counted()).toEqual(before);
      await giveBack();
    });

    it('is dropped with its month by one of several processes once both stores have the same events', async () => {
      // One that died after it had taken the month out of the events.
      await takeOut(tableOf(archived[0]));
      // What comes late for it is compared with it, and removed by itself.
      await ingest(new Date(archived[0].getTime() + DAY_MS), stranger);
      await allReplicated(app);
      await app.rows('DELETE FROM event_outbox');
      let dropped = 0;
      await eventually(
        async () => {
          for (const months of await Promise.all([archiveMonths(), archiveMonths(), archiveMonths()]))
            dropped += months;
          return dropped;
        },
        (months) => months > 0,
      );
      expect(dropped).toBe(1);
      expect((await tables()).filter((name) => name.includes('cold'))).toEqual([]);
      for (const one of archived) expect(await tables()).not.toContain(tableOf(one));
      const [left] = await app.rows<{ events: number }>(
        'SELECT count(*)::int AS events FROM events WHERE "timestamp" >= $1 AND "timestamp" < $2',
        [archived[0], hotFrom],
      );
      expect(left).toEqual({ events: 0 });
    });

    it('appears in every answer as before its month was dropped', async () => {
      app.nest.get(HotEvents, { strict: false }).forget();
      for (const { request, answer: kept } of answers) {
        expect([request, await answer(app, request)]).toEqual([request, kept]);
      }
      expect(new Set(await everyId())).toEqual(new Set(ids));
      const lines = (await exported(app, { format: 'ndjson', range: 'all' })).trim().split('\n');
      expect(new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id))).toEqual(new Set(ids));
      expect(lines).toHaveLength(ids.length);
      const matching = { format: 'ndjson', range: 'all', where: 'length(event) > 0' };
      const matched = (await exported(app, matching)).split('\n').filter((line) => line !== '');
      expect(matched).toEqual(lines);
    });

    it('is refused with facets of a property after the time of a slow read when ClickHouse does not answer', async () => {
      const snapshots = app.nest.get(LongSnapshots, { strict: false });
      const { limits } = app.nest.get(LongReads, { strict: false });
      const { milliseconds } = snapshots;
      const usual = { ...limits };
      snapshots.milliseconds = 1_000;
      limits.budgetMs = Infinity;
      server.readFaults.push('hang', 'hang');
      try {
        const from = new Date(archived[0].getTime() + 17 * MINUTE_MS).toISOString();
        const query = { from_ts: from, to_ts: new Date(now).toISOString(), by: 'properties.plan' };
        const path = `/v1/projects/${owner.projectId}/events/facets`;
        const refused = await ask(app, { path, query });
        expect([refused.status, refused.body]).toEqual([
          503,
          { detail: 'Query took too long: choose a shorter range or a narrower filter' },
        ]);
      } finally {
        snapshots.milliseconds = milliseconds;
        Object.assign(limits, usual);
      }
    });

    it('is never missing from a complete answer when ClickHouse breaks off', async () => {
      const project = { project_id: owner.projectId };
      // In the middle of an hour, so that counted hours do not tell all.
      const from = new Date(archived[0].getTime() + 17 * MINUTE_MS);
      const times = { from_ts: from.toISOString(), to_ts: new Date(now).toISOString() };
      const asked = { ...project, ...times };
      const explorer = `/v1/projects/${owner.projectId}/events`;
      const asking: Record<string, () => Promise<Answer>> = {};
      for (const request of [
        { path: '/v1/analytics/breakdown', query: { ...asked, by: 'properties.n' } },
        { path: '/v1/analytics/overview', query: { ...asked, where: 'log.status > 1' } },
        { path: '/v1/analytics/overview', query: asked },
        { path: '/v1/analytics/timeseries', query: { ...asked, interval: 'day', split_by: 'properties.plan' } },
        { path: '/v1/analytics/funnel', query: { ...asked, by: 'environment', step: ['a', 'b'] } },
        { path: '/v1/performance/summary', query: asked },
        { path: '/v1/performance/endpoints', query: asked },
        { path: '/v1/performance/slowest', query: { ...asked, limit: 100 } },
        { path: explorer, query: { ...times, limit: 500 } },
        { path: explorer, query: { ...times, limit: 500, where: 'log.status > 1' } },
        { path: `${explorer}/facets`, query: times },
        { path: `${explorer}/facets`, query: { ...times, where: 'length(event) > 0', by: 'properties.plan' } },
        { path: '/v1/logs', query: { ...project, range: 'all', limit: 500 } },
        { path: '/v1/eql', body: { ...asked, query: 'any where concat(properties.plan, "") == "pro"' } },
        { path: '/v1/eql', body: { ...asked, query: 'sequence by environment [a where true] [b where true]' } },
        { path: '/v1/eql', body: { ...asked, query: 'any where length(message) > 10 | head 3' } },
      ]) {
        asking[JSON.stringify(request)] = () => answer(app, request);
      }
      const cut = new Set<string>();
      // Cut off, or refused before its first byte.
      asking['export'] = () =>
        exported(app, { format: 'ndjson', range: 'all' }, large).then(
          (text) => [200, text],
          (error: unknown) => {
            cut.add((error as Error).message);
            return [503, AWAY];
          },
        );
      for (const [name, ask] of Object.entries(asking)) {
        const before = server.reads;
        const whole = await ask();
        const reads = server.reads - before;
        expect([name, whole[0], reads > 0]).toEqual([name, 200, true]);
        let refused = 0;
        for (const nth of new Set([0, 1, 2, reads - 1].filter((one) => one < reads))) {
          for (const then of ['end', 'reset'] as const) {
            server.readFaults.push(...Array.from({ length: nth }, () => 'pass' as const), { afterBytes: 20_000, then });
            const broken = await ask();
            expect([name, nth, then, server.readFaults]).toEqual([name, nth, then, []]);
            refused += broken[0] === 503 ? 1 : 0;
            expect([name, nth, then, broken]).toEqual([name, nth, then, broken[0] === 503 ? [503, AWAY] : whole]);
          }
        }
        expect([name, refused > 0]).toEqual([name, true]);
      }
      expect([...cut].sort()).toEqual(['aborted', 'expected 200 "OK", got 503 "Service Unavailable"']);
    });

    it('is found by its id with all its properties after its month was dropped', async () => {
      const rows = await store.server.rows<{ id: string; properties: string }>(
        `SELECT toString(id) AS id, properties FROM \`${store.server.database}\`.events
         WHERE project_id = {project: UUID} AND timestamp < {until: DateTime64(3, 'UTC')} ORDER BY timestamp LIMIT 5`,
        { project: owner.projectId, until: hotFrom.toISOString().slice(0, 23).replace('T', ' ') },
      );
      expect(rows).toHaveLength(5);
      for (const { id, properties } of rows) {
        const { body } = await ask(app, { path: `/v1/projects/${owner.projectId}/events/${id}` }).expect(200);
        expect(body).toMatchObject({ id, properties: JSON.parse(properties) as object });
      }
      await ask(app, { path: `/v1/projects/${owner.projectId}/events/0199a1b2-0000-7000-8000-000000000000` }).expect(
        404,
      );
    });

    it('is visible immediately when it arrives late, before and after it is replicated', async () => {
      const { isHeld, free } = server.holdNext();
      const at = new Date(archived[1].getTime() + 5 * DAY_MS + 300);
      const id = await ingest(at);
      await isHeld;
      const seen = async (): Promise<void> => {
        const times = { from_ts: at.toISOString(), to_ts: new Date(at.getTime() + 1).toISOString() };
        const page = await ask(app, { path: `/v1/projects/${owner.projectId}/events`, query: times }).expect(200);
        expect(page.body).toMatchObject({ total: 1, items: [{ id }] });
        const project_id = owner.projectId;
        const query = { ...times, project_id, where: 'properties.n == 1' };
        const overview = await ask(app, { path: '/v1/analytics/overview', query }).expect(200);
        expect(overview.body).toMatchObject({ totals: { events: 1 } });
        const found = await ask(app, { path: '/v1/eql', body: { ...times, project_id, query: 'late where true' } });
        expect(found.body).toMatchObject({ scanned: 1 });
        await ask(app, { path: `/v1/projects/${project_id}/events/${id}` }).expect(200);
        // PostgreSQL has enough for a page, which are not the newest ones.
        const upToHot = { from_ts: times.from_ts, to_ts: hotFrom.toISOString() };
        const pages = [];
        for (const limit of [1, 500]) {
          const path = `/v1/projects/${project_id}/events`;
          const { body } = await ask(app, { path, query: { ...upToHot, limit } }).expect(200);
          pages.push((body as { items: { id: string }[] }).items.map((item) => item.id));
        }
        expect(pages[1]?.length).toBeGreaterThan(1);
        expect(pages[1]?.[0]).not.toBe(id);
        expect(pages[0]).toEqual(pages[1]?.slice(0, 1));
      };
      await seen();
      free();
      await allReplicated(app);
      await seen();
      ids.push(id);
    });

    it('is removed from PostgreSQL after a late arrival once nothing needs it, and stays in every answer', async () => {
      const late = new Date(archived[1].getTime() + 5 * DAY_MS + 400);
      const { isHeld, free } = server.holdNext();
      const waiting = await ingest(late);
      await isHeld;
      await archiveMonths();
      // One that is to be replicated, matched or told stays.
      expect(await keptBefore(hotFrom)).toEqual([waiting]);
      free();
      await allReplicated(app);
      await app.rows('INSERT INTO event_outbox (project_id, event_ids, timestamps) VALUES ($1, $2, $3)', [
        owner.projectId,
        [waiting],
        [late],
      ]);
      await archiveMonths();
      expect(await keptBefore(hotFrom)).toEqual([waiting]);
      await app.rows('DELETE FROM event_outbox');
      const rules = rulesOf(app, owner);
      const rule = await rules.rule();
      // However quick the workers are.
      await app.rows('CREATE RULE kept AS ON DELETE TO alert_rule_firings DO INSTEAD NOTHING');
      await app.rows(
        `INSERT INTO alert_rule_firings
           (project_id, rule_id, kind, fingerprint, group_values, event_id, event_at, occurrences, accepted_at)
         VALUES ($1, $2, 'fire', 'one', '{}', $3, $4, 1, now())`,
        [owner.projectId, rule, waiting, late],
      );
      await archiveMonths();
      expect(await keptBefore(hotFrom)).toEqual([waiting]);
      await app.rows('DROP RULE kept ON alert_rule_firings');
      await app.rows('DELETE FROM alert_rule_firings');
      expect((await rules.send('delete', `/v1/alert-rules/${rule}`)).status).toBe(204);
      const before = await remembered();
      await Promise.all([archiveMonths(), archiveMonths()]);
      expect(await keptBefore(hotFrom)).toEqual([]);
      expect(said('removed 1 events of cold months, which ClickHouse has')).toBe(true);
      expect(await remembered()).toBe(before + 1);
      ids.push(waiting);

      const times = {
        from_ts: new Date(late.getTime() - 200).toISOString(),
        to_ts: new Date(late.getTime() + 1).toISOString(),
      };
      const project_id = owner.projectId;
      const page = await ask(app, { path: `/v1/projects/${project_id}/events`, query: times }).expect(200);
      expect(page.body).toMatchObject({ total: 2, items: [{ id: waiting }, {}] });
      await ask(app, { path: `/v1/projects/${project_id}/events/${waiting}` }).expect(200);
      const query = { ...times, project_id, where: 'properties.n == 1' };
      const overview = await ask(app, { path: '/v1/analytics/overview', query }).expect(200);
      expect(overview.body).toMatchObject({ totals: { events: 2 } });
      const found = await ask(app, { path: '/v1/eql', body: { ...times, project_id, query: 'late where true' } });
      expect(found.body).toMatchObject({ scanned: 2 });
      const all = await everyId();
      expect(new Set(all)).toEqual(new Set(ids));
      expect(all).toHaveLength(ids.length);
    });

    it('stays in PostgreSQL after a late arrival while ClickHouse lacks it', async () => {
      const late = new Date(archived[0].getTime() + 2 * DAY_MS);
      const id = await ingest(late, stranger);
      await allReplicated(app);
      const giveBack = await takeCopies(monthOf(archived[0], 1));
      await archiveMonths();
      expect(await keptBefore(hotFrom)).toEqual([id]);
      expect(
        said(
          `1 events of cold months stay: ClickHouse lacks them, the first is ${id} of the project ${stranger.projectId} at ${late.toISOString()}`,
        ),
      ).toBe(true);
      await giveBack();
      // What was not confirmed yet may be taken back by --restored.
      const [state] = await app.rows<{ block: string }>('SELECT block FROM event_shipping');
      await app.rows('UPDATE event_shipping SET block = 1');
      await archiveMonths();
      expect(await keptBefore(hotFrom)).toEqual([id]);
      await app.rows('UPDATE event_shipping SET block = $1, is_whole = false', [state?.block]);
      await archiveMonths();
      expect(await keptBefore(hotFrom)).toEqual([id]);
      await app.rows('UPDATE event_shipping SET is_whole = true');
      await archiveMonths();
      expect(await keptBefore(hotFrom)).toEqual([]);
    });

    it('is never lost when it arrives late while connections that remove events are killed', async () => {
      let isDone = false;
      const arrive = async (): Promise<void> => {
        for (let n = 0; n < 60; n += 1) {
          const at =
            n === 0
              ? Date.parse('0001-01-01T00:00:00.010Z')
              : n % 3 === 0
                ? longAgo.getTime() - n * 40 * DAY_MS
                : (archived[n % 2] as Date).getTime() + n * HOUR_MS;
          ids.push(await ingest(new Date(at)));
        }
        isDone = true;
      };
      const sweep = async (): Promise<void> => {
        while (!isDone) await archiveMonths().catch(() => undefined);
      };
      const kill = async (): Promise<void> => {
        while (!isDone) {
          await app.rows(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'service-months' AND datname = current_database()`,
          );
          await pause(Math.random() * 40);
        }
      };
      await Promise.all([arrive(), sweep(), sweep(), kill()]);
      // More than are looked for together, each at a time of its own.
      const many = Array.from({ length: 2_500 }, (_, n) => ({
        timestamp: new Date(longAgo.getTime() + n * MINUTE_MS + n),
      }));
      await insertEvents(app, stranger.projectId, many);
      await allReplicated(app);
      await archiveMonths();
      expect(await keptBefore(hotFrom)).toEqual([]);
      const all = await everyId();
      expect(new Set(all)).toEqual(new Set(ids));
      expect(all).toHaveLength(ids.length);
      // Each of them was remembered once.
      const [clickHouse] = await store.server.rows<{ events: string }>(
        `SELECT toString(count()) AS events FROM \`${store.server.database}\`.events
         WHERE timestamp < {until: DateTime64(3, 'UTC')}`,
        { until: hotFrom.toISOString().slice(0, 23).replace('T', ' ') },
      );
      expect(await remembered()).toBe(Number(clickHouse?.events));
      await app.rows(
        'UPDATE event_shipping SET is_whole = false, moved_project = NULL, moved_at = NULL, moved_id = NULL',
      );
      expect(await move()).toEqual([0, expect.stringContaining('ClickHouse has every event')]);
    });

    it('makes a read return 503 while ClickHouse is down, unless PostgreSQL still has it', async () => {
      await server.goAway();
      try {
        const project = { project_id: owner.projectId };
        const old = { from_ts: archived[0].toISOString(), to_ts: new Date(now).toISOString() };
        const path = `/v1/projects/${owner.projectId}/events`;
        for (const request of [
          { path: '/v1/analytics/breakdown', query: { ...project, ...old, by: 'properties.plan' } },
          { path: '/v1/analytics/overview', query: { ...project, ...old, where: 'log.status > 1' } },
          { path: '/v1/performance/slowest', query: { ...project, ...old } },
          { path, query: { ...old, limit: 500 } },
          { path: '/v1/eql', body: { ...project, ...old, query: 'any where true' } },
          { path: '/v1/logs', query: { ...project, range: 'all', limit: 500 } },
        ]) {
          const refused = await ask(app, request);
          expect([request.path, refused.status, refused.body, refused.headers['retry-after']]).toEqual([
            request.path,
            503,
            AWAY,
            '10',
          ]);
        }
        for (const request of [
          { path: '/v1/logs', query: { ...project, range: '7d' } },
          { path: '/v1/events', query: { ...project, limit: 3 } },
          { path, query: { range: '7d' } },
          { path: '/v1/analytics/breakdown', query: { ...project, range: '7d', by: 'properties.plan' } },
          { path: `/v1/projects/${owner.projectId}/dashboard` },
          { path: '/v1/events/names', query: { ...project, range: 'all' } },
        ]) {
          expect([request.path, (await ask(app, request)).status]).toEqual([request.path, 200]);
        }
        // What PostgreSQL has is found, and that there may be more is said.
        const searched = await ask(app, {
          path: '/v1/search',
          query: { ...project, q: 'order', range: 'all', type: ['event', 'event_type'] },
        }).expect(200);
        expect(searched.body).toMatchObject({ is_partial: true, counts: { event_type: 1 } });
      } finally {
        await server.comeBack();
      }
    });

    it('stays in counters and rollups after PostgreSQL has dropped it', async () => {
      await app.nest.get(HourRollupsService, { strict: false }).makeDue();
      const [wrong] = await app.rows<{ hours: number }>(
        `SELECT count(*)::int AS hours FROM hour_rollups r JOIN event_hours h USING (project_id, hour)
         WHERE r.hour < $1 AND r.counted <> h.events AND r.counted < h.events`,
        [hotFrom],
      );
      // What was made before an event came late stays as it was, and is not used.
      expect(wrong?.hours).toBeLessThanOrEqual(2);
      expect(said('counters differ')).toBe(false);
    });

    it('prevents a start on PostgreSQL alone and the end of replication when only ClickHouse has it', async () => {
      const refused = createTestApp({ databaseUrl: database.url, env: store.env });
      await expect(refused).rejects.toThrow(
        new ConfigError([
          `EVENT_STORE must be clickhouse: events before ${hotFrom.toISOString()} are in ClickHouse alone`,
        ]),
      );
      await expect(app.rows('SELECT end_event_shipping()')).rejects.toThrow('are in the event store alone');
    });

    it('is deleted from both stores with its project', async () => {
      await app.rows(
        `UPDATE projects SET deleted_at = now() - interval '2 minutes', archived_at = now() - interval '2 minutes' WHERE id = $1`,
        [stranger.projectId],
      );
      const maintain = () => app.nest.get(MaintenanceRunner, { strict: false }).run();
      const counted = async (): Promise<unknown> => [
        await app.rows('SELECT 1 FROM cold_months WHERE project_id = $1', [stranger.projectId]),
        await app.rows('SELECT 1 FROM events WHERE project_id = $1', [stranger.projectId]),
        await store.server.rows(
          `SELECT 1 FROM \`${store.server.database}\`.events WHERE project_id = {project: UUID} LIMIT 1`,
          { project: stranger.projectId },
        ),
      ];
      expect(await counted()).toEqual([expect.arrayContaining([{ '?column?': 1 }]), expect.anything(), [{ 1: 1 }]]);
      await eventually(
        async () => (await maintain(), counted()),
        (left) => JSON.stringify(left) === '[[],[],[]]',
      );
    });

    it('is replicated as before after PostgreSQL was restored to an earlier state', async () => {
      const { database: name } = store.server;
      // What ClickHouse was sent since.
      await store.server.command(
        `INSERT INTO \`${name}\`.events SELECT * REPLACE (1000000 AS block, generateUUIDv4() AS id) FROM \`${name}\`.events
         WHERE project_id = {project: UUID} LIMIT 3`,
        { project: owner.projectId },
      );
      const token = await app.rows('SELECT id FROM event_shipping');
      expect(await move({ isRestored: true })).toEqual([0, expect.stringContaining('nothing behind the state')]);
      expect(await app.rows('SELECT id FROM event_shipping')).not.toEqual(token);
      ids.push(await ingest(new Date(now - DAY_MS)));
      await allReplicated(app);
      expect(new Set(await everyId())).toEqual(new Set(ids));
    });

    it('is reported as missing by the move command when ClickHouse has lost it', async () => {
      await store.server.command(
        `ALTER TABLE \`${store.server.database}\`.events DELETE WHERE project_id = {project: UUID} AND toYYYYMM(timestamp) = {month: UInt32}
         SETTINGS mutations_sync = 2`,
        { project: owner.projectId, month: Number(tableOf(archived[1]).slice(7).replace('_', '')) },
      );
      await app.rows(
        'UPDATE event_shipping SET is_whole = false, moved_project = NULL, moved_at = NULL, moved_id = NULL',
      );
      for (const isWhole of [false, true]) {
        await app.rows('UPDATE event_shipping SET is_whole = $1', [isWhole]);
        expect(await move()).toEqual([
          1,
          expect.stringContaining(`of ${archived[1].toISOString().slice(0, 7)}, which ClickHouse alone had, `),
        ]);
        expect(await app.rows('SELECT is_whole FROM event_shipping')).toEqual([{ is_whole: false }]);
      }
    });
  });
}

if ('absent' in clickHouse)
  it.skip(`needs ClickHouse for the tests of hot events: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
