import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { ClickHouseFunnelRepository } from '../../../src/modules/events/event-store/funnels/clickhouse-funnel.repository.js';
import { ScanRepository } from '../../../src/modules/events/event-store/scan/scan.repository.js';
import { RunLimits } from '../../../src/modules/events/eql/running/run-limits.js';
import { ClickHouseRequestsReader } from '../../../src/modules/events/event-store/index.js';
import { ClickHouseEvents } from '../../../src/modules/events/event-store/reading/clickhouse-events.reader.js';
import { NewestListReader } from '../../../src/modules/events/event-store/lists/newest-list.reader.js';
import { HotEvents } from '../../../src/modules/events/event-store/retention/hot-events.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';
import { type BothStores, bothStores, steady } from '../../support/both-stores.js';
import { type ClickHouseAccess, type FaultyServer, testClickHouse } from '../../support/clickhouse.js';
import { anyCondition, anyQuery } from '../../support/eql.js';
import { allReplicated, replicationQueueLength } from '../../support/replication.js';
import { countEvents, insertEvents } from '../../support/event-rows.js';
import { createSource } from '../../support/sources.js';
import { withinAnHour } from '../../support/utc-day.js';

const clickHouse = await testClickHouse();
/** Of each kind; the suite is content with few. */
const QUERIES = Number(process.env.EVENT_STORE_QUERIES ?? 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Times in the middle of the ranges of reads, so that none leaves one between two answers; some are of one instant. */
const AGES_MS = [3, 4, 5, 30, 31].map((minutes) => minutes * MINUTE_MS);
AGES_MS.push(...[5, 6, 12].map((hours) => hours * HOUR_MS), ...[3, 4, 15].map((days) => days * DAY_MS));

const NAMES = ['sign_up', 'Order.Paid', '100%_off', 'Straße', 'ÉTÉ', 'back\\slash', "o'clock", ''];
const ENDPOINTS = [
  '/health',
  '/favicon.ico',
  '/Cart',
  '/cart/42',
  '/orders?q=100%',
  '/été',
  '/a_b',
  '/a\\b',
  '/tab\there',
];
const TEXTS = ['cart', 'CART', '%', '_', '\\', 'É', 'strasse', 'straße', '100%', "'", 'get', 'nothing of it', 'a_b'];
const WORDS = [null, 'info', 'Info', 'warn\ning'];

/** What conditions ask about: few names and values, so that what is compared often meets. */
const TOLD = [
  '',
  'a',
  'ab',
  'A',
  'ä😀',
  'k',
  '\u212a',
  '\u017fÄ😀',
  '1',
  '01',
  '-1',
  'true',
  'null',
  '%',
  '_',
  '\\',
  'e\nb',
  '"',
];
TOLD.push('x'.repeat(800), 'x'.repeat(801), 'é'.repeat(450), `${'é'.repeat(450)}b`);
/** Paths with parts that are ids, or nearly. */
const PATHS = ['/a/1', '/a/0123456789ab?b=1#c', '/a/0123456789a/2', '1', '/1//2/', '?', '#/1', '/a\n/1\n', '/1\n'];
/** Properties that name a route, or do not. */
const ROUTES: readonly object[] = [
  {},
  {},
  { route: '/a/{b}', http_route: '/a/{c}' },
  { route: '', http_route: 'ä😀/1' },
  { route: 1, 'http.route': 'e\nb' },
  { route: null, http_route: ['a'], http: { route: '"' } },
  { 'http.route': null, http: { route: '\\' } },
  { http: [{ route: 'a' }], route: { a: 'b' } },
];
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  1.5,
  100,
  2 ** 53 + 2,
  -(2 ** 62),
  2 ** 63,
  0.1,
  1e-7,
  5e-324,
  0.1 + 0.2,
  1.25e-9,
  1 / 3,
];
/** Beyond 64 bits: ClickHouse does not read what they stand in, unless they are told to be doubles. */
const LARGE_NUMBERS = [1e21, 1e300, -1.2345e25, 2 ** 64, -(2 ** 64), 1.5, 1];
const name = fc.constantFrom('a', 'b', 'a.b', '0', '1', '01', '-1', ' 1', 'constructor');
const anyValue = (numbers: readonly number[]): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.oneof(fc.constantFrom(...TOLD), fc.constantFrom(...numbers), fc.boolean()),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  })).value;
const OTHERS = Array.from({ length: 32 }, (_, n) => `other_${n}`);
/** That ClickHouse can say, all of them. */
const CONDITIONS = [
  'properties.a == "a"',
  'not properties.a == 1',
  'properties.a > 0 and properties.b != "ab"',
  'properties.a in (1, 1.5, "k", true)',
  'properties.a not in~ ("K", "1")',
  'properties.a : ("*k*", "?")',
  'properties.b like ("a*", "%")',
  'properties.a == null or properties.b',
  'startsWith~(properties.a, "A") or endsWith(message, "b")',
  'stringContains(log.endpoint, "a") and log.status >= 404',
  'log.latency_ms in (0, 1) and severity != null',
  '`properties`.`a`.`b` == 1 or status == "k"',
  'log.latency_ms == 0 or (event == "a" and null)',
  'not (log.status != 200 or null) or environment == "staging"',
  'properties.a.`0` == 1 or properties.b.`1`.a != null',
  'properties.`0` == "a" or properties.a.`01` : "*" or properties.b.`-1` >= 1',
  'log.route : ("/a/*", "ä*") or log.route == null',
  'log.status_class in ("4xx", "5xx") and not startsWith(log.route, "/")',
  'length(log.route) > 2 or log.route regex ".*:id"',
];
const by = fc.oneof(
  fc.constantFrom(
    'event',
    'source',
    'source_id',
    'severity',
    'environment',
    'log.method',
    'log.endpoint',
    'log.status',
    'log.status_class',
    'log.route',
  ),
  fc.array(name, { minLength: 1, maxLength: 3 }).map((path) => `properties.${path.join('.')}`),
  fc.constantFrom('properties.a', 'properties.b', 'properties.a.b'),
);

/** What a series tells of which field. */
const aggregated = fc.oneof(
  fc.constantFrom('count', 'errors', 'error_rate').map((aggregate) => ({ aggregate })),
  fc.record({ aggregate: fc.constant('unique'), aggregate_field: by }),
  fc.record({
    aggregate: fc.constantFrom('sum', 'avg', 'min', 'max', 'p50', 'p95', 'p99'),
    aggregate_field: fc.constantFrom('properties.a', 'properties.b', 'properties.a.b', 'log.latency_ms', 'log.status'),
  }),
);

const filtered = fc
  .tuple(fc.constantFrom('any', 'a', 'ab', 'b'), fc.oneof(anyCondition, fc.constantFrom('true', ...CONDITIONS)))
  .map(([category, condition]) => `${category} where ${condition}`);
const joined = fc.constantFrom('', ' by properties.a', ' by severity', ' by `properties`.`a`.`b`, ?`properties`.`b`');
const narrowed = fc.constantFrom(
  '',
  '',
  ' by log.route',
  ' by log.status',
  ' by properties.`0`',
  ' by _id',
  ' by log.latency_ms',
);
const narrowedTerms = fc
  .tuple(narrowed, fc.array(filtered, { minLength: 2, maxLength: 3 }))
  .map(([key, filters]) => filters.map((filter) => `[${filter}]${key}`).join(' '));
const eql = fc.oneof(
  fc
    .tuple(filtered, fc.constantFrom('', ' | head 3', ' | tail 7', ' | tail 4 | head 2'))
    .map((parts) => parts.join('')),
  fc
    .tuple(
      joined,
      fc.constantFrom('', ' with maxspan=1d', ' with maxspan=5m'),
      narrowedTerms,
      fc.constantFrom('', ' | head 5'),
    )
    .map(([key, span, terms, pipe]) => `sequence${key}${span} ${terms}${pipe}`),
  fc.tuple(narrowedTerms).map(([terms]) => `sample by properties.a ${terms}`),
  // More properties than have a column each.
  fc
    .tuple(filtered, name)
    .map(([one, of]) => `${one} and ${OTHERS.map((other) => `concat(a.\`${of}\`, ${other}) != "x"`).join(' or ')}`),
  anyQuery,
);

/** What is told of requests, and how it is asked. */
const requestFigures = fc.oneof(
  fc
    .record({ apdex_ms: fc.constantFrom(1, 2, 300), compare: fc.constantFrom('none', 'previous') })
    .map((query) => ['summary', query] as const),
  fc
    .record({ interval: fc.constantFrom('hour', 'day', 'auto'), timezone: fc.constantFrom('UTC', 'Asia/Kathmandu') })
    .map((query) => ['timeseries', query] as const),
  fc
    .record({
      sort: fc.constantFrom('requests', 'p95', 'error_rate', 'errors', 'total_time'),
      limit: fc.constantFrom(1, 5, 200),
      offset: fc.constantFrom(0, 2),
      group_by: fc.constantFrom('endpoint', 'route'),
      requests_only: fc.boolean(),
    })
    .map((query) => ['endpoints', query] as const),
  fc
    .record({ limit: fc.constantFrom(1, 20, 100), min_ms: fc.constantFrom(0, 1, 3) })
    .map((query) => ['slowest', query] as const),
  fc
    .record({ limit: fc.constantFrom(1, 50), status_from: fc.constantFrom('400', '500') })
    .map((query) => ['errors', query] as const),
);

/** What tells of the time up to now. */
const ASKED_NOW = ['dashboard', 'usage/daily', 'health'].map((path) => `/v1/projects/:project/${path}`);
ASKED_NOW.push(...['stats', 'health'].map((path) => `/v1/ingest-sources/:source/${path}`));
ASKED_NOW.push('/v1/usage', '/v1/events/names', '/v1/events/counts');

/** Whether chains of events may be followed by it. */
function isFollowed(field: string): boolean {
  return field !== 'event' && !field.startsWith('log.');
}

/** What is asked in a way. */
interface Kind {
  readonly requests: fc.Arbitrary<Request>;
  /** How many are asked, of {@link QUERIES}. */
  readonly share: number;
  /** Which part of them ClickHouse answers, at least; 0: those that PostgreSQL has counted. */
  readonly clickHouse: number;
}

interface Request {
  /** `:project` and `:source` stand for the ids that are asked about. */
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
}

interface Tested {
  readonly timestamp: Date;
  readonly event: string;
  readonly severity: string | null;
  readonly environment: string | null;
  readonly message: string | null;
  readonly log_method: string;
  readonly log_endpoint: string;
  readonly log_status: number;
  readonly properties: Record<string, unknown>;
}

function tests(access: ClickHouseAccess): void {
  describe('A read from ClickHouse', () => {
    let server: FaultyServer;
    let stores: BothStores;
    /** Reads from ClickHouse what is there. */
    let app: TestApp;
    /** Reads from PostgreSQL alone. */
    let plain: TestApp;
    let owner: Owner;
    /** Of every other event of the owner's. */
    let sourceId: string;
    const now = Date.now();

    const event: fc.Arbitrary<Tested> = fc.record({
      timestamp: fc
        .tuple(fc.constantFrom(...AGES_MS), fc.constantFrom(0, 0, 1, 2, 1_000))
        .map(([age, more]) => new Date(now - age - more)),
      event: fc.constantFrom(...NAMES),
      severity: fc.constantFrom(...WORDS),
      environment: fc.constantFrom(null, 'production', 'staging'),
      message: fc.option(fc.constantFrom('', 'a message', 'x'.repeat(300))),
      log_method: fc.constantFrom('GET', 'POST', 'EVENT'),
      log_endpoint: fc.constantFrom(...ENDPOINTS),
      log_status: fc.constantFrom(200, 404, 500),
      properties: fc.constantFrom<Record<string, unknown>>({}, { plan: 'pro' }, { n: 1.5, list: [1, 'a'] }),
    });

    beforeAll(async () => {
      // Thousands of questions take longer than a token lives of itself.
      stores = await bothStores(access, { ACCESS_TOKEN_TTL_SECONDS: '86400' });
      ({ server, app, plain } = stores);
      // Of few requests, too.
      app.nest.get(ClickHouseRequestsReader).fewestEvents = 1;
      setNewest('clickHouse');
      // Beyond those it is told apart by keys what is looked at.
      app.nest.get(RunLimits).firstScanRows = 4;
      owner = await ownerWithProject(app);
      sourceId = (await createSource(app, owner)).id;
      const stranger = await ownerWithProject(app);
      await insertEvents(app, stranger.projectId, fc.sample(event, { numRuns: 200, seed: 1 }));
    });

    afterEach(() => {
      server.behave();
      setNewest('clickHouse');
    });

    afterAll(async () => {
      await stores.close();
    });

    /** Whether a page that the newest events fill is PostgreSQL's, as it is of itself. */
    const setNewest = (are: 'clickHouse' | 'kept'): void => {
      app.nest.get(NewestListReader, { strict: false }).lookedAt = are === 'kept' ? 1_000 : 0;
    };

    const readsOf = async (by: 'clickhouse' | 'postgres'): Promise<number> => {
      const text = await app.metrics();
      return Number(new RegExp(`^oes_event_store_reads_total\\{store="${by}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    };

    /**
     * Watches the reads from now on. One query may take several, because it also searches the newest events for names
     * that may be misspelt.
     * @returns a function that says whether ClickHouse has answered a read since
     */
    const watchReads = (): (() => boolean) => {
      const countRead = jest.spyOn(app.nest.get(ClickHouseEvents, { strict: false }), 'countRead');
      countRead.mockClear();
      return () => countRead.mock.calls.some(([by]) => by === 'clickhouse');
    };

    const answerOf = async (of: TestApp, path: string, query: object): Promise<Record<string, unknown>> => {
      const response = await of.request().get(path).query(query).set('Authorization', owner.bearer).expect(200);
      return response.body as Record<string, unknown>;
    };

    /** Both answer alike. */
    const same = async (path: string, query: object): Promise<Record<string, unknown>> => {
      const [clickHouse, kept] = await Promise.all([answerOf(app, path, query), answerOf(plain, path, query)]);
      expect(clickHouse).toEqual(kept);
      return clickHouse;
    };

    const logs = (query: object) => same('/v1/logs', { project_id: owner.projectId, ...query });
    const explorer = (query: object) => same(`/v1/projects/${owner.projectId}/events`, query);

    const exported = async (of: TestApp, request: object): Promise<string> =>
      (
        await of
          .request()
          .post(`/v1/projects/${owner.projectId}/events/export`)
          .set('Authorization', owner.bearer)
          .send(request)
          .buffer(true)
          .parse((response, done) => {
            let text = '';
            response.on('data', (piece: Buffer) => (text += piece.toString()));
            response.on('end', () => done(null, text));
          })
          .expect(200)
      ).body as string;

    const logQuery = fc.record(
      {
        range: fc.constantFrom('15m', '1h', '24h', '7d', '30d', 'all'),
        method: fc.constantFrom('ALL', 'get', 'POST', 'PATCH'),
        hide_noise: fc.boolean(),
        query: fc.constantFrom(...TEXTS),
        limit: fc.constantFrom(1, 3, 20, 500),
      },
      { requiredKeys: ['range'] },
    );
    const instant = fc
      .tuple(fc.constantFrom(...AGES_MS), fc.constantFrom(0, 1, -1, 500))
      .map(([age, more]) => now - age + more);
    const pageQuery = fc
      .record(
        {
          times: fc.oneof(fc.tuple(instant, instant), fc.constant([now - 20 * DAY_MS, now - MINUTE_MS] as const)),
          event: fc.constantFrom(...NAMES),
          severity: fc.constantFrom('info', 'Info', 'warn\ning', 'none'),
          environment: fc.constantFrom('production', 'staging'),
          limit: fc.constantFrom(1, 7, 50, 500),
          offset: fc.constantFrom(0, 0, 1, 5, 40, 150, 1_000),
        },
        { requiredKeys: ['times'] },
      )
      .map(({ times: [one, other], ...query }) => ({
        ...query,
        from_ts: new Date(Math.min(one, other)).toISOString(),
        to_ts: new Date(Math.max(one, other)).toISOString(),
      }));

    /** A window, what analytics ask of its events, and what else there is to say. */
    const questions = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }, required: (keyof T)[]) =>
      fc
        .tuple(
          fc.record(
            {
              times: fc.option(fc.tuple(instant, instant), { freq: 8 }),
              where: fc.oneof(anyCondition, fc.constantFrom(...CONDITIONS)),
              severity: fc.constantFrom('a', 'A', 'none'),
              environment: fc.constantFrom('production', 'staging'),
            },
            { requiredKeys: ['times'] },
          ),
          fc.record(model, { requiredKeys: required }),
        )
        .map(([{ times, ...common }, query]) => ({
          ...common,
          ...query,
          ...(times === null
            ? { range: 'all' }
            : {
                from_ts: new Date(Math.min(...times)).toISOString(),
                to_ts: new Date(Math.max(...times)).toISOString(),
              }),
        }));
    const kinds: Record<string, Kind> = {
      overview: {
        share: 0.25,
        clickHouse: 0.8,
        requests: questions({}, []).map((query) => ({ path: '/v1/analytics/overview', query })),
      },
      facets: {
        share: 0.25,
        clickHouse: 0,
        requests: questions({ event: fc.constantFrom('a', 'none') }, []).map(({ where: _, ...query }) => ({
          path: '/v1/projects/:project/events/facets',
          query,
        })),
      },
      matches: {
        share: 0.5,
        clickHouse: 0.8,
        requests: fc
          .tuple(
            questions({ limit: fc.constantFrom(1, 3, 100), offset: fc.constantFrom(0, 1, 40) }, []),
            fc.constantFrom('', '/facets'),
            fc.subarray(['properties.a', 'properties.b', 'properties.a.b']),
          )
          .map(([{ limit, offset, ...query }, rest, by]) => ({
            path: `/v1/projects/:project/events${rest}`,
            query: { where: 'length(event) > 0', ...query, ...(rest === '' ? { limit, offset } : { by }) },
          })),
      },
      counted: {
        share: 0.25,
        clickHouse: 0,
        requests: fc
          .tuple(fc.constantFrom(...ASKED_NOW), fc.constantFrom('24h', '7d', '30d'))
          .map(([path, range]) => ({ path, query: /(?:names|counts|stats)$/.test(path) ? { range } : {} })),
      },
      breakdown: {
        share: 1,
        clickHouse: 0.8,
        requests: questions({ by, limit: fc.constantFrom(1, 3, 100) }, ['by']).map((query) => ({
          path: '/v1/analytics/breakdown',
          query,
        })),
      },
      series: {
        share: 0.5,
        clickHouse: 0.6,
        requests: questions(
          {
            aggregated,
            split_by: by,
            interval: fc.constantFrom('hour', 'day', 'week', 'auto'),
            top: fc.constantFrom(1, 3, 20),
            compare: fc.constantFrom('none', 'previous'),
            timezone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns'),
          },
          ['aggregated', 'interval'],
        ).map(({ aggregated: asked, ...query }) => ({
          path: '/v1/analytics/timeseries',
          query: { ...query, ...asked },
        })),
      },
      funnel: {
        share: 0.5,
        clickHouse: 0.8,
        requests: questions(
          {
            by: fc.oneof(fc.constantFrom('severity', 'status', 'environment', 'source'), by).filter(isFollowed),
            step: fc.array(fc.constantFrom('a', 'ab', 'b', 'none'), { minLength: 2, maxLength: 4 }),
            within_seconds: fc.constantFrom(1, 60, 86_400, 2_592_000),
          },
          ['by', 'step'],
        ).map((query) => ({ path: '/v1/analytics/funnel', query })),
      },
      queries: {
        share: 0.5,
        clickHouse: 0.8,
        requests: fc
          .tuple(
            questions({}, []),
            eql,
            fc.record({ limit: fc.constantFrom(1, 5, 100), result_position: fc.constantFrom('head', 'tail') }),
          )
          .map(([{ where: _, severity: __, environment: ___, ...window }, query, more]) => ({
            path: '/v1/eql',
            body: { ...window, ...more, query },
          })),
      },
      performance: {
        share: 0.5,
        clickHouse: 0.5,
        requests: fc
          .tuple(
            questions(
              { method: fc.constantFrom('GET', 'post'), endpoint: fc.constantFrom('a', '/orders', 'é'.repeat(450)) },
              [],
            ),
            requestFigures,
          )
          .map(([common, [path, query]]) => ({
            path: `/v1/performance/${path}`,
            query: { ...common, ...query },
          })),
      },
    };

    /** What conditions ask about. */
    const told = (numbers: readonly number[]) =>
      fc.record({
        timestamp: fc.constantFrom(...AGES_MS, 36 * HOUR_MS).map((age) => new Date(now - age)),
        event: fc.constantFrom('a', 'ab', 'b'),
        severity: fc.option(fc.constantFrom(...TOLD)),
        status: fc.option(fc.constantFrom(...TOLD)),
        environment: fc.option(fc.constantFrom('production', 'staging')),
        message: fc.option(fc.constantFrom(...TOLD)),
        log_status: fc.constantFrom(200, 404, 500),
        log_latency_ms: fc.option(fc.nat(3), { nil: undefined }),
        log_method: fc.constantFrom('GET', 'POST', 'EVENT'),
        log_endpoint: fc.constantFrom(...TOLD, ...PATHS),
        // Some are read by themselves.
        properties: fc
          .tuple(fc.dictionary(name, anyValue(numbers), { maxKeys: 4 }), fc.nat(9), fc.constantFrom(...ROUTES))
          .map(([few, nth, route]) => ({ ...few, ...route, ...(nth === 0 && { large: 'x'.repeat(9_000) }) })),
      });

    /** All kinds of reads, whatever is replicated by now. */
    const compare = async (seed: number, numRuns = Math.max(QUERIES, 20)): Promise<void> => {
      const lists: Record<string, [fc.Arbitrary<object>, (query: object) => Promise<{ items?: unknown[] }>]> = {
        logs: [logQuery, logs],
        pages: [pageQuery, explorer],
      };
      for (const [kind, [queries, ask]] of Object.entries(lists)) {
        const count = { asked: 0, clickHouse: 0 };
        await fc.assert(
          fc.asyncProperty(queries, fc.constantFrom('clickHouse', 'kept'), async (query, newest) => {
            setNewest(newest);
            const isFromClickHouse = watchReads();
            const answer = await ask(query);
            // An empty page needs no look for events, where the counters say so.
            if (newest === 'kept' || answer.items?.length === 0) return;
            count.asked += 1;
            count.clickHouse += isFromClickHouse() ? 1 : 0;
          }),
          { numRuns, seed },
        );
        expect([kind, count, count.asked > numRuns / 8]).toEqual([kind, count, true]);
        // On a busy machine the circuit of ClickHouse may have been open for a while.
        expect([kind, count, count.clickHouse >= count.asked * 0.8]).toEqual([kind, count, true]);
      }
      setNewest('clickHouse');
      let before: string | undefined;
      const path = '/v1/events';
      for (const limit of [1, 3, 20, 100, 500]) {
        const page = await same(path, { project_id: owner.projectId, limit, ...(before !== undefined && { before }) });
        before = (page['next_before'] as string | null) ?? undefined;
      }
      before = undefined;
      const ofSource = `/v1/ingest-sources/${sourceId}`;
      for (const limit of [1, 3, 20, 100, 200]) {
        const page = await same(`${ofSource}/events`, { limit, ...(before !== undefined && { before }) });
        before = (page['next_before'] as string | null) ?? undefined;
      }
      expect((await same(`${ofSource}/schema`, {}))['sampled_events']).toBeGreaterThan(0);
      for (const { limit: _, offset: __, ...asked } of fc.sample(pageQuery, { numRuns: 5, seed })) {
        expect(await exported(app, asked)).toBe(await exported(plain, asked));
      }
    };

    it('returns what PostgreSQL returns, whether all events are replicated or only some', async () => {
      const sample = (numRuns: number, seed: number) =>
        fc.sample(event, { numRuns, seed }).map((one, at) => ({ ...one, source_id: at % 2 === 0 ? sourceId : null }));
      await insertEvents(app, owner.projectId, sample(300, 11));
      await countEvents(app);
      await allReplicated(app);
      const before = { clickHouse: await readsOf('clickhouse'), kept: await readsOf('postgres') };
      await compare(101);
      expect(await readsOf('clickhouse')).toBeGreaterThan(before.clickHouse);
      expect(await readsOf('postgres')).toBe(before.kept);

      // A part is on its way, another one waits behind it.
      const { isHeld, free } = server.holdNext();
      await insertEvents(app, owner.projectId, sample(60, 12));
      await isHeld;
      await insertEvents(app, owner.projectId, sample(60, 13));
      await countEvents(app);
      expect(await replicationQueueLength(app)).toBeGreaterThan(1);
      const between = await readsOf('clickhouse');
      await compare(102);
      expect(await readsOf('clickhouse')).toBeGreaterThan(between);
      free();
      await allReplicated(app);
      await compare(103);
    });

    it('aggregates events as PostgreSQL does, by any field and under any condition', async () => {
      const another = await ownerWithProject(app);
      const ids = { project: another.projectId, source: (await createSource(app, another)).id };
      const insert = (numbers: readonly number[], numRuns: number, seed: number) =>
        insertEvents(
          app,
          another.projectId,
          fc
            .sample(told(numbers), { numRuns, seed })
            .map((one, at) => ({ ...one, source_id: at % 2 === 0 ? ids.source : null })),
        );
      await insert(NUMBERS, 400, 21);
      await countEvents(app);
      await allReplicated(app);
      const answer = async (of: TestApp, { path: form, query, body }: Request): Promise<[number, unknown]> => {
        const path = form.replace(':project', ids.project).replace(':source', ids.source);
        // Where it stands in the path it is no parameter.
        const given = path === form ? { project_id: ids.project } : {};
        const request = of.request();
        const sent =
          body === undefined
            ? request.get(path).query({ ...query, ...given })
            : request.post(path).send({ ...body, ...given });
        const response = await sent.set('Authorization', another.bearer);
        const all = steady(response.body);
        // Of the moment, too, where neither names a time.
        if (ASKED_NOW.includes(form) && !Array.isArray(all)) delete (all as { from_ts?: string }).from_ts;
        return [response.status, all];
      };
      /** How many questions of each kind were asked, and how many of them ClickHouse has answered. */
      const counts = new Map(Object.keys(kinds).map((kind) => [kind, { asked: 0, clickHouse: 0 }]));
      const compareAll = async (seed: number): Promise<void> => {
        for (const [kind, { requests, share }] of Object.entries(kinds)) {
          const count = counts.get(kind) ?? { asked: 0, clickHouse: 0 };
          await fc.assert(
            fc.asyncProperty(requests, async (request) => {
              const isFromClickHouse = watchReads();
              const [clickHouse, kept] = await Promise.all([answer(app, request), answer(plain, request)]);
              expect(clickHouse).toEqual(kept);
              // A random condition may be one that is checked and refused, by both: another one is asked in its place.
              const hasCondition = 'where' in (request.query ?? {}) || request.body !== undefined;
              fc.pre(!hasCondition || clickHouse[0] !== 422);
              expect([request, ...clickHouse]).toEqual([request, 200, expect.anything()]);
              count.asked += 1;
              count.clickHouse += isFromClickHouse() ? 1 : 0;
            }),
            { numRuns: Math.ceil(QUERIES * share), maxSkipsPerRun: 1, seed },
          );
        }
      };
      const large = jest.spyOn(app.nest.get(ScanRepository, { strict: false }), 'properties');
      await compareAll(201);
      expect(large).not.toHaveBeenCalled();
      const { isHeld, free } = server.holdNext();
      await insert(NUMBERS, 40, 22);
      await isHeld;
      await insert(NUMBERS, 40, 23);
      await countEvents(app);
      await compareAll(202);
      free();
      await allReplicated(app);
      await compareAll(203);
      await insert(LARGE_NUMBERS, 60, 24);
      await countEvents(app);
      await allReplicated(app);
      await compareAll(204);
      for (const [kind, { clickHouse }] of Object.entries(kinds)) {
        const count = counts.get(kind) ?? { asked: 0, clickHouse: 0 };
        expect([kind, count, count.clickHouse >= count.asked * clickHouse]).toEqual([kind, count, true]);
      }
    });

    it('finds a property by its name, also when other names and values contain the same text', async () => {
      const another = await ownerWithProject(app);
      const text = fc.constantFrom('v', '', '}', '{', 'a "k": "z"', '\\', 'a\\', '"', '\u2028', '/é', 'k', '"k": "v"}');
      const name = fc.constantFrom('k', 'k', 'x"k', '\\"k', '"k": "v', '}', 'kk', 'a', '\\');
      const { value } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
        value: fc.oneof(
          { depthSize: 'small' },
          text,
          text,
          fc.constantFrom(1, 1.5, true, null),
          tie('object'),
          fc.array(tie('value'), { maxLength: 2 }),
        ),
        object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      }));
      const properties = fc.sample(fc.dictionary(name, value, { maxKeys: 5 }), { numRuns: 600, seed: 5 });
      await insertEvents(
        app,
        another.projectId,
        properties.map((one) => ({ timestamp: new Date(now - 5_000), properties: one })),
      );
      await countEvents(app);
      await allReplicated(app);
      const window = { from_ts: new Date(now - HOUR_MS).toISOString(), to_ts: new Date(now).toISOString() };
      const kept = await readsOf('postgres');
      // As many as are read without a look whether one of them is there.
      const many = ['k', 'a', 'kk', 'k.k', 'a.k', 'kk.k', 'a.a', 'k.a', 'k.k.k', 'a.k.k'];
      const wheres = [
        undefined,
        'properties.k == "v"',
        'properties.k != null and properties.kk == "k"',
        many.map((one) => `properties.${one} == "v"`).join(' or '),
        many.map((one) => `properties.${one} != "k"`).join(' or '),
      ];
      for (const by of ['k', 'a', 'kk', '}', 'k.k', 'a.k']) {
        for (const where of wheres) {
          const query = {
            project_id: another.projectId,
            by: `properties.${by}`,
            limit: 100,
            ...window,
            ...(where && { where }),
          };
          const [clickHouse, plainly] = await Promise.all(
            [app, plain].map((of) =>
              of.request().get('/v1/analytics/breakdown').query(query).set('Authorization', another.bearer).expect(200),
            ),
          );
          expect(clickHouse?.body).toEqual(plainly?.body);
        }
      }
      expect(await readsOf('postgres')).toBe(kept);
    });

    it('aggregates numbers of any size as PostgreSQL does', async () => {
      const another = await ownerWithProject(app);
      const numbers = [...LARGE_NUMBERS, ...NUMBERS, 1e29, -1e30, 1e31];
      await insertEvents(
        app,
        another.projectId,
        numbers.map((n, at) => ({
          timestamp: new Date(now - 5_000),
          properties: { n, list: [[n]], text: `[1${'0'.repeat(30)}, "`, kind: at % 3 },
        })),
      );
      await allReplicated(app);
      const asked = {
        project_id: another.projectId,
        from_ts: new Date(now - HOUR_MS).toISOString(),
        to_ts: new Date(now).toISOString(),
      };
      const compareOne = async (path: string, query: object): Promise<[clickHouse: number, kept: number]> => {
        const before = [await readsOf('clickhouse'), await readsOf('postgres')] as const;
        const get = async (of: TestApp): Promise<unknown> => {
          const found = await of
            .request()
            .get(path)
            .query({ ...asked, ...query })
            .set('Authorization', another.bearer);
          return [found.status, found.body] as const;
        };
        const [clickHouse, kept] = [await get(app), await get(plain)];
        expect(clickHouse).toEqual(kept);
        return [(await readsOf('clickhouse')) - before[0], (await readsOf('postgres')) - before[1]];
      };
      const text = `properties.text : "[1${'0'.repeat(30)}, *"`;
      const others = Array.from({ length: 10 }, (_, at) => ` or properties.n.of${at} > 1`).join('');
      const many = `properties.n > 1e20${others}`;
      const wheres = ['any', 'properties.n > 1', 'length(properties.text) > 1 and properties.n < 1e25', text, many];
      for (const where of wheres) {
        const under = where === 'any' ? {} : { where };
        for (const by of ['properties.n', 'properties.list.0.0', 'properties.text']) {
          expect(await compareOne('/v1/analytics/breakdown', { by, limit: 100, ...under })).toEqual([1, 0]);
        }
        for (const aggregate of where === many ? ['sum'] : ['sum', 'avg', 'min', 'max', 'p50', 'unique']) {
          for (const aggregate_field of ['properties.n', 'properties.list.0.0']) {
            // Sums have as many digits as ClickHouse has decimals.
            await compareOne('/v1/analytics/timeseries', {
              ...{ aggregate, aggregate_field, split_by: 'properties.kind' },
              ...under,
            });
          }
        }
      }
    });

    it('finds the same sequences and samples as PostgreSQL, also when events are large or not replicated yet', async () => {
      const another = await ownerWithProject(app);
      const keys: unknown[] = [
        ...[
          'a',
          'b',
          '1',
          'true',
          '',
          'é"\n',
          'x'.repeat(900),
          1,
          1.5,
          -0,
          2 ** 53 + 2,
          1e300,
          true,
          false,
          null,
          { b: 1 },
        ],
        ...[undefined, 'only-one', 'late', 'late-large'],
      ];
      let nth = 0;
      /** Of some keys one kind alone, so that there is nothing to be found of them. */
      const some = (count: number, kinds: readonly string[]) =>
        Array.from({ length: count }, () => {
          nth += 1;
          const key = keys[nth % keys.length];
          return {
            timestamp: new Date(now - 60_000 + nth * 100),
            event:
              key === 'only-one' || key === 'late' || key === 'late-large'
                ? 'a'
                : (kinds[(nth + Math.floor(nth / keys.length)) % kinds.length] ?? ''),
            severity: nth % 3 === 0 ? null : 'info',
            ...(nth % 5 > 0 && { log_latency_ms: nth % 4 }),
            properties: {
              key,
              at: { key },
              n: nth,
              ...(nth % 50 === 0 && { large: 'x'.repeat(9_000) }),
            },
          };
        });
      await insertEvents(app, another.projectId, some(200, ['a', 'b', 'a', 'c', 'b']));
      await allReplicated(app);
      // They complete what the others have begun, and wait to be replicated.
      const { isHeld, free } = server.holdNext();
      await insertEvents(app, another.projectId, [
        { timestamp: new Date(now - 35_000), event: 'b', properties: { key: 'late', at: { key: 'late' } } },
        ...some(12, ['c', 'b', 'a']),
      ]);
      const large = { key: 'late-large', at: { key: 'late-large' }, large: 'x'.repeat(9_000) };
      await isHeld;
      const compare = async (query: string, more: object = {}): Promise<Record<string, unknown>> => {
        const body = { project_id: another.projectId, range: 'all', limit: 100, query, ...more };
        const [clickHouse, kept] = await Promise.all(
          [app, plain].map((of) => of.request().post('/v1/eql').set('Authorization', another.bearer).send(body)),
        );
        expect([query, clickHouse?.status, steady(clickHouse?.body)]).toEqual([query, 200, steady(kept?.body)]);
        return clickHouse?.body as Record<string, unknown>;
      };
      const terms = '[a where true] [b where true] [c where properties.n > 3]';
      for (const by of [
        ...['properties.key', '?properties.key', 'properties.at.key', '?severity', '?log.latency_ms'],
        ...['properties.key, severity', '?properties.key, log.latency_ms', 'timestamp'],
      ]) {
        for (const written of [
          `sequence by ${by} ${terms}`,
          `sequence by ${by} with maxspan=5s ${terms} | head 2`,
          `sequence by ${by} ${terms} | tail 3`,
          `sequence by ${by} [a where true] with runs=2 [c where true] until [b where properties.n > 40]`,
          `sequence by ${by} with maxspan=1m [a where true] ![b where true] [c where true]`,
          `sequence by ${by} with maxspan=1s [a where true] [b where true] ![c where true]`,
          `sequence [a where true] by ${by.replace('?', '')} [c where true] by ${by.replace('?', '')}`,
          `sample by ${by} [a where true] [c where true]`,
        ]) {
          await compare(written, { limit: by.length % 2 === 0 ? 1 : 100 });
        }
      }
      const found = (await compare(`sequence by properties.key ${terms}`)) as { sequences: { join_keys: unknown[] }[] };
      const foundKeys = found.sequences.map(({ join_keys: [key] }) => key);
      expect(foundKeys).toEqual(expect.arrayContaining(['a', '1', 'x'.repeat(900), 1, 2 ** 53 + 2, 1e300, true]));
      expect(foundKeys).not.toContain('only-one');
      const late = (await compare('sequence by properties.key [a where true] [b where true]')) as typeof found;
      expect(late.sequences.map(({ join_keys: [key] }) => key)).toContain('late');
      // ClickHouse gives up on the keys, and reads all in their order.
      server.readFaults.push({ code: 241, message: 'Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)' });
      const kept = await readsOf('postgres');
      await compare('sequence by properties.key [a where true] [b where true] | tail 50');
      expect(server.readFaults).toEqual([]);
      // Large events are read apart, a list is several keys, and not all keys have room in a request.
      const others: readonly (readonly Record<string, unknown>[])[] = [
        [large],
        [{ key: ['only-one', 'a'], n: 5 }],
        Array.from({ length: 200 }, (_, at) => ({ key: `${'y'.repeat(700)}${at}` })),
      ];
      for (const properties of others) {
        const at = new Date(now - 34_000);
        await insertEvents(
          app,
          another.projectId,
          properties.map((one) => ({ timestamp: at, event: 'b', properties: one })),
        );
        await compare(`sequence by properties.key [a where true] [b where true] | tail 50`);
      }
      expect(await readsOf('postgres')).toBe(kept);
      const largeToo = (await compare('sequence by properties.key [a where true] [b where true]')) as typeof found;
      expect(largeToo.sequences.map(({ join_keys: [key] }) => key)).toContain('late-large');
      free();
      await allReplicated(app);
      const lists = (await compare(`sequence by properties.key [a where true] [b where true]`)) as typeof found;
      expect(lists.sequences.map(({ join_keys: [key] }) => key)).toContain('only-one');
    });

    it('returns the same answers after PostgreSQL has deleted the events', async () => {
      const another = await ownerWithProject(app);
      const events = fc.sample(told([...NUMBERS, ...LARGE_NUMBERS]), { numRuns: 300, seed: 25 });
      await insertEvents(app, another.projectId, events);
      await countEvents(app);
      await allReplicated(app);
      const project = { project_id: another.projectId };
      const requests = [kinds['breakdown'], kinds['series'], kinds['funnel'], kinds['queries']].flatMap((kind) =>
        kind === undefined ? [] : fc.sample(kind.requests, { numRuns: 12, seed: 26 }),
      );
      requests.push(
        // Where the first event is, though hours are counted.
        { path: '/v1/analytics/timeseries', query: { range: 'all', interval: 'day', environment: 'staging' } },
        { path: '/v1/analytics/timeseries', query: { range: 'all', interval: 'hour' } },
        { path: '/v1/eql', body: { range: 'all', query: 'any where length(large) > 0 and concat(a, "") != "x"' } },
        { path: '/v1/eql', body: { range: 'all', query: 'any where arge == 1 or large.b == 1 or a == 1' } },
      );
      const answers = async (): Promise<unknown[]> => {
        const all: unknown[] = [];
        for (const { path, query, body } of requests) {
          const request = app.request();
          const sent =
            body === undefined
              ? request.get(path).query({ ...query, ...project })
              : request.post(path).send({ ...body, ...project });
          const response = await sent.set('Authorization', another.bearer);
          const answer = steady(response.body) as Record<string, unknown>;
          all.push([path, query ?? body, response.status, answer]);
        }
        return all;
      };
      // A series by the hour gains an hour when one begins between both answers.
      await withinAnHour();
      const before = await answers();
      await app.rows('DELETE FROM events WHERE project_id = $1', [another.projectId]);
      const hot = app.nest.get(HotEvents, { strict: false });
      await app.rows(`INSERT INTO hot_events (hot_from) VALUES ('9999-01-01T00:00:00Z')`);
      hot.forget();
      try {
        const kept = await readsOf('postgres');
        expect(await answers()).toEqual(before);
        expect(await readsOf('postgres')).toBe(kept);
      } finally {
        await app.rows('DELETE FROM hot_events');
        hot.forget();
      }
      expect(before.at(-1)).toMatchObject([
        ...['/v1/eql', expect.anything(), 200],
        {
          warnings: [
            expect.stringMatching('^None of the newest events has a property arge: '),
            expect.stringMatching('^None of the newest events has a property large.b: '),
          ],
        },
      ]);
    });

    it('returns a new event immediately and only once while it is being replicated', async () => {
      const seen = new Set<string>();
      for (let round = 0; round < 30; round += 1) {
        const [id = ''] = await insertEvents(app, owner.projectId, [{ timestamp: new Date(now - 1_000 - round) }]);
        seen.add(id);
        const page = await answerOf(app, '/v1/events', { project_id: owner.projectId, limit: 100 });
        const ids = (page['items'] as { id: string }[]).map((item) => item.id).filter((one) => seen.has(one));
        expect(new Set(ids)).toEqual(seen);
        expect(ids.length).toBe(seen.size);
      }
    });

    it('fills a page from the newest hours, from older hours, and from both', async () => {
      const { projectId, bearer } = await ownerWithProject(app);
      // More hours than are the newest; what is asked for is in all, in old ones alone, or in some of both.
      const inHours = Array.from({ length: 260 }, (_, hour) => ({
        timestamp: new Date(now - hour * HOUR_MS - MINUTE_MS),
        log_method: hour % 90 === 7 ? 'PUT' : 'GET',
        log_endpoint: hour > 230 ? '/old/%5F_%' : '/new',
      }));
      await insertEvents(app, projectId, inHours);
      await countEvents(app);
      await allReplicated(app);
      // Not replicated, among the newest and behind them.
      const { isHeld, free } = server.holdNext();
      await insertEvents(app, projectId, [{ timestamp: new Date(now) }, { timestamp: new Date(now - 255 * HOUR_MS) }]);
      await isHeld;
      await countEvents(app);
      const read = async <Answer>(of: TestApp, path: string, query: object): Promise<Answer> => {
        const response = await of.request().get(path).query(query).set('Authorization', bearer).expect(200);
        return response.body as Answer;
      };
      const isAlike = async <Answer>(path: string, query: object): Promise<Answer> => {
        const clickHouse = await read<Answer>(app, path, query);
        expect(clickHouse).toEqual(await read<Answer>(plain, path, query));
        return clickHouse;
      };
      const kept = await readsOf('postgres');
      for (const limit of [1, 50, 198, 200, 201, 202, 240, 500]) {
        for (const filter of [{}, { method: 'put' }, { method: 'get' }, { query: 'old/%5f_' }, { query: 'PUT' }]) {
          const rows = await isAlike<unknown[]>('/v1/logs', { project_id: projectId, range: '30d', limit, ...filter });
          expect(rows.length).toBeGreaterThan(0);
        }
      }
      for (const limit of [7, 100, 200]) {
        let before: string | null = null;
        do {
          const query = { project_id: projectId, limit, ...(before !== null && { before }) };
          const page: { next_before: string | null } = await isAlike('/v1/events', query);
          before = page.next_before;
        } while (before !== null);
      }
      expect(await readsOf('postgres')).toBe(kept);
      free();
      await allReplicated(app);
    });

    it('is left to PostgreSQL when the newest events fill the page', async () => {
      const { projectId, bearer } = await ownerWithProject(app);
      const minutes = Array.from({ length: 1_200 }, (_, minute) => ({
        timestamp: new Date(now - minute * MINUTE_MS),
        severity: minute % 10 === 3 ? 'error' : 'info',
        log_method: minute % 2 === 0 ? 'GET' : 'PUT',
        log_endpoint: minute < 1_000 ? '/new' : '/health',
      }));
      await insertEvents(app, projectId, minutes);
      await countEvents(app);
      await allReplicated(app);
      const [logsPath, eventsPath, pagePath] = ['/v1/logs', '/v1/events', `/v1/projects/${projectId}/events`];
      const project = { project_id: projectId };
      const read = async (of: TestApp, path: string, query: object): Promise<unknown> =>
        (await of.request().get(path).query(query).set('Authorization', bearer).expect(200)).body as unknown;
      const { next_before: before } = (await read(plain, eventsPath, { ...project, limit: 30 })) as {
        next_before: string;
      };
      const lastHour = { from_ts: new Date(now - HOUR_MS).toISOString(), to_ts: new Date(now).toISOString() };
      const lastDays = { ...lastHour, from_ts: new Date(now - 30 * DAY_MS).toISOString() };
      setNewest('kept');
      /** Who is asked, and how many rows there are. */
      const asked: [string, object, 'kept' | 'clickHouse', number][] = [
        [logsPath, { ...project, range: '30d' }, 'kept', 100],
        [logsPath, { ...project, range: '30d', limit: 500, method: 'put' }, 'kept', 500],
        [logsPath, { ...project, range: '30d', limit: 500, hide_noise: true }, 'kept', 500],
        [pagePath, { ...lastDays, severity: 'error', limit: 100 }, 'kept', 100],
        [pagePath, { ...lastDays, severity: 'error', limit: 101 }, 'clickHouse', 101],
        [pagePath, { ...lastDays, severity: 'error', limit: 5, offset: 40 }, 'kept', 5],
        [pagePath, { ...lastDays, severity: 'error', limit: 60, offset: 60 }, 'kept', 60],
        // Not so many are there.
        [pagePath, { ...lastHour, limit: 100 }, 'clickHouse', 60],
        // Texts take longer to look for than a query of ClickHouse takes.
        [logsPath, { ...project, range: '30d', query: 'new' }, 'clickHouse', 100],
        [eventsPath, { ...project, limit: 200 }, 'kept', 200],
        [eventsPath, { ...project, limit: 200, before }, 'kept', 200],
      ];
      const rowsOf = (answer: unknown): unknown[] =>
        Array.isArray(answer) ? answer : (answer as { items: unknown[] }).items;
      for (const [path, query, by, rows] of asked) {
        const [copies, others] = [await readsOf('clickhouse'), await readsOf('postgres')];
        const answer = await read(app, path, query);
        expect([path, query, await readsOf('clickhouse')]).toEqual([
          path,
          query,
          copies + (by === 'clickHouse' ? 1 : 0),
        ]);
        expect(await readsOf('postgres')).toBe(others);
        expect(rowsOf(answer)).toHaveLength(rows);
        expect(answer).toEqual(await read(plain, path, query));
      }
    });

    it('returns events of any year from 1 to 9999', async () => {
      const times = ['0001-01-01T00:00:00.000Z', '1899-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'];
      times.push('2300-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z');
      await insertEvents(
        app,
        owner.projectId,
        times.map((timestamp) => ({ timestamp: new Date(timestamp) })),
      );
      await countEvents(app);
      await allReplicated(app);
      for (const from_ts of times) {
        for (const to_ts of times) {
          if (from_ts <= to_ts) await explorer({ from_ts, to_ts, limit: 5 });
        }
      }
      let before: string | null = null;
      do {
        const page: Record<string, unknown> = await same('/v1/events', {
          project_id: owner.projectId,
          limit: 200,
          ...(before !== null && { before }),
        });
        before = page['next_before'] as string | null;
      } while (before !== null);
    });

    it('falls back to PostgreSQL while ClickHouse is down or far behind', async () => {
      await insertEvents(app, owner.projectId, fc.sample(event, { numRuns: 50, seed: 31 }));
      await countEvents(app);
      await allReplicated(app);
      await server.goAway();
      const before = await readsOf('postgres');
      await logs({ range: '30d', query: 'cart' });
      await explorer({ from_ts: new Date(now - 7 * DAY_MS).toISOString(), to_ts: new Date(now).toISOString() });
      expect(await readsOf('postgres')).toBe(before + 2);
      // Of two applications in one process the later one writes the lines of both.
      expect([...app.logLines, ...plain.logLines].join('')).toContain(
        'ClickHouse cannot be read, PostgreSQL answers: ',
      );
      await app.rows(
        `INSERT INTO event_shipments (project_id, timestamps, ids, bytes)
         SELECT $1, array_fill(now(), ARRAY[1000]), array_agg(gen_random_uuid()), 1 FROM generate_series(1, 151000) AS n GROUP BY n % 151`,
        [owner.projectId],
      );
      // None of them is replicated before it is asked.
      const { free } = server.holdNext();
      await server.comeBack();
      await logs({ range: '30d', query: 'cart' });
      expect(await readsOf('postgres')).toBeGreaterThanOrEqual(before + 3);
      free();
      await allReplicated(app);
    });

    /** One of each kind, of the whole project and of steady times. */
    const ofEachKind = (): Request[] => {
      const project = { project_id: owner.projectId };
      const asked = {
        ...project,
        from_ts: new Date(now - 30 * DAY_MS).toISOString(),
        to_ts: new Date(now).toISOString(),
      };
      const where = 'properties.plan == "pro" or severity == "info"';
      return [
        { path: '/v1/analytics/breakdown', query: { ...asked, by: 'properties.plan' } },
        { path: '/v1/analytics/timeseries', query: { ...asked, where } },
        { path: '/v1/analytics/funnel', query: { ...asked, by: 'properties.plan', step: ['sign_up', 'Order.Paid'] } },
        { path: '/v1/performance/summary', query: { ...asked, severity: 'info', compare: 'none' } },
        { path: '/v1/performance/timeseries', query: { ...asked, severity: 'info' } },
        { path: '/v1/performance/endpoints', query: { ...asked, severity: 'info' } },
        { path: '/v1/performance/slowest', query: { ...asked, severity: 'info' } },
        { path: '/v1/performance/errors', query: { ...asked, severity: 'info' } },
        {
          path: '/v1/eql',
          body: { ...asked, query: `sequence by properties.plan [any where ${where}] [any where true]` },
        },
      ];
    };
    const answerTo = async (of: TestApp, { path, query, body }: Request): Promise<[number, unknown]> => {
      const request = of.request();
      const sent = body === undefined ? request.get(path).query(query ?? {}) : request.post(path).send(body);
      const response = await sent.set('Authorization', owner.bearer);
      return [response.status, steady(response.body)];
    };

    it('aggregates in PostgreSQL when ClickHouse fails, and returns 503 when ClickHouse runs out of memory', async () => {
      await insertEvents(app, owner.projectId, fc.sample(event, { numRuns: 50, seed: 32 }));
      await countEvents(app);
      await allReplicated(app);
      for (const request of ofEachKind()) {
        const kept = await answerTo(plain, request);
        expect([request.path, kept[0]]).toEqual([request.path, 200]);
        const before = { clickHouse: await readsOf('clickhouse'), kept: await readsOf('postgres') };
        expect([request.path, await answerTo(app, request)]).toEqual([request.path, kept]);
        // Queries look at the newest events, too, for names that may be mistaken.
        const asked = request.path === '/v1/eql' ? 2 : 1;
        expect([request.path, await readsOf('clickhouse')]).toEqual([request.path, before.clickHouse + asked]);
        server.readFaults.push({ code: 210, message: 'it is not well. (NETWORK_ERROR)' });
        expect([request.path, await answerTo(app, request)]).toEqual([request.path, kept]);
        expect([request.path, await readsOf('postgres')]).toEqual([request.path, before.kept + 1]);
        const tooMuch = { code: 241, message: 'Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)' };
        // What keys of a sequence cannot tell is told by its events.
        server.readFaults.push(...(request.path === '/v1/eql' ? [tooMuch, tooMuch] : [tooMuch]));
        expect([request.path, ...(await answerTo(app, request))]).toEqual([
          request.path,
          503,
          { detail: expect.stringMatching(/^Query took too long/) as unknown },
        ]);
        expect(server.readFaults).toEqual([]);
      }
    });

    it('evaluates 240 case-insensitive patterns of one condition in a single query', async () => {
      const plans = ['s1-plan', 'ſ1 plan', 'K2', 'k2', 'ß3', 'a', null, 1, ['S7', 1], []];
      await insertEvents(
        app,
        owner.projectId,
        plans.map((plan) => ({ timestamp: new Date(now - 5_000), properties: { plan } })),
      );
      await allReplicated(app);
      const patterns = Array.from({ length: 240 }, (_, n) => `"${'aksſKβ'[n % 6]}${n % 10}*"`).join(',');
      const window = { from_ts: new Date(now - HOUR_MS).toISOString(), to_ts: new Date(now).toISOString() };
      const before = await readsOf('clickhouse');
      const found = await same('/v1/analytics/breakdown', {
        ...{ project_id: owner.projectId, ...window, by: 'properties.plan' },
        where: `properties.plan like~ (${patterns})`,
      });
      expect(found).toMatchObject({ total: { events: 5 } });
      expect(await readsOf('clickhouse')).toBe(before + 1);
    });

    it('falls back to PostgreSQL while the replica lacks older events', async () => {
      await allReplicated(app);
      await app.rows('UPDATE event_shipping SET is_whole = false');
      const before = await readsOf('clickhouse');
      await logs({ range: '30d', query: 'cart' });
      expect(await readsOf('clickhouse')).toBe(before);
      await app.rows('UPDATE event_shipping SET is_whole = true');
    });

    it('returns 503 when a text search exceeds the limits of ClickHouse, and falls back where PostgreSQL has an index', async () => {
      await allReplicated(app);
      server.readFaults.push({ code: 241, message: 'Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)' });
      const refused = await app
        .request()
        .get('/v1/logs')
        .query({ project_id: owner.projectId, range: '30d', query: 'cart' })
        .set('Authorization', owner.bearer)
        .expect(503);
      expect(refused.body).toEqual({
        detail: 'Log search took too long: choose a shorter range or a more frequent text',
      });
      // What PostgreSQL has an index for it tells instead.
      server.readFaults.push({ code: 159, message: 'Timeout exceeded. (TIMEOUT_EXCEEDED)' });
      await same('/v1/events', { project_id: owner.projectId });
      expect(server.readFaults).toEqual([]);
    });

    // The last one: it is let alone for ten seconds.
    const lastDay = { from_ts: new Date(now - DAY_MS).toISOString(), to_ts: new Date(now).toISOString() };

    it('falls back to PostgreSQL when one value of a funnel has more events than a process may hold', async () => {
      const another = await ownerWithProject(app);
      const steps = Array.from({ length: 40 }, (_, at) => ({
        timestamp: new Date(now - HOUR_MS + at * 1_000),
        event: at % 2 === 0 ? 'first' : 'second',
        environment: at < 30 ? 'production' : `other-${at}`,
      }));
      await insertEvents(app, another.projectId, steps);
      await countEvents(app);
      await allReplicated(app);
      const funnels = app.nest.get(ClickHouseFunnelRepository, { strict: false });
      const query = { project_id: another.projectId, by: 'environment', step: ['first', 'second'], ...lastDay };
      const funnel = async (of: TestApp, status = 200): Promise<unknown> => {
        const asked = of.request().get('/v1/analytics/funnel').query(query);
        return (await asked.set('Authorization', another.bearer).expect(status)).body;
      };
      const most = funnels.mostEventsOfAList;
      const hot = app.nest.get(HotEvents, { strict: false });
      try {
        for (const [events, store] of [
          [30, 'clickhouse'],
          [29, 'postgres'],
        ] as const) {
          funnels.mostEventsOfAList = events;
          const before = await readsOf(store);
          const clickHouse = await funnel(app);
          expect(clickHouse).toMatchObject({ steps: [expect.anything(), expect.anything()] });
          expect(clickHouse).toEqual(await funnel(plain));
          expect(await readsOf(store)).toBe(before + 1);
        }
        // Where PostgreSQL has none of them it is one sentence.
        const whole = await funnel(plain);
        await app.rows(`INSERT INTO hot_events (hot_from) VALUES ('9999-01-01T00:00:00Z')`);
        hot.forget();
        funnels.mostEventsOfAList = 30;
        expect(await funnel(app)).toEqual(whole);
        funnels.mostEventsOfAList = 29;
        expect(await funnel(app, 503)).toEqual({
          detail: 'Query took too long: choose a shorter range or a narrower filter',
        });
      } finally {
        funnels.mostEventsOfAList = most;
        await app.rows('DELETE FROM hot_events');
        hot.forget();
      }
    });

    it('falls back to PostgreSQL when a condition is too large for ClickHouse, but not in later reads', async () => {
      const another = await ownerWithProject(app);
      const [plan, other] = [{ a7: 'xyz' }, { a7: 'z' }];
      const timestamp = new Date(now - HOUR_MS);
      await insertEvents(app, another.projectId, [
        { timestamp, properties: plan },
        { timestamp, properties: other },
      ]);
      await countEvents(app);
      await allReplicated(app);
      const parts = Array.from({ length: 230 }, (_, at) => `properties.a${at} like~ ("x*", "y*")`);
      const where = parts.join(' or ');
      expect(where.length).toBeLessThan(10_000);
      const before = await readsOf('postgres');
      const query = `any where ${where}`;
      const answers = await Promise.all(
        [app, plain].map((of) =>
          of
            .request()
            .post('/v1/eql')
            .set('Authorization', another.bearer)
            .send({ project_id: another.projectId, ...lastDay, query })
            .expect(200),
        ),
      );
      expect(answers[0]?.body).toMatchObject({ events: [expect.objectContaining({ properties: plan })] });
      expect(steady(answers[0]?.body)).toEqual(steady(answers[1]?.body));
      expect(await readsOf('postgres')).toBeGreaterThan(before);
      const clickHouse = await readsOf('clickhouse');
      await logs({ range: '30d', query: 'cart' });
      expect(await readsOf('clickhouse')).toBeGreaterThan(clickHouse);
    });

    it('falls back to PostgreSQL while ClickHouse does not answer, and waits for a timeout only once', async () => {
      await allReplicated(app);
      const before = await readsOf('postgres');
      app.nest.get(ClickHouseEvents, { strict: false }).circuitOpenMs = 600_000;
      server.readFaults.push('hang', 'hang');
      await stores.inUsualTime(async () => {
        for (let asked = 0; asked < 3; asked += 1) await same('/v1/events', { project_id: owner.projectId });
      });
      await logs({ range: '30d', query: 'cart' });
      expect(server.readFaults).toEqual(['hang']);
      expect(await readsOf('postgres')).toBe(before + 4);
    });
  });
}

if ('absent' in clickHouse) it.skip(`needs ClickHouse for the tests of reads: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
