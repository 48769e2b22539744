import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RunLimits } from '../../../src/modules/events/eql/running/run-limits.js';
import { ClickHouseRequestsReader } from '../../../src/modules/events/event-store/index.js';
import { NewestListReader } from '../../../src/modules/events/event-store/lists/newest-list.reader.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';
import { type BothStores, bothStores, steady } from '../../support/both-stores.js';
import {
  type BrokenAnswer,
  type ClickHouseAccess,
  type FaultyServer,
  testClickHouse,
} from '../../support/clickhouse.js';
import { allReplicated } from '../../support/replication.js';
import { countEvents, insertEvents } from '../../support/event-rows.js';

const clickHouse = await testClickHouse();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Enough for several reads of one request, each of which fails in turn. */
const EVENTS = 1_200;

interface Request {
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
}

/** Status and body. */
type Answer = readonly [number, unknown];

function tests(access: ClickHouseAccess): void {
  describe('Reads from a ClickHouse that fails', () => {
    const now = Date.now();
    let server: FaultyServer;
    let stores: BothStores;
    /** Reads from ClickHouse what is there. */
    let app: TestApp;
    /** Reads from PostgreSQL alone. */
    let plain: TestApp;
    let owner: Owner;

    beforeAll(async () => {
      stores = await bothStores(access);
      ({ server, app, plain } = stores);
      // What the newest events fill, and few requests, are asked there, too.
      app.nest.get(NewestListReader, { strict: false }).lookedAt = 0;
      app.nest.get(ClickHouseRequestsReader).fewestEvents = 1;
      // Beyond those it is told apart by keys what is looked at.
      app.nest.get(RunLimits).firstScanRows = 4;
      owner = await ownerWithProject(app);
      await insertEvents(
        app,
        owner.projectId,
        Array.from({ length: EVENTS }, (_, n) => ({
          timestamp: new Date(now - 10 * DAY_MS + n * MINUTE_MS * 4),
          event: n % 3 === 0 ? 'sign_up' : 'Order.Paid',
          severity: n % 5 === 0 ? 'error' : 'info',
          log_endpoint: n % 7 === 0 ? '/cart' : `/orders/${n}`,
          log_status: n % 11 === 0 ? 500 : 200,
          log_latency_ms: n % 1_000,
          message: `message ${n} ${'x'.repeat(100)}`,
          properties: {
            n,
            key: n % 400,
            plan: n % 2 === 0 ? 'pro' : 'free',
            ...(n % 100 === 0 && { large: 'x'.repeat(9_000) }),
          },
        })),
      );
      await countEvents(app);
      await allReplicated(app);
    });

    afterEach(() => server.behave());

    afterAll(async () => {
      await stores.close();
    });

    const answerOf = async (of: TestApp, { path, query, body }: Request): Promise<Answer> => {
      const request = of.request();
      const sent = body === undefined ? request.get(path).query(query ?? {}) : request.post(path).send(body);
      const response = await sent.set('Authorization', owner.bearer);
      // Exports are no JSON.
      return [response.status, path.endsWith('/export') ? response.text : steady(response.body)];
    };

    const explorer = (): string => `/v1/projects/${owner.projectId}/events`;
    /** One of each kind that reads rows of ClickHouse, of steady times. */
    const ofEachKind = (): Request[] => {
      const project = { project_id: owner.projectId };
      const times = { from_ts: new Date(now - 30 * DAY_MS).toISOString(), to_ts: new Date(now).toISOString() };
      const asked = { ...project, ...times };
      const where = 'properties.plan == "pro" or severity == "error"';
      const eql = (query: string, more: object = {}): Request => ({
        path: '/v1/eql',
        body: { ...asked, limit: 100, query, ...more },
      });
      return [
        { path: '/v1/analytics/breakdown', query: { ...asked, by: 'properties.n', limit: 100 } },
        { path: '/v1/analytics/breakdown', query: { ...asked, by: 'properties.plan', where } },
        { path: '/v1/analytics/timeseries', query: { ...asked, where, interval: 'hour' } },
        {
          path: '/v1/analytics/timeseries',
          query: { ...asked, aggregate: 'unique', aggregate_field: 'properties.n', split_by: 'properties.plan' },
        },
        { path: '/v1/analytics/funnel', query: { ...asked, by: 'properties.key', step: ['sign_up', 'Order.Paid'] } },
        { path: '/v1/analytics/overview', query: { ...asked, where } },
        { path: '/v1/performance/summary', query: { ...asked, severity: 'info', compare: 'none' } },
        { path: '/v1/performance/timeseries', query: { ...asked, severity: 'info' } },
        { path: '/v1/performance/endpoints', query: { ...asked, severity: 'info' } },
        { path: '/v1/performance/slowest', query: { ...asked, severity: 'info', limit: 100 } },
        { path: '/v1/performance/errors', query: { ...asked, severity: 'info' } },
        { path: '/v1/logs', query: { ...project, range: '30d', limit: 500 } },
        { path: '/v1/logs', query: { ...project, range: '30d', limit: 500, query: 'CART' } },
        { path: '/v1/events', query: { ...project, limit: 500 } },
        { path: explorer(), query: { ...times, limit: 500, offset: 400 } },
        { path: explorer(), query: { ...times, limit: 500, severity: 'error' } },
        { path: '/v1/search', query: { ...project, q: 'cart', range: '30d', type: 'event', limit: 50 } },
        { path: `${explorer()}/export`, body: { format: 'csv', ...times } },
        eql('any where properties.n > 5'),
        // Decided in memory, so that all come.
        eql('any where concat(properties.plan, "") == "pro" and concat(properties.n, "") : "?7"'),
        eql('any where concat(properties.plan, "") == "pro" | tail 20'),
        eql('any where length(properties.large) > 0', { limit: 5 }),
        eql('sequence by properties.key [sign_up where true] [Order.Paid where properties.n > 800] | tail 9'),
        eql('sequence with maxspan=5m [sign_up where true] [Order.Paid where concat(properties.n, "") : "1??4"]'),
        eql('sample by properties.key [sign_up where true] [Order.Paid where true]'),
      ];
    };

    const intact = new Map<string, Promise<{ readonly kept: Answer; readonly reads: number }>>();
    /**
     * Returns the answer from PostgreSQL alone, and the number of reads with which ClickHouse gives the same answer.
     */
    const withoutFaults = (request: Request): Promise<{ readonly kept: Answer; readonly reads: number }> => {
      const ask = async () => {
        const kept = await answerOf(plain, request);
        expect([request, ...kept]).toEqual([request, 200, expect.anything()]);
        const before = server.reads;
        expect([request, await answerOf(app, request)]).toEqual([request, kept]);
        const reads = server.reads - before;
        expect([request, reads > 0]).toEqual([request, true]);
        return { kept, reads };
      };
      const key = JSON.stringify(request);
      const known = intact.get(key) ?? ask();
      intact.set(key, known);
      return known;
    };

    /** Of large events it varies how many are read at once. @returns 1 where an answer did break off */
    const hasMet = (): number => (server.readFaults.splice(0).length === 0 ? 1 : 0);

    it('are whole wherever an answer breaks off, each of which may be the one', async () => {
      const away = { code: 210, message: 'it is not well. (NETWORK_ERROR)' };
      const others: BrokenAnswer[] = [
        { afterBytes: 0, then: 'end' },
        { afterBytes: 40_000, then: 'reset' },
        { afterBytes: 1, then: away },
        { afterBytes: 40_000, then: away },
      ];
      let asked = 0;
      let mostReads = 0;
      for (const request of ofEachKind()) {
        const { kept, reads } = await withoutFaults(request);
        mostReads = Math.max(mostReads, reads);
        let met = 0;
        for (let nth = 0; nth < reads; nth += 1) {
          // As if it was all that there is, which nobody else would notice, and now and then one of the others.
          asked += 1;
          const other = asked % 3 === 0 ? [others[asked % others.length] as BrokenAnswer] : [];
          for (const fault of [{ afterBytes: 40_000, then: 'end' }, ...other] as BrokenAnswer[]) {
            server.readFaults.push(...Array.from({ length: nth }, () => 'pass' as const), fault);
            const what = [request, nth, fault, server.readFaults.length];
            expect([...what, await answerOf(app, request)]).toEqual([...what, kept]);
            met += hasMet();
          }
        }
        expect([request, met > 0]).toEqual([request, true]);
      }
      expect(mostReads).toBeGreaterThanOrEqual(3);
    });

    it('are whole or refused where the server says in the middle that they take too much', async () => {
      const tooMuch = { code: 241, message: 'Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)' };
      const refused = new Set<string>();
      for (const request of ofEachKind()) {
        const { kept, reads } = await withoutFaults(request);
        for (let nth = reads - 1; nth >= 0; nth -= 1) {
          server.readFaults.push(...Array.from({ length: nth }, () => 'pass' as const));
          server.readFaults.push({ afterBytes: 40_000, then: tooMuch });
          const answer = await answerOf(app, request);
          hasMet();
          if (answer[0] === 503) refused.add(request.path);
          const isRefused = [503, { detail: expect.stringMatching(/^(?:Query|Log search) took too long: choose a/) }];
          expect([request, nth, ...answer]).toEqual([request, nth, ...(answer[0] === 503 ? isRefused : kept)]);
        }
      }
      const others = ['/v1/events', '/v1/search', explorer(), `${explorer()}/export`];
      // What PostgreSQL has an index for it tells instead, and what is found without any.
      expect(new Set(ofEachKind().map(({ path }) => path))).toEqual(new Set([...refused, ...others]));
      expect(others.filter((path) => refused.has(path))).toEqual([]);
    });

    it.each([
      ['memory', '241', { max_memory_usage: '1', max_untracked_memory: '1' }],
      ['time', '159', { max_execution_time: '0.000001', max_block_size: '50' }],
    ])('are refused, or told by PostgreSQL, where the engine itself has no %s left', async (_, code, settings) => {
      // What PostgreSQL has an index for, or finds where ClickHouse does not.
      const others = ['/v1/events', '/v1/search', explorer(), `${explorer()}/export`];
      for (const request of ofEachKind()) {
        const { kept } = await withoutFaults(request);
        const isSearch = request.path === '/v1/logs' && Object.keys(request.query ?? {}).includes('query');
        const isKept = others.includes(request.path) || (request.path === '/v1/logs' && !isSearch);
        server.readSettings = settings;
        const answer = await answerOf(app, request);
        const detail = isSearch
          ? 'Log search took too long: choose a shorter range or a more frequent text'
          : 'Query took too long: choose a shorter range or a narrower filter';
        expect([request, ...answer]).toEqual([request, ...(isKept ? kept : [503, { detail }])]);
        expect([request, new Set(server.errors)]).toEqual([request, new Set([code])]);
        server.behave();
        // It is not let alone for that.
        const before = server.reads;
        expect([request, await answerOf(app, request)]).toEqual([request, kept]);
        expect([request, server.reads > before]).toEqual([request, true]);
      }
    });
  });
}

if ('absent' in clickHouse)
  it.skip(`needs ClickHouse for the tests of reads that fail: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
