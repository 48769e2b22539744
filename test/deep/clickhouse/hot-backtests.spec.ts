import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { BacktestLimits } from '../../../src/modules/alerting/rules/backtest/backtest-limits.js';
import { MonthArchiver } from '../../../src/modules/events/event-store/archiving/month-archiver.js';
import { StagedEventsWriter } from '../../../src/modules/events/event-store/reading/staged-events.writer.js';
import { HotEvents } from '../../../src/modules/events/event-store/retention/hot-events.js';
import { HotMonthsReader } from '../../../src/modules/events/event-store/retention/hot-months.reader.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  type ClickHouseAccess,
  type EventStore,
  eventStore,
  FaultyServer,
  testClickHouse,
} from '../../support/clickhouse.js';
import type { Json } from '../../support/delivery.js';
import { allReplicated } from '../../support/replication.js';
import { makeMonths, monthOf } from '../../support/event-months.js';
import { countEvents, insertEvents } from '../../support/event-rows.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { eventIs, rulesOf } from '../../support/rules.js';

const clickHouse = await testClickHouse();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const AWAY = { detail: 'Older events cannot be read at the moment: choose a shorter range or try again later' };

const threshold = { kind: 'threshold', window_seconds: 600, aggregate: 'count', op: 'gte', value: 4 };
const change = { kind: 'rate_of_change', aggregate: 'count', direction: 'both', percent: 20 };
const compares = (field: string, op: string, value: unknown): object => ({ field, op, value });

/** One of each kind, and of each way in which events are found and added up. */
const RULES: Readonly<Record<string, object>> = {
  'events of a type': { condition: { kind: 'match', ...eventIs('a') } },
  'events by their properties, in episodes': {
    condition: {
      kind: 'match',
      all: [compares('properties.shop', 'contains', 'nor'), compares('properties.n', 'gt', 3)],
    },
    group_by: ['properties.shop'],
    for_seconds: 600,
    keep_firing_seconds: 1_200,
  },
  'events by what ClickHouse cannot say': {
    condition: {
      kind: 'match',
      any: [compares('message', 'matches', '^m.*7$'), { not: compares('properties.shop', 'exists', true) }],
      not: compares('event', 'in', ['b']),
    },
    cooldown_seconds: 7_200,
  },
  'how many rows': { condition: { ...threshold, ...eventIs('a') }, for_seconds: 120 },
  'how many rows of each group': { condition: { ...threshold, value: 2 }, group_by: ['properties.shop', 'event'] },
  'a number of the properties': {
    condition: { ...threshold, aggregate: 'avg', aggregate_field: 'properties.n', value: 9, window_seconds: 900 },
    keep_firing_seconds: 300,
  },
  'a percentile of groups': {
    condition: { ...threshold, aggregate: 'p95', aggregate_field: 'log.latency_ms', value: 700 },
    group_by: ['log.endpoint'],
  },
  'counted hours': { condition: { ...threshold, ...eventIs('b'), window_seconds: 5_400, value: 10 } },
  'counted hours of groups': {
    condition: { ...threshold, aggregate: 'error_rate', window_seconds: 7_200, value: 0.25 },
    group_by: ['environment'],
  },
  'a change of rows to the day before': {
    condition: { ...change, window_seconds: 1_800, compare_seconds: 86_400 },
    group_by: ['properties.shop'],
  },
  'a change of counted hours to the week before': {
    condition: { ...change, window_seconds: 3_600, compare_seconds: 604_800 },
  },
  'the absence of events': { condition: { kind: 'absence', window_seconds: 1_200, ...eventIs('a') } },
  'the absence of groups': { condition: { kind: 'absence', window_seconds: 1_500 }, group_by: ['properties.shop'] },
  findings: { condition: { kind: 'anomaly', min_severity: 'info' } },
};

function tests(access: ClickHouseAccess): void {
  describe('A back-test over events that only ClickHouse has', () => {
    const hotFrom = monthOf(new Date(Date.now() - 35 * DAY_MS));
    const archived = [monthOf(hotFrom, -2), monthOf(hotFrom, -1)] as const;
    const since = (from: number, hours: number): { from_ts: string; to_ts: string } => ({
      from_ts: new Date(hotFrom.getTime() + from).toISOString(),
      to_ts: new Date(hotFrom.getTime() + from + hours * HOUR_MS).toISOString(),
    });
    const WINDOWS = {
      'of an archived time': since(-26 * HOUR_MS - 1_234, 3),
      'across the border': since(-2 * HOUR_MS + 4 * MINUTE_MS, 4),
      'behind the border': since(30 * MINUTE_MS, 2),
      'of a time that PostgreSQL has with all before': since(9 * DAY_MS + 2 * HOUR_MS, 2),
      'across two months': {
        from_ts: new Date(archived[1].getTime() - 2 * HOUR_MS).toISOString(),
        to_ts: new Date(archived[1].getTime() + 2 * HOUR_MS).toISOString(),
      },
    };
    /** A busy machine must not be what cuts an answer: sixty looks at ClickHouse take seconds there. */
    const PATIENT: Partial<BacktestLimits> = { mostMs: 120_000, stagingMs: 60_000 };
    /** Where each look is asked of ClickHouse. */
    const HOUR = since(-26 * HOUR_MS - 1_234, 1);
    const COUNTED = ['counted hours', 'counted hours of groups', 'a change of counted hours to the week before'];
    let database: TestDatabase;
    let server: FaultyServer;
    let store: EventStore;
    /** Reads from PostgreSQL alone, as long as that has all. */
    let plain: TestApp;
    let app: TestApp;
    let owner: Owner;
    let stranger: Owner;
    const rules = new Map<string, string>();
    let theirs: string;
    /** What PostgreSQL answered while it had all. */
    const kept = new Map<string, Json>();

    const event = fc.record({
      minutes: fc.nat(6 * 60),
      event: fc.constantFrom('a', 'a', 'b', 'c'),
      environment: fc.constantFrom(null, 'production', 'staging'),
      message: fc.constantFrom(null, 'message 7', 'other', 'é'.repeat(20)),
      log_endpoint: fc.constantFrom('/cart', '/orders/7'),
      log_status: fc.constantFrom(200, 404, 500),
      log_latency_ms: fc.option(fc.constantFrom(0, 1, 20, 777, 12_345), { nil: undefined }),
      properties: fc.constantFrom<Record<string, unknown>>(
        { shop: 'north', n: 1.5 },
        { shop: 'north', n: 20 },
        { shop: 'south', n: 4, request: { a: 1 } },
        { shop: ['nor'], n: 12, note: 'x'.repeat(300) },
        { n: 7 },
        // ClickHouse reads none of these as they are.
        { shop: 'north', n: 5, large: 2 ** 70 },
      ),
    });
    /** Around each of these, for six hours. */
    const STARTS = [
      -27 * HOUR_MS,
      -51 * HOUR_MS,
      -3 * HOUR_MS,
      -7 * DAY_MS - 3 * HOUR_MS,
      -8 * DAY_MS - 3 * HOUR_MS,
      9 * DAY_MS,
      archived[1].getTime() - hotFrom.getTime() - 3 * HOUR_MS,
      archived[1].getTime() - hotFrom.getTime() - 27 * HOUR_MS,
    ];

    const backtest = async (of: TestApp, name: string, window: object): Promise<Json> => {
      const { status, body } = await rulesOf(of, owner).backtest(rules.get(name) ?? '', window);
      return { status, ...body };
    };
    const archiveMonths = (): Promise<number> => app.nest.get(MonthArchiver, { strict: false }).archiveMonths();
    /** Relations that a back-test has made and left behind. */
    const left = (): Promise<unknown[]> =>
      app.rows(
        `SELECT relname FROM pg_class WHERE relname LIKE 'lent_events%' OR (relname = 'events' AND relpersistence = 't')`,
      );
    const limit = (limits: Partial<StagedEventsWriter>): void => {
      Object.assign(app.nest.get(StagedEventsWriter, { strict: false }), limits);
    };
    /** Looks at so many events that fit. */
    const atMost = async <T>(mostEvents: number, of: TestApp, work: () => Promise<T>): Promise<T> => {
      const limits = of.nest.get(BacktestLimits, { strict: false });
      limits.mostEvents = mostEvents;
      try {
        return await work();
      } finally {
        Object.assign(limits, new BacktestLimits(), PATIENT);
      }
    };
    const unlimited = { mostEvents: 100_000, mostBytes: 64 * 1024 * 1024 };
    const ingest = async (timestamp: Date): Promise<void> => {
      await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ event_type: 'late', source: 'shop', timestamp: timestamp.toISOString(), payload: { n: 1 } })
        .expect(200);
    };

    beforeAll(async () => {
      database = await createTestDatabase();
      server = await FaultyServer.before(access);
      store = await eventStore(access, server.url);
      plain = await createTestApp({ databaseUrl: database.url, env: { PROCESS_ROLE: 'api' } });
      await makeMonths(plain, archived);
      app = await createTestApp({
        databaseUrl: database.url,
        dataDir: plain.dataDir,
        env: { ...store.env, EVENT_STORE: 'clickhouse', EVENTS_HOT_DAYS: '35' },
      });
      for (const { nest } of [plain, app]) Object.assign(nest.get(BacktestLimits, { strict: false }), PATIENT);
      owner = await ownerWithProject(app);
      stranger = await ownerWithProject(app);
      let seed = 0;
      for (const { projectId } of [owner, stranger]) {
        for (const start of STARTS) {
          const sample = fc.sample(event, { numRuns: 90, seed: (seed += 1) });
          await insertEvents(
            app,
            projectId,
            sample.map(({ minutes, ...one }) => ({
              ...one,
              timestamp: new Date(hotFrom.getTime() + start + minutes * MINUTE_MS + (minutes % 7) * 1_001),
            })),
          );
        }
      }
      await countEvents(app);
      for (const [name, rule] of Object.entries(RULES)) rules.set(name, await rulesOf(app, owner).rule(rule));
      rules.set(
        'late',
        await rulesOf(app, owner).rule({ condition: { kind: 'match', ...eventIs('late') }, cooldown_seconds: 0 }),
      );
      theirs = await rulesOf(app, stranger).rule(RULES['how many rows of each group']);
      const began = new Date(hotFrom.getTime() - 25 * HOUR_MS);
      await app.rows(
        `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score, title, summary,
                                        actual, expected, started_at, detected_at, last_seen_at, acknowledged_at, evidence)
         VALUES ($1, $2, 'silence', 'event', 'a', 'events', 'open', 'critical', 1, 'a', 'a', 0, 5, $3, $3, $3, $3, '{}')`,
        [newId(), owner.projectId, began],
      );
      await allReplicated(app);
    });

    afterEach(() => {
      server.behave();
      limit(unlimited);
    });

    afterAll(async () => {
      await app.close();
      await plain.close();
      await server.goAway();
      await store.drop();
      await database.drop();
    });

    it('returns what it returned when PostgreSQL had the events', async () => {
      let [fired, evaluated] = [0, 0];
      for (const name of Object.keys(RULES)) {
        for (const [which, window] of Object.entries(WINDOWS)) {
          const answer = await backtest(plain, name, window);
          expect([name, which, answer.status, answer.truncated]).toEqual([name, which, 200, false]);
          kept.set(`${name} ${which}`, answer);
          fired += (answer.firings as Json[]).length;
          evaluated += answer.evaluations as number;
        }
      }
      for (const name of COUNTED) kept.set(`${name} of an hour`, await backtest(plain, name, HOUR));
      expect(fired).toBeGreaterThan(200);
      expect(evaluated).toBeGreaterThan(5_000);
      const their = await rulesOf(plain, stranger).backtest(theirs, WINDOWS['across the border']);
      kept.set('theirs', { status: their.status, ...their.body });
      kept.set(
        'seven',
        await atMost(7, plain, () => backtest(plain, 'events of a type', WINDOWS['of an archived time'])),
      );

      const monthArchiver = app.nest.get(MonthArchiver, { strict: false });
      Object.assign(monthArchiver, { restMs: 0 });
      monthArchiver.due.forMs = 0;
      await archiveMonths();
      app.nest.get(HotMonthsReader, { strict: false }).announced.forMs = 0;
      let gone = 0;
      await eventually(
        async () => (gone += await archiveMonths()),
        (months) => months === 2,
      );
      app.nest.get(HotEvents, { strict: false }).forget();
      expect(await app.rows('SELECT FROM events WHERE "timestamp" < $1', [hotFrom])).toEqual([]);
      for (const name of Object.keys(RULES)) {
        for (const [which, window] of Object.entries(WINDOWS)) {
          const key = `${name} ${which}`;
          expect([key, await backtest(app, name, window)]).toEqual([key, kept.get(key)]);
        }
      }
    });

    it('leaves no temporary table behind on a connection', async () => {
      const all = (): Promise<unknown[]> =>
        Promise.all(
          Array.from({ length: 10 }, async () => {
            const path = `/v1/projects/${owner.projectId}/events`;
            const query = { ...WINDOWS['of a time that PostgreSQL has with all before'], limit: 1 };
            const { body } = await app.request().get(path).query(query).set('Authorization', owner.bearer).expect(200);
            return body.total;
          }),
        );
      const before = await all();
      for (let round = 0; round < 3; round += 1)
        await backtest(app, 'events of a type', WINDOWS['of an archived time']);
      expect(await all()).toEqual(before);
      expect(new Set(before).size).toBe(1);
      await eventually(left, (relations) => relations.length === 0);
    });

    it('reads only its own events when another back-test runs at the same time', async () => {
      const name = 'how many rows of each group';
      const window = WINDOWS['across the border'];
      for (let round = 0; round < 3; round += 1) {
        const [mine, other] = await Promise.all([
          backtest(app, name, window),
          rulesOf(app, stranger).backtest(theirs, window),
        ]);
        expect(mine).toEqual(kept.get(`${name} across the border`));
        expect({ status: other.status, ...other.body }).toEqual(kept.get('theirs'));
      }
    });

    it('covers the first events and is marked as truncated when there are too many to fetch', async () => {
      const which = 'of an archived time';
      const window = WINDOWS[which];
      const whole = (name: string): Json => kept.get(`${name} ${which}`) ?? {};
      const begins = ({ firings }: Json): unknown[] => (firings as Json[]).map(({ at, group }) => [at, group]);
      limit({ mostEvents: 10 });
      for (const name of ['events of a type', 'how many rows', 'the absence of groups', 'a percentile of groups']) {
        const [cut, all] = [await backtest(app, name, window), whole(name)];
        expect([name, cut.status, cut.truncated]).toEqual([name, 200, true]);
        expect(cut.evaluations).toBeLessThan(all.evaluations as number);
        expect(begins(cut)).toEqual(begins(all).slice(0, begins(cut).length));
      }
      limit({ ...unlimited, mostBytes: 10_000 });
      const cut = await backtest(app, 'events by their properties, in episodes', window);
      expect([cut.status, cut.truncated]).toEqual([200, true]);
      // Figures of counted hours do not depend on the limit, whether it is exceeded before the read or during it.
      for (const limits of [{ mostBytes: 10_000 }, { mostEvents: 10 }]) {
        limit({ ...unlimited, ...limits });
        for (const name of COUNTED) expect(await backtest(app, name, HOUR)).toEqual(kept.get(`${name} of an hour`));
      }
    });

    it('evaluates single events up to the same limit as in PostgreSQL', async () => {
      const window = WINDOWS['of an archived time'];
      const answer = await atMost(7, app, () => backtest(app, 'events of a type', window));
      expect(answer).toMatchObject({ status: 200, evaluations: 7, truncated: true });
      expect(answer).toEqual(kept.get('seven'));
    });

    it('returns 503 when an answer of ClickHouse breaks off, no matter how many events had arrived', async () => {
      let refused = 0;
      for (const name of ['events of a type', 'how many rows of each group', 'the absence of groups', ...COUNTED]) {
        for (const which of ['of an archived time', 'across the border'] as const) {
          const before = server.reads;
          expect([name, await backtest(app, name, WINDOWS[which])]).toEqual([name, kept.get(`${name} ${which}`)]);
          const reads = server.reads - before;
          for (let nth = 0; nth < Math.min(reads, 2); nth += 1) {
            for (const fault of [
              { afterBytes: 3_000, then: 'end' },
              { afterBytes: 3_000, then: 'reset' },
              { afterBytes: 0, then: 'end' },
            ] as const) {
              server.readFaults.push(...Array.from({ length: nth }, () => 'pass' as const), fault);
              const answer = await backtest(app, name, WINDOWS[which]);
              expect([name, which, nth, fault, answer]).toEqual([name, which, nth, fault, { status: 503, ...AWAY }]);
              expect(server.readFaults).toEqual([]);
              refused += 1;
            }
          }
        }
      }
      expect(refused).toBeGreaterThan(20);
      await eventually(left, (relations) => relations.length === 0);
    });

    it('includes a late event once, before and after it is replicated', async () => {
      const window = WINDOWS['of an archived time'];
      const at = new Date(Date.parse(window.from_ts) + HOUR_MS);
      const { isHeld, free } = server.holdNext();
      await ingest(at);
      await isHeld;
      const seen = async (): Promise<unknown> => {
        const { status, evaluations, firings } = await backtest(app, 'late', window);
        return [status, evaluations, (firings as Json[]).map((firing) => [firing.at, firing.values])];
      };
      const once = [200, 1, [[at.toISOString(), expect.objectContaining({ n: 1 })]]];
      expect(await seen()).toEqual(once);
      free();
      await allReplicated(app);
      // It lies in PostgreSQL, too, and is one event.
      expect(await app.rows('SELECT FROM events WHERE "timestamp" = $1', [at])).toHaveLength(1);
      expect(await seen()).toEqual(once);
      await ingest(new Date(at.getTime() + 1));
      expect(await seen()).toEqual([200, 2, [...(once[2] as unknown[]), expect.anything()]]);
    });

    it('returns 503 when one of the stores does not answer in time, and leaves the connection unchanged', async () => {
      const window = WINDOWS['of an archived time'];
      server.readFaults.push({ code: 159, message: 'Timeout exceeded' });
      expect(await backtest(app, 'how many rows', window)).toEqual({ status: 503, ...AWAY });
      await eventually(left, (relations) => relations.length === 0);
      const limits = app.nest.get(BacktestLimits, { strict: false });
      const client = new pg.Client({ connectionString: app.databaseUrl });
      await client.connect();
      limits.stagingMs = 300;
      try {
        await client.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
        expect(await backtest(app, 'how many rows', window)).toEqual({ status: 503, ...AWAY });
      } finally {
        Object.assign(limits, new BacktestLimits(), PATIENT);
        await client.end();
      }
      expect(await backtest(app, 'how many rows', window)).toEqual(kept.get('how many rows of an archived time'));
    });

    it('returns 503 while ClickHouse is down, unless it needs nothing from ClickHouse', async () => {
      await server.goAway();
      try {
        for (const [name, which, status] of [
          ['events of a type', 'of an archived time', 503],
          ['how many rows', 'across the border', 503],
          ['a change of counted hours to the week before', 'behind the border', 503],
          ['the absence of groups', 'behind the border', 503],
          ['events of a type', 'behind the border', 200],
          ['how many rows', 'behind the border', 200],
          ['how many rows', 'of a time that PostgreSQL has with all before', 200],
          ['findings', 'of an archived time', 200],
        ] as const) {
          const answer = await backtest(app, name, WINDOWS[which]);
          const expected = status === 200 ? kept.get(`${name} ${which}`) : { status, ...AWAY };
          expect([name, which, answer]).toEqual([name, which, expected]);
        }
      } finally {
        await server.comeBack();
      }
    });
  });
}

if ('absent' in clickHouse)
  it.skip(`needs ClickHouse for the tests of back-tests: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
