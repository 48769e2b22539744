import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { EventListReader } from '../../../src/modules/events/event-store/index.js';
import { LONG_READ_MS, LongReads, QueryTooLong, TooManyQueries } from '../../../src/modules/events/long-reads/index.js';
import { ClickHouseEvents } from '../../../src/modules/events/event-store/reading/clickhouse-events.reader.js';
import { ClickHouseEventSearchReader } from '../../../src/modules/events/event-store/search/clickhouse-event-search.reader.js';
import { SearchLimits } from '../../../src/modules/events/search/search-limits.js';
import { readWords } from '../../../src/modules/tenancy/search-sources/index.js';
import { isSafeText } from '../../../src/platform/http/validation/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';
import { type BothStores, bothStores, haveTime } from '../../support/both-stores.js';
import { type ClickHouseAccess, type FaultyServer, testClickHouse } from '../../support/clickhouse.js';
import { allReplicated, replicationQueueLength } from '../../support/replication.js';
import { countEvents, type EventRow, insertEvents } from '../../support/event-rows.js';
import { eventually } from '../../support/eventually.js';

const clickHouse = await testClickHouse();
/** The suite is content with few. */
const QUERIES = Number(process.env.EVENT_STORE_QUERIES ?? 20);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();

/** In the middle of the ranges, so that none leaves one between two answers. */
const AGES_MS = [3, 5, 30].map((minutes) => minutes * MINUTE_MS);
AGES_MS.push(...[5, 12].map((hours) => hours * HOUR_MS), ...[3, 4, 15, 40].map((days) => days * DAY_MS));

const ASCII = [
  'a',
  'A',
  'b',
  'k',
  'S',
  ' ',
  '.',
  '-',
  '1',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '(',
  '[',
  '*',
  '^',
  '$',
  '\n',
  '\t',
];
const OTHERS = [
  'ä',
  'Ä',
  'K',
  's',
  '\u212a',
  '\u017f',
  'ß',
  'ẞ',
  'σ',
  'ς',
  'Σ',
  'é',
  'e\u0301',
  'İ',
  'ı',
  'I',
  '中',
  '😀',
  '𐐀',
  '𐐨',
];
const text = fc.string({ unit: fc.constantFrom(...ASCII, ...OTHERS), maxLength: 8 });
/** Some are looked into by their beginnings alone. */
const endpoint = fc.oneof(
  { weight: 8, arbitrary: text.map((one) => `/${one}`) },
  { weight: 1, arbitrary: text.map((one) => `${'/é'.repeat(2_046)}${one}beyond`) },
);
const event: fc.Arbitrary<EventRow> = fc.record({
  timestamp: fc
    .tuple(fc.constantFrom(...AGES_MS), fc.constantFrom(0, 0, 0, 1, 1_000))
    .map(([age, more]) => new Date(NOW - age - more)),
  event: fc.oneof(fc.constantFrom('Order.Paid', 'order', 'Straße', '100%_off'), text),
  source: fc.constantFrom('web', 'Web shop', '\u212aiosk', 'a_b'),
  message: fc.option(fc.oneof(fc.constantFrom('', 'order', 'a paid ORDER', 'x'.repeat(300)), text)),
  external_event_id: fc.option(text),
  log_endpoint: endpoint,
});

interface Answer {
  readonly items: { readonly type: string; readonly id: string; readonly subtitle: string | null }[];
  readonly counts: Record<string, number>;
  readonly is_partial: boolean;
}

function tests(access: ClickHouseAccess): void {
  describe('Search in ClickHouse', () => {
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
      owner = await ownerWithProject(app);
      const stranger = await ownerWithProject(app);
      await insertEvents(app, stranger.projectId, fc.sample(event, { numRuns: 200, seed: 1 }));
      setLimits();
    });

    afterEach(() => {
      server.behave();
      jest.restoreAllMocks();
      setLimits();
    });

    afterAll(async () => {
      await stores.close();
    });

    const limits = (of: TestApp): SearchLimits => of.nest.get(SearchLimits, { strict: false });

    /** Many stretches there, one here. */
    function setLimits(): void {
      for (const one of [app, plain]) {
        haveTime(one);
        limits(one).firstRows = one === app ? 4 : 5_000;
      }
    }

    const readsOf = async (by: 'clickhouse' | 'postgres'): Promise<number> => {
      const written = await app.metrics();
      return Number(new RegExp(`^oes_event_store_reads_total\\{store="${by}"\\} (\\d+)$`, 'm').exec(written)?.[1] ?? 0);
    };

    const search = async (of: TestApp, query: object, who = owner): Promise<Answer> => {
      const { status, body } = await of
        .request()
        .get('/v1/search')
        .query({ project_id: who.projectId, ...query })
        .set('Authorization', who.bearer);
      expect([query, status, status === 200 ? null : body]).toEqual([query, 200, null]);
      return body as Answer;
    };

    /** Both answer alike. */
    const same = async (query: object, who = owner): Promise<Answer> => {
      const [clickHouse, kept] = await Promise.all([search(app, query, who), search(plain, query, who)]);
      expect([query, clickHouse]).toEqual([query, kept]);
      expect(clickHouse.is_partial).toBe(false);
      return clickHouse;
    };

    const put = async (rows: readonly EventRow[], who = owner): Promise<string[]> => {
      const ids = await insertEvents(app, who.projectId, rows);
      await countEvents(app);
      return ids;
    };

    /** Mostly parts of what is there, in another case. */
    const queryOf = (rows: readonly EventRow[], ids: readonly string[]) => {
      const texts = rows.flatMap((row) =>
        [row.event, row.source, row.message, row.external_event_id, row.log_endpoint].flatMap((one) => one ?? []),
      );
      const part = fc
        .tuple(fc.constantFrom(...texts, ...ids), fc.nat(8), fc.integer({ min: 1, max: 40 }), fc.nat(2))
        .map(([one, from, length, how]) => {
          const taken = [...one]
            .slice(one.length > 1_000 ? -from - 8 : from % 4)
            .slice(0, length)
            .join('');
          return [taken, taken.toUpperCase(), `"${taken.toLowerCase()}"`][how] ?? taken;
        });
      const words = fc.oneof(
        { weight: 4, arbitrary: part },
        { weight: 2, arbitrary: fc.tuple(part, part).map((parts) => parts.join(' ')) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('order', 'ORDER', 'paid order', 'beyond', 'a', '-', 's', 'k', 'nothing of it'),
        },
        { weight: 1, arbitrary: text },
      );
      return fc.record({
        q: words.map((one) => [...one].slice(0, 100).join('').trim()).filter(isAsked),
        range: fc.constantFrom('15m', '1h', '24h', '7d', '30d', 'all'),
        type: fc.constantFrom(['event'], ['event_type'], ['event', 'event_type']),
        limit: fc.constantFrom(1, 20, 50),
      });
    };

    it('finds what PostgreSQL finds, in the same order, whatever part of the events is replicated', async () => {
      const rows = fc.sample(event, { numRuns: 1_500, seed: 11 });
      const ids = await put(rows);
      await allReplicated(app);
      const compare = async (seed: number): Promise<void> => {
        let found = 0;
        const queries = fc.asyncProperty(queryOf(rows, ids), async (query) => {
          found += (await same(query)).items.length > 0 ? 1 : 0;
        });
        await fc.assert(queries, { numRuns: QUERIES, seed });
        expect(found).toBeGreaterThan(QUERIES / 5);
      };
      const before = { clickHouse: await readsOf('clickhouse'), kept: await readsOf('postgres') };
      await compare(101);
      expect(await readsOf('clickhouse')).toBeGreaterThan(before.clickHouse + QUERIES / 2);
      expect(await readsOf('postgres')).toBe(before.kept);

      // A part is on its way, another one waits behind it.
      const { isHeld, free } = server.holdNext();
      rows.push(...fc.sample(event, { numRuns: 150, seed: 12 }));
      ids.push(...(await put(rows.slice(-150))));
      await isHeld;
      rows.push(...fc.sample(event, { numRuns: 150, seed: 13 }));
      ids.push(...(await put(rows.slice(-150))));
      expect(await replicationQueueLength(app)).toBeGreaterThan(1);
      const between = await readsOf('clickhouse');
      await compare(102);
      expect(await readsOf('clickhouse')).toBeGreaterThan(between + QUERIES / 2);
      free();
      await allReplicated(app);
      await compare(103);
      expect(await readsOf('postgres')).toBe(before.kept);
    });

    it('takes the best of all, however old, and no older ones for the newer that equal them', async () => {
      const another = await ownerWithProject(app);
      const old = Array.from({ length: 60 }, (_, at) => ({
        timestamp: new Date(NOW - 4 * DAY_MS - at),
        event: 'heron',
      }));
      const newer = Array.from({ length: 300 }, (_, at) => ({
        timestamp: new Date(NOW - HOUR_MS - Math.floor(at / 7) * 1_000),
        event: at === 299 ? 'late' : 'other',
        message: at % 10 === 9 ? 'Heron' : `a heron ${at}`,
      }));
      await put([...old, ...newer], another);
      await allReplicated(app);
      for (const one of [app, plain]) limits(one).firstRows = one === app ? 10 : 100;
      const { items } = await same({ q: 'heron', type: 'event', limit: 50 }, another);
      expect(items.filter(({ subtitle }) => subtitle === 'Heron')).toHaveLength(30);
      await same({ q: 'her', type: 'event', limit: 50 }, another);
      await same({ q: 'heron', limit: 50 }, another);
    });

    it('finds an event at once and once, while it is replicated', async () => {
      const another = await ownerWithProject(app);
      const seen = new Set<string>();
      for (let round = 0; round < 20; round += 1) {
        const [id = ''] = await put([{ timestamp: new Date(NOW - round), message: 'a new kestrel' }], another);
        seen.add(id);
        const { items } = await search(app, { q: 'kestrel', type: 'event', limit: 50 }, another);
        expect(items.map((item) => item.id).sort()).toEqual([...seen].sort());
      }
    });

    it('finds what ClickHouse alone has', async () => {
      const another = await ownerWithProject(app);
      const [old = ''] = await put(
        [
          { timestamp: new Date(NOW - 5 * DAY_MS), event: 'Merlin.seen', message: 'far up' },
          { timestamp: new Date(NOW - HOUR_MS), event: 'merlin.heard' },
        ],
        another,
      );
      await allReplicated(app);
      const queries = ['merlin', 'FAR up', old].map((q) => ({ q, type: ['event', 'event_type'], limit: 50 }));
      const before = await Promise.all(queries.map((query) => search(plain, query, another)));
      expect(before.map(({ counts }) => counts)).toEqual([
        { event: 2, event_type: 2 },
        { event: 1, event_type: 0 },
        { event: 1, event_type: 0 },
      ]);
      await app.rows('DELETE FROM events WHERE id = $1', [old]);
      const lists = app.nest.get(EventListReader, { strict: false });
      const find = jest.spyOn(lists, 'find');
      find.mockResolvedValue({ id: old, timestamp: new Date(NOW - 5 * DAY_MS) } as never);
      for (const [at, query] of queries.entries()) {
        expect([query, await search(app, query, another)]).toEqual([query, before[at]]);
      }
      expect(find).toHaveBeenCalled();
    });

    it('is done in PostgreSQL while ClickHouse is away, or lacks what was there before it', async () => {
      await allReplicated(app);
      const query = { q: 'order', type: ['event', 'event_type'], range: '30d', limit: 50 };
      await app.rows('UPDATE event_shipping SET is_whole = false');
      const before = { clickHouse: await readsOf('clickhouse'), kept: await readsOf('postgres') };
      await same(query);
      await app.rows('UPDATE event_shipping SET is_whole = true');
      await server.goAway();
      await same(query);
      await server.comeBack();
      expect(await readsOf('clickhouse')).toBe(before.clickHouse);
      expect(await readsOf('postgres')).toBeGreaterThan(before.kept + 4);
      // A statement that is too much for it is no reason to refuse what PostgreSQL finds.
      for (let times = 0; times < 4; times += 1) {
        server.readFaults.push({ code: 241, message: 'Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)' });
      }
      await same(query);
      expect(server.readFaults).toEqual([]);
      expect(await readsOf('clickhouse')).toBe(before.clickHouse);
      await same(query);
      expect(await readsOf('clickhouse')).toBeGreaterThan(before.clickHouse);
    });

    it('is partial where ClickHouse gets too slow on the way', async () => {
      await allReplicated(app);
      const clickHouse = app.nest.get(ClickHouseEventSearchReader, { strict: false });
      const best = clickHouse.best.bind(clickHouse);
      let tried = 0;
      jest.spyOn(clickHouse, 'best').mockImplementation((scope, words, moment, stretch, limit, bounds) => {
        tried += 1;
        if (tried > 1) server.readFaults.push({ code: 159, message: 'Timeout exceeded. (TIMEOUT_EXCEEDED)' });
        return best(scope, words, moment, stretch, limit, bounds);
      });
      const before = await readsOf('postgres');
      const found = await search(app, { q: 'order', type: 'event', range: '30d', limit: 50 });
      expect(found.is_partial).toBe(true);
      expect(found.items.length).toBeGreaterThan(0);
      // Fewer are tried before it is given up.
      expect(tried).toBeGreaterThan(1);
      expect(await readsOf('postgres')).toBe(before);
    });

    it('ends with the request that asked', async () => {
      await allReplicated(app);
      server.readFaults.push('hang');
      const path = `${app.url}/v1/search?project_id=${owner.projectId}&q=${'no such thing'.replaceAll(' ', '+')}&type=event`;
      const sent = httpRequest(path, { headers: { Authorization: owner.bearer } });
      sent.on('error', () => undefined).end();
      await eventually(
        () => Promise.resolve(server.readFaults.length),
        (left) => left === 0,
      );
      const slots = app.nest.get(LongReads, { strict: false });
      const { timeoutMs } = slots.limits;
      slots.limits.timeoutMs = 20;
      // Too much for a slot of short reads.
      const long = (milliseconds: number): Promise<boolean> =>
        milliseconds < LONG_READ_MS ? Promise.reject(new QueryTooLong()) : Promise.resolve(true);
      const isFree = (): Promise<boolean> =>
        slots.run(owner, long).catch((error: unknown) => {
          if (error instanceof TooManyQueries) return false;
          throw error;
        });
      slots.limits.shortMs = LONG_READ_MS / 2;
      expect(await isFree()).toBe(false);
      sent.destroy();
      await eventually(isFree, (free) => free);
      slots.limits.timeoutMs = timeoutMs;
      haveTime(app);
      await same({ q: 'order', type: 'event' });
    });

    // The last one: it is let alone for ten seconds.
    it('does not wait for ClickHouse that does not answer for longer than a search may take', async () => {
      await allReplicated(app);
      for (const one of [app, plain]) Object.assign(limits(one), { eventsMs: 30_000 });
      const query = { q: 'order', type: ['event', 'event_type'], range: '30d', limit: 50 };
      const before = { clickHouse: await readsOf('clickhouse'), kept: await readsOf('postgres') };
      app.nest.get(ClickHouseEvents, { strict: false }).circuitOpenMs = 600_000;
      server.readFaults.push(...Array.from({ length: 20 }, () => 'hang' as const));
      await stores.inUsualTime(async () => {
        for (let asked = 0; asked < 3; asked += 1) await same(query);
      });
      expect(await readsOf('clickhouse')).toBe(before.clickHouse);
      expect(await readsOf('postgres')).toBeGreaterThan(before.kept);
      expect(server.readFaults.length).toBeGreaterThan(15);
    });
  });
}

function isAsked(q: string): boolean {
  const { words } = readWords(q);
  return q !== '' && isSafeText(q) && words.length > 0 && words.length <= 8;
}

if ('absent' in clickHouse) it.skip(`needs ClickHouse for the tests of search: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
