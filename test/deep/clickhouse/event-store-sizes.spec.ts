import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ClickHouseEvents } from '../../../src/modules/events/event-store/reading/clickhouse-events.reader.js';
import { NewestListReader } from '../../../src/modules/events/event-store/lists/newest-list.reader.js';
import { HotEvents } from '../../../src/modules/events/event-store/retention/hot-events.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';
import { type BothStores, bothStores } from '../../support/both-stores.js';
import { type ClickHouseAccess, testClickHouse } from '../../support/clickhouse.js';
import { allReplicated } from '../../support/replication.js';
import { countEvents } from '../../support/event-rows.js';
import { StreamClient } from '../../support/event-stream.js';
import { eventually } from '../../support/eventually.js';

const clickHouse = await testClickHouse();
/** A million of them take minutes (EVENT_STORE_TYPES=1000000); the suite is content with fewer. */
const TYPES = Number(process.env.EVENT_STORE_TYPES ?? 100_000);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Request {
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
}

function tests(access: ClickHouseAccess): void {
  describe('A read from ClickHouse of large or many events', () => {
    const now = Date.now();
    let stores: BothStores;
    /** Reads from ClickHouse what is there. */
    let app: TestApp;
    /** Reads from PostgreSQL alone. */
    let plain: TestApp;
    const clients: StreamClient[] = [];

    beforeAll(async () => {
      stores = await bothStores(access);
      ({ app, plain } = stores);
      app.nest.get(NewestListReader, { strict: false }).lookedAt = 0;
    });

    afterEach(() => {
      for (const client of clients.splice(0)) client.close();
    });

    afterAll(async () => {
      await stores.close();
    });

    const answerOf = async (of: TestApp, who: Owner, { path, query, body }: Request): Promise<[number, unknown]> => {
      const request = of.request();
      const sent = body === undefined ? request.get(path).query(query ?? {}) : request.post(path).send(body);
      const { status, body: answer, text } = await sent.set('Authorization', who.bearer);
      if (path.endsWith('/export')) return [status, text];
      if (Array.isArray(answer)) return [status, answer];
      const { took_ms: _, to_ts: __, from_ts: ___, ...others } = answer as Record<string, unknown>;
      return [status, others];
    };
    const ingest = async (who: Owner, body: object): Promise<string> => {
      const answer = await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', who.apiKey)
        .send({ event_type: 'e', source: 's', ...body })
        .expect(200);
      return (answer.body as { ingested_event_id: string }).ingested_event_id;
    };
    /** Whether ClickHouse has answered one of the reads of some work. */
    const isFromClickHouse = async (work: () => Promise<unknown>): Promise<boolean> => {
      const countRead = jest.spyOn(app.nest.get(ClickHouseEvents, { strict: false }), 'countRead');
      await work();
      const by = countRead.mock.calls.map(([one]) => one);
      countRead.mockRestore();
      return by.includes('clickhouse');
    };

    it('returns properties of a megabyte as PostgreSQL does, also after PostgreSQL has deleted them', async () => {
      const owner = await ownerWithProject(app);
      const id = await ingest(owner, {
        event_type: 'large',
        timestamp: new Date(now - 60_000).toISOString(),
        payload: { a: 1, text: 'é"\\'.repeat(160_000), number: 1e100, list: [{}, []], inner: { z: 'end' } },
      });
      for (const z of ['end', 'other', 'other'])
        await ingest(owner, { timestamp: new Date(now - 50_000).toISOString(), payload: { a: 2, inner: { z } } });
      await allReplicated(app);
      const project = { project_id: owner.projectId };
      const times = { from_ts: new Date(now - HOUR_MS).toISOString(), to_ts: new Date(now).toISOString() };
      const explorer = `/v1/projects/${owner.projectId}/events`;
      const breakdown = (by: string, more: object = {}): Request => ({
        path: '/v1/analytics/breakdown',
        query: { ...project, ...times, by, ...more },
      });
      const eql = (query: string): Request => ({ path: '/v1/eql', body: { ...project, ...times, query } });
      const clickHouse = [
        { path: '/v1/events', query: { ...project, limit: 100 } },
        { path: '/v1/logs', query: { ...project, range: '1h' } },
        { path: explorer, query: { ...times, limit: 100 } },
        { path: `${explorer}/export`, body: { format: 'csv', ...times } },
        breakdown('properties.inner.z'),
        breakdown('properties.text'),
        breakdown('event', { where: 'properties.inner.z == "end" and length(properties.text) > 400000' }),
        breakdown('properties.a', { where: 'properties.text : "é*"' }),
        eql('large where properties.inner.z == "end"'),
        eql('any where concat(properties.inner.z, "") == "end" and length(properties.text) == 480000'),
        eql('sequence by properties.inner.z [large where true] [e where properties.a == 2]'),
      ];
      const kept = [{ path: `${explorer}/${id}` }, { path: `${explorer}/facets`, query: times }];
      const before: unknown[] = [];
      for (const request of [...clickHouse, ...kept]) {
        const answer = await answerOf(plain, owner, request);
        expect([request, answer[0]]).toEqual([request, 200]);
        before.push(answer);
        let found: unknown;
        const isOfClickHouse = await isFromClickHouse(async () => (found = await answerOf(app, owner, request)));
        expect([request, isOfClickHouse, found]).toEqual([request, clickHouse.includes(request), answer]);
      }
      // Where PostgreSQL has them no more.
      await app.rows('DELETE FROM events WHERE project_id = $1', [owner.projectId]);
      await app.rows(`INSERT INTO hot_events (hot_from) VALUES ('9999-01-01T00:00:00Z')`);
      const hot = app.nest.get(HotEvents, { strict: false });
      hot.forget();
      try {
        for (const [at, request] of [...clickHouse, ...kept].entries())
          expect([request, await answerOf(app, owner, request)]).toEqual([request, before[at]]);
      } finally {
        await app.rows('DELETE FROM hot_events');
        hot.forget();
      }
    });

    it.each([['/v1/logs/stream'], ['/v1/events/stream']])(
      'leaves %s to PostgreSQL, which streams each event once',
      async (path) => {
        const owner = await ownerWithProject(app);
        const ids = [await ingest(owner, {}), await ingest(owner, {})];
        await allReplicated(app);
        const client = await StreamClient.open(app, `${path}?project_id=${owner.projectId}`, owner.bearer);
        clients.push(client);
        await client.until(({ ids: seen }) => seen.length >= ids.length);
        for (let n = 0; n < 20; n += 1) {
          ids.push(await ingest(owner, { event_type: `e${n}` }));
          // Some wait to be replicated, others are.
          if (n % 7 === 0) await allReplicated(app);
        }
        await client.until(({ ids: seen }) => seen.length >= ids.length);
        await allReplicated(app);
        const beats = client.heartbeats.length;
        await client.until(({ heartbeats }) => heartbeats.length > beats);
        expect(client.ids).toEqual(ids);
      },
    );

    it('counts and finds events of very many types as PostgreSQL does', async () => {
      const owner = await ownerWithProject(app);
      await app.rows(
        `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                             log_latency_ms, log_has_latency, created_at)
         SELECT $1, $2::timestamptz - n % 40 * interval '1 minute', gen_random_uuid(), 'type ' || n, 's', '{}', 'GET', '/', 200, 0,
                false, $2
         FROM generate_series(1, ${TYPES}) AS n`,
        [owner.projectId, new Date(now - 60_000)],
      );
      await countEvents(app);
      await allReplicated(app);
      const project = { project_id: owner.projectId };
      const times = { from_ts: new Date(now - DAY_MS).toISOString(), to_ts: new Date(now).toISOString() };
      const breakdown = { path: '/v1/analytics/breakdown', query: { ...project, ...times, by: 'event', limit: 100 } };
      const search = (q: string): Request => ({
        path: '/v1/search',
        query: { ...project, q, type: ['event', 'event_type'], range: '7d', limit: 50 },
      });
      // A search looks through events for two seconds, in which a busy machine does not reach all of them.
      const wholeAnswerOf = (of: TestApp, request: Request): Promise<[number, unknown]> =>
        eventually(
          () => answerOf(of, owner, request),
          ([, body]) => (body as { is_partial?: boolean }).is_partial !== true,
        );
      for (const request of [
        breakdown,
        { ...breakdown, query: { ...breakdown.query, where: 'log.status == 200' } },
        { path: `/v1/projects/${owner.projectId}/events/facets`, query: times },
        search(`type ${TYPES}`),
        search('TYPE 77'),
        search('type'),
      ]) {
        const kept = await wholeAnswerOf(plain, request);
        let found: unknown;
        const isOfClickHouse = await isFromClickHouse(async () => (found = await wholeAnswerOf(app, request)));
        expect([request, kept[0]]).toEqual([request, 200]);
        expect([request, found]).toEqual([request, kept]);
        // Types are counted by PostgreSQL, where nothing else is asked of the events.
        const isCounted = request === breakdown || request.path.endsWith('/facets');
        expect([request, isOfClickHouse]).toEqual([request, !isCounted]);
      }
      const [, { total }] = (await answerOf(app, owner, breakdown)) as [number, { total: { events: number } }];
      expect(total.events).toBe(TYPES);
    });
  });
}

if ('absent' in clickHouse)
  it.skip(`needs ClickHouse for the tests of large and many events: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
