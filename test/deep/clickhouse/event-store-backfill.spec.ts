import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loadConfig } from '../../../src/config/index.js';
import { asProjectId } from '../../../src/modules/access/index.js';
import { runBackfill } from '../../../src/modules/events/event-store/index.js';
import { ReplicationLimits } from '../../../src/modules/events/event-store/replication/replication-limits.js';
import { ReplicatedEventsRepository } from '../../../src/modules/events/event-store/replication/replicated-events.repository.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  type ClickHouseAccess,
  type EventStore,
  eventStore,
  FaultyServer,
  testClickHouse,
} from '../../support/clickhouse.js';
import { allReplicated, replicatedDays, replicateSoon, expectSame } from '../../support/replication.js';
import { countEvents, insertEvents } from '../../support/event-rows.js';
import { eventually } from '../../support/eventually.js';

const clickHouse = await testClickHouse();
const EVENTS = 2_000;
/** Together with {@link EVENTS} three looks, which are of 10,000 events. */
const MORE_EVENTS = 23_000;

/** Events of one project in a year, many of them of one instant. */
async function insertMany(app: TestApp, projectId: string, events: number): Promise<void> {
  await app.rows(
    `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                         log_latency_ms, log_has_latency, created_at)
     SELECT $1, date_trunc('hour', now()) - n % 400 * interval '1 day', gen_random_uuid(), 'old', 's', '{"n": 1}', 'GET', '/', 200, 0,
            false, now()
     FROM generate_series(1, $2) AS n`,
    [projectId, events],
  );
}

function tests(access: ClickHouseAccess): void {
  describe('Moving the events to ClickHouse', () => {
    let server: FaultyServer;
    let store: EventStore;
    let app: TestApp;
    let owner: Owner;
    let said: string;

    beforeEach(async () => {
      server = await FaultyServer.before(access);
      store = await eventStore(access, server.url);
      app = await createTestApp();
      owner = await ownerWithProject(app);
      said = '';
      await insertMany(app, owner.projectId, EVENTS);
      await insertMany(app, (await ownerWithProject(app)).projectId, 10);
      await countEvents(app);
    });

    afterEach(async () => {
      server.behave();
      await app.close();
      await server.goAway();
      await store.drop();
    });

    const move = (): Promise<number> =>
      runBackfill(
        app.databaseUrl,
        loadConfig({ ...store.env }).eventStore,
        new Writable({
          write: (piece: Buffer, _, done) => {
            said += piece.toString();
            done();
          },
        }),
      );
    const insertMore = async (): Promise<void> => {
      await insertMany(app, owner.projectId, MORE_EVENTS);
      await countEvents(app);
    };
    /** A service that replicates, besides the command. */
    const startService = async (env: Readonly<Record<string, string>> = {}): Promise<TestApp> => {
      const service = await createTestApp({ env: { ...store.env, ...env }, databaseUrl: app.databaseUrl });
      replicateSoon(service);
      return service;
    };
    const isWhole = async (): Promise<boolean | undefined> =>
      (await app.rows<{ is_whole: boolean }>('SELECT is_whole FROM event_shipping'))[0]?.is_whole;

    it('replicates every event once, while others are stored', async () => {
      await insertMore();
      const over = new AbortController();
      const storing = (async () => {
        while (!over.signal.aborted) {
          await insertEvents(app, owner.projectId, [{ timestamp: new Date() }, { timestamp: new Date(0) }]);
          // Whoever connects meanwhile has a turn too.
          await delay(5);
        }
      })();
      expect(await move()).toBe(0);
      over.abort();
      await storing;
      expect(said).toContain('ClickHouse has every event, by number and by id.');
      expect(said).toMatch(/^\[#+-*\] \d+ %, \d+ of 25010 events looked at$/m);
      expect(await isWhole()).toBe(true);
      // Nobody else replicates what came after the last look.
      const worker = await startService();
      await expectSame(app, store);
      await worker.close();
      expect(await move()).toBe(0);
      expect(said).toContain('ClickHouse has had every event before.');
    });

    it('replicates every event of many projects once, beside a service that replicates and while others are stored', async () => {
      // Events of an instant, so that a look may end between any two of them.
      const store300 = `
        INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                            log_latency_ms, log_has_latency, created_at)
        SELECT md5((n % 300)::text)::uuid, date_trunc('day', now()) - n % 7 * interval '1 day', gen_random_uuid(), 'old', 's', '{}', 'GET', '/',
               200, 0, false, now()
        FROM generate_series(1, $1::int) AS n`;
      await app.rows(store300, [30_000]);
      const service = await startService();
      const over = new AbortController();
      const storing = (async () => {
        while (!over.signal.aborted) {
          await app.rows(store300, [50]);
          await delay(5);
        }
      })();
      expect(await move()).toBe(0);
      over.abort();
      await storing;
      await expectSame(app, store);
      await service.close();
    });

    it('goes on where it was when it ended in the middle, beside a service that replicates', async () => {
      await insertMore();
      const { isHeld, free } = server.holdNext();
      const first = move();
      await isHeld;
      await server.goAway();
      free();
      expect(await first).toBe(1);
      expect(said).toContain('The events are not moved: ');
      expect(await isWhole()).toBe(false);
      await server.comeBack();
      const service = await startService({ EVENT_STORE: 'clickhouse' });
      expect(await move()).toBe(0);
      await expectSame(app, store);
      expect(await isWhole()).toBe(true);
      await service.close();
    });

    it('finds what is missing, and says so', async () => {
      // A store that forgets what it has acknowledged.
      expect(await move()).toBe(0);
      await app.rows('UPDATE event_shipping SET is_whole = false');
      const { database } = store.server;
      await store.server.command(
        `ALTER TABLE \`${database}\`.events DELETE WHERE toHour(timestamp) >= 0 AND sipHash64(id) % 100 = 0 SETTINGS mutations_sync = 2`,
      );
      said = '';
      // Everything was looked at before, so the check alone finds it.
      expect(await move()).toBe(1);
      expect(said).toMatch(/projects differ, the first is [0-9a-f-]{36}: PostgreSQL has \d+ events, ClickHouse \d+\./);
      expect(await isWhole()).toBe(false);
      expect(await move()).toBe(0);
      await expectSame(app, store);
    });

    it('fills tables that were emptied behind its back, from which nothing is read meanwhile', async () => {
      expect(await move()).toBe(0);
      await store.server.command(`DROP TABLE \`${store.server.database}\`.events SYNC`);
      const service = await startService({ EVENT_STORE: 'clickhouse' });
      await eventually(isWhole, (is) => !is);
      await insertEvents(app, owner.projectId, [{ timestamp: new Date() }]);
      await eventually(
        async () => (await replicatedDays(store)).length,
        (days) => days === 1,
      );
      expect(await move()).toBe(0);
      await expectSame(app, store);
      await service.close();
    });

    it('fills what a ClickHouse lacks that was restored by itself', async () => {
      expect(await move()).toBe(0);
      const [last] = await app.rows<{ block: number }>('SELECT block::int AS block FROM event_shipping');
      await store.server.command(
        `ALTER TABLE \`${store.server.database}\`.events DELETE WHERE sipHash64(id) % 3 = 0 OR block = ${last?.block} SETTINGS mutations_sync = 2`,
      );
      said = '';
      expect(await move()).toBe(0);
      expect(said).toContain('ClickHouse has every event, by number and by id.');
      await expectSame(app, store);
      expect(await isWhole()).toBe(true);
    });

    it('is whole also where a project is deleted while both are compared', async () => {
      expect(await move()).toBe(0);
      const sums = jest.spyOn(ReplicatedEventsRepository.prototype, 'sums');
      sums.mockImplementationOnce(async function (this: ReplicatedEventsRepository, ...asked) {
        await app.rows('UPDATE projects SET deleted_at = now(), archived_at = now() WHERE id = $1', [owner.projectId]);
        await eventually(
          () => this.removeOf(asProjectId(owner.projectId)),
          (isGone) => isGone,
        );
        return this.sums(...asked);
      });
      said = '';
      expect([await move(), said]).toEqual([0, 'ClickHouse has had every event before.\n']);
      expect(sums).toHaveBeenCalledTimes(2);
      sums.mockRestore();
      expect(await isWhole()).toBe(true);
    });

    it('is not read where it lacks what was replicated last', async () => {
      expect(await move()).toBe(0);
      await store.server.command(
        `ALTER TABLE \`${store.server.database}\`.events DELETE WHERE block > 0 SETTINGS mutations_sync = 2`,
      );
      const service = await startService({ EVENT_STORE: 'clickhouse' });
      await eventually(isWhole, (is) => !is);
      const says = /ClickHouse lacks events that were copied to it up to block \d+: PostgreSQL answers alone until/;
      const lines = () => Promise.resolve(service.logLines.filter((line) => says.test(line)));
      await eventually(lines, (some) => some.length > 0);
      expect(await lines()).toHaveLength(1);
      expect(await move()).toBe(0);
      await expectSame(app, store);
      await service.close();
      // One whose last event is not kept in PostgreSQL either tells nothing.
      await store.server.command(
        `ALTER TABLE \`${store.server.database}\`.events DELETE WHERE block > 0 SETTINGS mutations_sync = 2`,
      );
      await app.rows('DELETE FROM events');
      const other = await startService({ EVENT_STORE: 'clickhouse' });
      await insertEvents(app, owner.projectId, [{ timestamp: new Date() }]);
      await expectSame(app, store);
      expect(await isWhole()).toBe(true);
      await other.close();
    });

    it('is not read where it was restored while nothing waited, behind a connection that knows of nothing', async () => {
      expect(await move()).toBe(0);
      const service = await startService({ EVENT_STORE: 'clickhouse' });
      service.nest.get(ReplicationLimits, { strict: false }).quietMs = 0;
      await insertEvents(app, owner.projectId, [{ timestamp: new Date() }]);
      await allReplicated(app);
      expect(await isWhole()).toBe(true);
      await store.server.command(
        `ALTER TABLE \`${store.server.database}\`.events DELETE WHERE block > 0 SETTINGS mutations_sync = 2`,
      );
      await insertEvents(app, owner.projectId, [{ timestamp: new Date() }]);
      await allReplicated(app);
      expect(await isWhole()).toBe(false);
      expect(await move()).toBe(0);
      await expectSame(app, store);
      await service.close();
    });

    it('asks for no events that are not kept any more', async () => {
      expect(await move()).toBe(0);
      const now = new Date();
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1));
      await app.rows('INSERT INTO event_retention (retained_from) VALUES ($1)', [from]);
      // They have gone from PostgreSQL alone so far.
      await app.rows('DELETE FROM events WHERE "timestamp" < $1', [from]);
      await app.rows('UPDATE event_shipping SET is_whole = false');
      said = '';
      expect(await move()).toBe(0);
      expect(said).toContain('ClickHouse has every event, by number and by id.');
    });

    it('is one at a time, and needs an address', async () => {
      const { isHeld, free } = server.holdNext();
      const first = move();
      await isHeld;
      expect(await move()).toBe(1);
      expect(said).toContain('Another process moves the events already.');
      free();
      expect(await first).toBe(0);
      expect(await runBackfill(app.databaseUrl, undefined, new Writable({ write: (_, __, done) => done() }))).toBe(78);
    });
  });
}

if ('absent' in clickHouse)
  it.skip(`needs ClickHouse for the tests of the backfill: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
