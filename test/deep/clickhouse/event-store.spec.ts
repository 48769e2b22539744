import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConfigError } from '../../../src/config/index.js';
import { RetainedEvents } from '../../../src/modules/events/event-store/index.js';
import { asProjectId } from '../../../src/modules/access/index.js';
import { ReplicationLimits } from '../../../src/modules/events/event-store/replication/replication-limits.js';
import { ReplicatedEventsRepository } from '../../../src/modules/events/event-store/replication/replicated-events.repository.js';
import { EVENT_COLUMNS } from '../../../src/modules/events/event-store/clickhouse-schema/columns.js';
import { ClickHouseSchema } from '../../../src/modules/events/event-store/clickhouse-schema/clickhouse-schema.js';
import {
  columnStatements,
  databaseStatement,
  EVENT_INDEXES,
  FORMER_INDEXES,
  indexStatement,
  keptTable,
  TABLES_VERSION,
  tableStatements,
  withoutIndexStatement,
} from '../../../src/modules/events/event-store/clickhouse-schema/table-statements.js';
import { ClickHouseSchemaRepository } from '../../../src/modules/events/event-store/clickhouse-schema/clickhouse-schema.repository.js';
import { ClickHouse } from '../../../src/platform/clickhouse/index.js';
import { newId } from '../../../src/platform/ids/index.js';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  type EventStore,
  eventStore,
  type Fault,
  FaultyServer,
  type OneMonth,
  testClickHouse,
} from '../../support/clickhouse.js';
import {
  allReplicated,
  replicatedDays,
  replicatedRows,
  replicateSoon,
  expectSame,
  postgresRows,
  merge,
  replicationQueueLength,
} from '../../support/replication.js';
import { insertEvents } from '../../support/event-rows.js';
import { eventually } from '../../support/eventually.js';
import { anyText } from '../../support/property-runs.js';

const clickHouse = await testClickHouse();
const DAY_MS = 86_400_000;

/** Many events by one statement, as one batch of ingestion stores them. */
async function insertMany(app: TestApp, projectId: string, events: number, properties = '{}'): Promise<void> {
  await app.rows(
    `INSERT INTO events (project_id, "timestamp", id, event, source, properties, bytes, log_method, log_endpoint, log_status,
                         log_latency_ms, log_has_latency, created_at)
     SELECT $1, now() - n * interval '1 second', gen_random_uuid(), 'type ' || n, 's', $3::text::jsonb, length($3::text), 'GET',
            '/orders/' || n, 200, n % 900, true, now()
     FROM generate_series(1, $2) AS n`,
    [projectId, events, properties],
  );
}

async function metric(app: TestApp, name: string): Promise<number | undefined> {
  const text = await app.metrics();
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

const OF_CLUSTER = { database: 'events', cluster: 'main-cluster' } as const;

/** As the engine writes it once it has read it; it does nothing of it. @throws the server's error 62 where it cannot */
async function readBy({ server }: EventStore, statement: string): Promise<string> {
  const text = statement.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const [row] = await server.rows<{ text: string }>(`SELECT formatQuerySingleLine('${text}') AS text`);
  return row?.text ?? '';
}

const countOf = async (store: EventStore): Promise<number> =>
  (await replicatedDays(store)).reduce((sum, { events }) => sum + Number(events), 0);

if ('absent' in clickHouse)
  it.skip(`needs ClickHouse for the tests of the event store: ${clickHouse.absent}`, () => undefined);
else {
  describe('The replica of the events', () => {
    let server: FaultyServer;
    let store: EventStore;
    let app: TestApp;
    let owner: Owner;

    beforeAll(async () => {
      server = await FaultyServer.before(clickHouse);
      store = await eventStore(clickHouse, server.url);
      app = await createTestApp({ env: { ...store.env, MAX_BODY_BYTES: '2000000' } });
      replicateSoon(app);
      owner = await ownerWithProject(app);
    });

    afterEach(() => server.behave());

    afterAll(async () => {
      await app.close();
      await server.goAway();
      await store.drop();
    });

    const ingest = (body: object, key = owner.apiKey) =>
      app.request().post('/v1/events/ingest').set('X-API-Key', key).send(body);

    it('has every byte of what was ingested, however it looks and whenever it was', async () => {
      const now = Date.now();
      const times = [
        '1970-01-01T00:00:00Z',
        '2015-06-30T23:59:59.999Z',
        '1900-01-01T00:00:00.001Z',
        '0001-01-01T00:00:00Z',
      ];
      times.push(new Date(now - 40 * DAY_MS).toISOString(), new Date(now + DAY_MS / 2).toISOString());
      const properties = {
        tab: '\t\\t\\N\n\r\b\f\u000b\u007f"\'`',
        one: 1.5,
        big: '12345678901234567890',
        nothing: null,
      };
      const text = '\\N and \t a line\nanother \u2028 \u{1f600} é';
      for (const timestamp of times) {
        await ingest({ event_type: text, source: 's', message: text, timestamp, payload: properties }).expect(200);
      }
      await ingest({ event_type: 'bare', source: 's' }).expect(200);
      await ingest({ event_type: 'large', source: 's', payload: { large: 'x"\\'.repeat(200_000) } }).expect(200);
      await expectSame(app, store);
      expect(await replicatedRows(store)).toEqual(await postgresRows(app));
      expect(await countOf(store)).toBe(times.length + 2);
    });

    it('has every time to the millisecond, however its text ends', async () => {
      const times = [
        ...[
          '0001-01-01T00:00:00.010Z',
          '1899-12-31T23:59:59.900Z',
          '1969-12-31T23:59:59.999Z',
          '1970-01-01T00:00:00.001Z',
        ],
        ...[
          '2024-02-29T12:00:00.000Z',
          '2025-12-31T23:59:59.990Z',
          '2026-01-01T00:00:00.100Z',
          '9000-12-31T23:59:59.999Z',
        ],
      ];
      await insertEvents(
        app,
        owner.projectId,
        times.map((time) => ({ timestamp: new Date(time) })),
      );
      await expectSame(app, store);
      expect(await replicatedRows(store)).toEqual(await postgresRows(app));
    });

    it('has every byte of random events, and their order', async () => {
      const text = anyText({ maxLength: 40 }).map((value) => value.replaceAll(/[\0\ud800-\udfff]/g, ''));
      const event = fc.record({
        id: fc.noShrink(fc.uuid()),
        timestamp: fc.date({ min: new Date('2026-09-01'), max: new Date('2026-12-01'), noInvalidDate: true }),
        event: text,
        severity: fc.option(text),
        environment: fc.option(text),
        message: fc.option(text),
        log_endpoint: text,
        log_status: fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }),
        log_latency_ms: fc.nat(86_400_000),
        properties: fc.dictionary(
          text,
          fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
        ),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(event, { minLength: 20, maxLength: 120, selector: ({ id }) => id }),
          async (events) => {
            await insertEvents(app, owner.projectId, events);
            await allReplicated(app);
            expect(await replicatedRows(store)).toEqual(await postgresRows(app));
          },
        ),
        { numRuns: 10 },
      );
      await expectSame(app, store);
    });

    it('makes a bounded number of parts of events of a thousand months', async () => {
      const created = new Date();
      await app.rows(
        `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                             log_latency_ms, log_has_latency, created_at)
         SELECT $1, $2::timestamptz - n * interval '1 month', gen_random_uuid(), 'months', 's', '{}', 'GET', '/', 200, 0, false, $2
         FROM generate_series(-2, 1000) AS n`,
        [owner.projectId, created],
      );
      await expectSame(app, store);
      const [parts] = await store.server.rows<{ partitions: number }>(
        `SELECT toInt32(uniqExact(_partition_id)) AS partitions FROM \`${store.server.database}\`.events WHERE event = 'months'`,
      );
      expect(parts?.partitions).toBeLessThanOrEqual(42);
    });

    it('puts what came near its time into the partition of its month, and all else into one', async () => {
      const created = new Date();
      const at = (ms: number): Date => new Date(created.getTime() + ms);
      const monthOf = (time: Date): string => time.toISOString().slice(0, 7).replace('-', '');
      const near = [0, -40 * DAY_MS, -1_100 * DAY_MS, DAY_MS, 61 * DAY_MS, 62 * DAY_MS].map(at);
      const far = [
        at(-1_100 * DAY_MS - 1),
        at(62 * DAY_MS + 1),
        at(63 * DAY_MS),
        at(400 * DAY_MS),
        new Date('2015-06-30'),
        new Date(0),
      ];
      const times = [...near, ...far];
      await app.rows(
        `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                             log_latency_ms, log_has_latency, created_at)
         SELECT $1, t.at, gen_random_uuid(), 'partition', 's', '{}', 'GET', '/', 200, 0, false, $2
         FROM unnest($3::timestamptz[]) AS t (at)`,
        [owner.projectId, created, times],
      );
      await expectSame(app, store);
      const rows = await store.server.rows<{ ms: string; partition: string }>(
        `SELECT toString(toUnixTimestamp64Milli(timestamp)) AS ms, _partition_id AS partition
         FROM \`${store.server.database}\`.events WHERE event = 'partition'`,
      );
      const partitions = new Map(rows.map(({ ms, partition }) => [Number(ms), partition]));
      expect(times.map((time) => [time, partitions.get(time.getTime())])).toEqual([
        ...near.map((time) => [time, monthOf(time)]),
        ...far.map((time) => [time, '0']),
      ]);
    });

    const FULL_DISK: Fault = { code: 243, message: 'Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)' };
    it.each<[string, Fault[]]>([
      ['a request that breaks off in the middle', ['cut']],
      ['an answer that is lost', ['forget']],
      ['a full disk', [FULL_DISK, FULL_DISK]],
      ['one after the other', ['forget', 'cut', FULL_DISK]],
    ])('has each event once after %s', async (_, faults) => {
      server.faults.push(...faults);
      await insertMany(app, owner.projectId, 3_000);
      await expectSame(app, store);
      expect(server.faults).toEqual([]);
    });

    it.each<[string, number, OneMonth['then']]>([
      ['the first month of a block was stored, and a full disk was met', 0, FULL_DISK],
      ['the second of three was stored, and the server died', 1, 'die'],
      ['the last one was stored, and a full disk was met', 2, FULL_DISK],
    ])('has each event once after %s', async (_, month, then) => {
      const before = server.storedInPart;
      const insertMonths = () =>
        app.rows(
          `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                               log_latency_ms, log_has_latency, created_at)
           SELECT $1, now() - n % 3 * interval '32 days', gen_random_uuid(), 'in part', 's', '{}', 'GET', '/', 200, 0, false, now()
           FROM generate_series(1, 900) AS n`,
          [owner.projectId],
        );
      // Then another one: what is stored is known, in whatever order it came.
      server.faults.push({ month, then }, { month: (month + 1) % 3, then });
      await insertMonths();
      await eventually(
        () => server.storedInPart,
        (blocks) => blocks > before,
      );
      // What comes now belongs to a later block, since this one has begun.
      await insertMonths();
      await expectSame(app, store);
      expect([server.faults, server.storedInPart - before]).toEqual([[], 2]);
      await merge(store);
      await expectSame(app, store);
    });

    it.each<[string, Fault | null]>([
      ['takes a block and says nothing', 'hang'],
      ['does not even read a block', 'deaf'],
      ['says nothing of a block that it stores much later', null],
    ])('goes on after a server that %s', async (_, fault) => {
      const limits = app.nest.get(ReplicationLimits, { strict: false });
      const usual = limits.insertMs;
      const before = [server.inserts, (await metric(app, 'oes_event_shipping_failures_total')) ?? 0] as const;
      const held = fault === null ? server.holdNext() : undefined;
      if (fault !== null) server.faults.push(fault);
      limits.insertMs = 100;
      // More than stands in buffers on the way, where the server does not read.
      const bytes = fault === 'deaf' ? 18_000 : 600;
      await insertMany(app, owner.projectId, 1_000, JSON.stringify({ text: 'x'.repeat(bytes) }));
      await eventually(
        () => server.inserts,
        (inserts) => inserts > before[0],
      );
      // The next one has its time.
      limits.insertMs = usual;
      await eventually(
        () => metric(app, 'oes_event_shipping_failures_total'),
        (failures) => (failures ?? 0) > before[1],
      );
      // Once a minute at most, whichever of these was first.
      const said = app.logLines.join('');
      expect([said.includes('events are not copied: no answer in time'), said.includes('ABORT_ERR')]).toEqual([
        true,
        false,
      ]);
      await expectSame(app, store);
      held?.free();
      await merge(store);
      await expectSame(app, store);
    });

    it('is whole again when the server knows of a block and has lost its rows', async () => {
      server.faults.push('forget');
      const { isHeld, free } = server.holdNext();
      await insertMany(app, owner.projectId, 100);
      await isHeld;
      // What the server would have kept had it died between the token and the rows.
      const [last] = await app.rows<{ block: number }>('SELECT block::int + 1 AS block FROM event_shipping');
      await store.server.command(
        `ALTER TABLE \`${store.server.database}\`.events DELETE WHERE block = ${last?.block} SETTINGS mutations_sync = 2`,
      );
      free();
      await expectSame(app, store);
    });

    it('comes from one process at a time, and one that lost its turn does no harm', async () => {
      const other = await createTestApp({ env: { ...store.env }, databaseUrl: app.databaseUrl });
      const { isHeld, free } = server.holdNext();
      await insertMany(app, owner.projectId, 5_000);
      await isHeld;
      // The one that has the turn loses it in the middle of its insert, and the other replicates the same block and
      // later ones.
      await app.rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'service-shipping'
                      AND datname = current_database()`);
      await insertMany(app, owner.projectId, 5_000);
      await allReplicated(app);
      free();
      await expectSame(app, store);
      await other.close();
    });

    it('goes on while connections to PostgreSQL are lost again and again', async () => {
      for (let round = 0; round < 10; round += 1) {
        await insertMany(app, owner.projectId, 2_000);
        await app.rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'service-shipping'
                        AND datname = current_database()`);
      }
      await expectSame(app, store);
    });

    it('is only behind while ClickHouse is away, and says so', async () => {
      await server.goAway();
      await ingest({ event_type: 'while away', source: 's' }).expect(200);
      await eventually(
        () => metric(app, 'oes_event_shipping_failures_total'),
        (failures) => (failures ?? 0) > 0,
      );
      expect((await app.request().get('/health').expect(200)).body).toMatchObject({ checks: { event_store: 'ok' } });
      await app.rows(`UPDATE event_shipments SET stored_at = stored_at - interval '2 hours'`);
      await eventually(
        async () => (await app.request().get('/health').expect(200)).body as { status: string; checks: object },
        ({ status }) => status === 'degraded',
      );
      expect((await app.request().get('/health')).body).toMatchObject({ checks: { event_store: 'degraded' } });
      expect(await metric(app, 'oes_event_shipping_lag_seconds')).toBeGreaterThan(7_000);
      expect(app.logLines.join('')).toContain('events are not copied: ECONN');
      await server.comeBack();
      await expectSame(app, store);
      expect(await metric(app, 'oes_event_shipping_lag_seconds')).toBe(0);
    });

    it('is not behind for a clock that was set back', async () => {
      await server.goAway();
      await ingest({ event_type: 'from the future', source: 's' }).expect(200);
      await app.rows(`UPDATE event_shipments SET stored_at = stored_at + interval '1 hour'`);
      expect(await metric(app, 'oes_event_shipping_lag_seconds')).toBe(0);
      await server.comeBack();
      await expectSame(app, store);
    });

    it('forgets a deleted project, also one that is being replicated', async () => {
      const [gone, kept] = [await ownerWithProject(app), await ownerWithProject(app)];
      await insertMany(app, gone.projectId, 500);
      await insertMany(app, kept.projectId, 500);
      await allReplicated(app);
      const { isHeld, free } = server.holdNext();
      await insertMany(app, gone.projectId, 500);
      await isHeld;
      await insertMany(app, gone.projectId, 500);
      await app.rows(
        `UPDATE projects SET deleted_at = now() - interval '2 minutes', archived_at = now() - interval '2 minutes' WHERE id = $1`,
        [gone.projectId],
      );
      const maintain = () => app.nest.get(MaintenanceRunner, { strict: false }).run();
      const isThere = async () => (await app.rows('SELECT 1 FROM projects WHERE id = $1', [gone.projectId])).length > 0;
      await maintain();
      // What is on its way is waited for.
      expect(await isThere()).toBe(true);
      expect(await replicationQueueLength(app)).toBeGreaterThan(0);
      free();
      await allReplicated(app);
      await eventually(
        async () => {
          await maintain();
          return isThere();
        },
        (there) => !there,
      );
      const days = await replicatedDays(store);
      expect(days.filter(({ project_id }) => project_id === gone.projectId)).toEqual([]);
      expect(days.filter(({ project_id }) => project_id === kept.projectId)).not.toEqual([]);
      await expectSame(app, store);
    });

    it('leaves a deleted project for later while ClickHouse is away', async () => {
      const gone = await ownerWithProject(app);
      await insertMany(app, gone.projectId, 10);
      await allReplicated(app);
      await app.rows(
        `UPDATE projects SET deleted_at = now() - interval '2 minutes', archived_at = now() - interval '2 minutes' WHERE id = $1`,
        [gone.projectId],
      );
      await server.goAway();
      const maintain = () => app.nest.get(MaintenanceRunner, { strict: false }).run();
      const isThere = async () => (await app.rows('SELECT 1 FROM projects WHERE id = $1', [gone.projectId])).length > 0;
      await maintain();
      expect(await isThere()).toBe(true);
      await server.comeBack();
      await eventually(
        async () => {
          await maintain();
          return isThere();
        },
        (there) => !there,
      );
      await expectSame(app, store);
    });

    it('ends with the events that are not kept any more, also after ClickHouse was away', async () => {
      const now = new Date();
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
      const times = [new Date(from.getTime() - 1), new Date(from.getTime() - 40 * DAY_MS), new Date(0), from, now];
      for (const timestamp of times) await ingest({ event_type: 'e', source: 's', timestamp }).expect(200);
      await expectSame(app, store);
      const before = async () =>
        (await replicatedDays(store)).filter(({ day }) => day < from.toISOString().slice(0, 10));
      // Of the tests before this one there are months of a thousand years.
      expect(await before()).not.toEqual([]);
      await app.rows('INSERT INTO event_retention (retained_from) VALUES ($1)', [from]);
      app.nest.get(RetainedEvents, { strict: false }).announced.forMs = 0;
      const maintain = () => app.nest.get(MaintenanceRunner, { strict: false }).run();
      await server.goAway();
      // A round takes what it can within its time.
      await eventually(
        async () => {
          await maintain();
          return app.rows('SELECT 1 FROM events WHERE "timestamp" < $1 LIMIT 1', [from]);
        },
        (left) => left.length === 0,
      );
      await server.comeBack();
      await eventually(
        async () => {
          await maintain();
          return before();
        },
        (days) => days.length === 0,
      );
      await expectSame(app, store);
      expect(await countOf(store)).toBeGreaterThanOrEqual(2);
      await app.rows('DELETE FROM event_retention');
    });

    it('has each event once after merges, too', async () => {
      await merge(store);
      await expectSame(app, store);
    });

    it('is told by blocks of bounded size, however large the events are', async () => {
      const before = server.inserts;
      await insertMany(app, owner.projectId, 72, JSON.stringify({ large: 'x'.repeat(1_000_000) }));
      await expectSame(app, store);
      expect(server.inserts - before).toBeGreaterThanOrEqual(2);
    });

    it('is told by blocks of bounded size, whatever one statement stores', async () => {
      const before = server.inserts;
      await insertMany(app, owner.projectId, 120_000);
      await expectSame(app, store);
      // At most 100,000 events each: of 120,000 no fewer than two.
      expect(server.inserts - before).toBeGreaterThanOrEqual(2);
      const [most] = await store.server.rows<{ events: string }>(
        `SELECT toString(max(events)) AS events FROM (SELECT count() AS events FROM \`${store.server.database}\`.events GROUP BY block)`,
      );
      expect(Number(most?.events)).toBeLessThanOrEqual(100_000);
    });

    it('is not touched when PostgreSQL was set back to an earlier state', async () => {
      await allReplicated(app);
      const [state] = await app.rows<{ block: number }>('SELECT block::int AS block FROM event_shipping');
      await app.rows(`UPDATE event_shipping SET block = 1`);
      // The turn is judged when it is taken.
      await app.rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'service-shipping'
                      AND datname = current_database()`);
      const inserts = server.inserts;
      const before = (await metric(app, 'oes_event_shipping_failures_total')) ?? 0;
      await ingest({ event_type: 'after', source: 's' }).expect(200);
      await eventually(
        () => metric(app, 'oes_event_shipping_failures_total'),
        (failures) => (failures ?? 0) > before,
      );
      expect([server.inserts, await replicationQueueLength(app)]).toEqual([inserts, 1]);
      await app.rows(`UPDATE event_shipping SET block = $1`, [state?.block]);
      await expectSame(app, store);
    });
  });

  describe('A start with an event store', () => {
    it('is refused in one sentence where the server cannot be used', async () => {
      const store = await eventStore(clickHouse);
      const { database } = store.server;
      const refusal = async (server = store.server): Promise<unknown> => {
        const error = await new ClickHouseSchema(new ClickHouseSchemaRepository(server))
          .prepare()
          .catch((reason: unknown) => reason);
        return error instanceof ConfigError ? error.faults : error;
      };
      const stranger = await ClickHouse.open({ ...clickHouse, password: 'wrong', database, cluster: undefined });
      expect(await refusal(stranger)).toEqual(['CLICKHOUSE_USER or CLICKHOUSE_PASSWORD is refused by the server']);
      await stranger.close();
      const old = Object.assign(new ClickHouseSchemaRepository(store.server), {
        serverVersion: () => Promise.resolve('26.6.9.1'),
      });
      await expect(new ClickHouseSchema(old).prepare()).rejects.toMatchObject({
        faults: ['CLICKHOUSE_URL names a server of version 26.6.9.1; 26.7 or newer is needed'],
      });
      await store.server.command(`CREATE DATABASE \`${database}\``);
      const table = (comment: string) =>
        store.server.command(
          `CREATE TABLE \`${database}\`.events (a Int32) ENGINE = MergeTree ORDER BY a COMMENT '${comment}'`,
        );
      await table('of somebody else');
      expect(await refusal()).toEqual([
        'CLICKHOUSE_DATABASE has a table events that is not of this service: name a database of its own',
      ]);
      await store.server.command(`DROP TABLE \`${database}\`.events SYNC`);
      await table(`operational events, version ${TABLES_VERSION + 1}`);
      expect(await refusal()).toEqual([
        `CLICKHOUSE_DATABASE has tables of version ${TABLES_VERSION + 1}, and this version of the service needs ${TABLES_VERSION}`,
      ]);
      await store.drop();
    });

    it('makes its tables once, however many begin at the same time', async () => {
      const store = await eventStore(clickHouse);
      const tables = () => new ClickHouseSchema(new ClickHouseSchemaRepository(store.server));
      await Promise.all([tables().prepare(), tables().prepare(), tables().prepare()]);
      await tables().prepare();
      expect(await replicatedDays(store)).toEqual([]);
      await store.drop();
    });

    it('has statements for a cluster that the engine can read', async () => {
      const store = await eventStore(clickHouse);
      const location = OF_CLUSTER;
      const statements = [
        databaseStatement(location),
        ...tableStatements(location),
        ...columnStatements(location, 'region', 'LowCardinality(Nullable(String))'),
        ...EVENT_INDEXES.map((index) => indexStatement(location, index)),
        withoutIndexStatement(location, 'ix_former'),
        `ALTER TABLE ${keptTable(location)} DELETE WHERE block = 1`,
      ];
      const read = (statement: string) => readBy(store, statement);
      const [, local = '', all = ''] = await Promise.all(statements.map(read));
      expect(local).toContain('ENGINE = ReplicatedMergeTree(');
      expect(all).toContain('ENGINE = Distributed(');
      // The columns are those of a single server.
      for (const { name } of EVENT_COLUMNS) expect([local, all].every((text) => text.includes(name))).toBe(true);
      await expect(read(`${statements[1]} nonsense (`)).rejects.toMatchObject({ code: '62' });
      await store.drop();
    });

    it('sends a cluster what the engine can read', async () => {
      const store = await eventStore(clickHouse);
      // Takes note of what is sent, and has one row of whatever is asked for.
      const sent: string[] = [];
      const inserts: { readonly table: string; readonly columns: readonly string[]; readonly settings: object }[] = [];
      const note = <Answer>(sql: string, answer: Answer): Promise<Answer> => {
        sent.push(sql);
        return Promise.resolve(answer);
      };
      const noting = {
        ...OF_CLUSTER,
        rows: (sql: string) => note(sql, sql.includes('system.mutations') ? [] : [{ id: '0', events: 1 }]),
        command: (sql: string) => note(sql, undefined),
        insert: (insert: (typeof inserts)[number]) => Promise.resolve(inserts.push(insert)),
      } as unknown as ClickHouse;
      const stored = new ReplicatedEventsRepository(noting);
      await stored.months();
      await stored.dropMonth('202603');
      await stored.removeBefore(new Date());
      await stored.removeBlock(1);
      await stored.removeLater(1);
      await stored.removeOf(asProjectId(newId()));
      await stored.insert(Readable.from([]), 'token', { milliseconds: 1, signal: AbortSignal.timeout(1) });
      const [insert] = inserts;
      sent.push(`INSERT INTO ${insert?.table} (${insert?.columns.join(', ')}) FORMAT TabSeparated`);
      const texts = await Promise.all(sent.map((statement) => readBy(store, statement)));
      const onCluster = 'ALTER TABLE events.events_local ON CLUSTER `main-cluster`';
      const parts = [
        `${onCluster} (DROP PARTITION ID`,
        `${onCluster} (DELETE IN PARTITION ID '0' WHERE timestamp <`,
        `${onCluster} (DELETE WHERE block =`,
        `${onCluster} (DELETE WHERE block >`,
        `${onCluster} (DELETE WHERE project_id =`,
        'INSERT INTO events.events (block, id,',
        `FROM clusterAllReplicas('main-cluster', system.parts)`,
        `FROM clusterAllReplicas('main-cluster', system.mutations)`,
      ];
      for (const part of parts) expect(texts).toContainEqual(expect.stringContaining(part));

      // Reads ask for what a majority has in one order, which there is only where inserts go one after the other.
      expect(insert?.settings).toMatchObject({ insert_quorum: 'auto', insert_quorum_parallel: 0 });
      const settings = Object.entries(insert?.settings ?? {}).map(([name, value]) => `${name} = '${value}'`);
      expect(await store.server.rows(`SELECT 1 AS known SETTINGS ${settings.join(', ')}`)).toEqual([{ known: 1 }]);
      await store.drop();
    });

    it('gives tables of an earlier version the indexes of this one', async () => {
      const store = await eventStore(clickHouse);
      const { database } = store.server;
      const tables = () => new ClickHouseSchema(new ClickHouseSchemaRepository(store.server));
      const indexes = async (): Promise<unknown> =>
        store.server.rows(
          `SELECT name, type_full AS type, expr, granularity, toBool(data_compressed_bytes > 0) AS isMade
           FROM system.data_skipping_indices WHERE database = {database: String} AND table = 'events' ORDER BY name`,
          { database },
        );
      const app = await createTestApp({ env: { ...store.env, EVENT_STORE: 'clickhouse' } });
      const owner = await ownerWithProject(app);
      const insert = (endpoint: string) =>
        insertEvents(app, owner.projectId, [{ timestamp: new Date(), log_endpoint: endpoint, log_method: 'GET' }]);
      await insert('/before/the/indexes');
      await allReplicated(app);
      await merge(store);
      const made = await indexes();
      expect(made).toEqual(
        EVENT_INDEXES.map(({ name }) => name)
          .sort()
          .map((name) => expect.objectContaining({ name, isMade: true }) as unknown),
      );

      // As the version before had it, with an index of the operator.
      await store.server.command(`ALTER TABLE \`${database}\`.events DROP INDEX ix_log_text`);
      for (const [name, text] of [
        ['ix_endpoint_text', 'lowerUTF8(log_endpoint)'],
        ['ix_message_text', `lowerUTF8(ifNull(message, ''))`],
        ['ix_properties_text', 'lowerUTF8(properties)'],
        ['by_hand', 'source'],
      ] as const) {
        await store.server.command(
          `ALTER TABLE \`${database}\`.events ADD INDEX ${name} ${text} TYPE ngrambf_v1(3, 32768, 3, 0) GRANULARITY 1`,
        );
        await store.server.command(
          `ALTER TABLE \`${database}\`.events MATERIALIZE INDEX ${name} SETTINGS mutations_sync = 2`,
        );
      }
      expect(await indexes()).toEqual(
        expect.arrayContaining(
          FORMER_INDEXES.map((name) => expect.objectContaining({ name, isMade: true }) as unknown),
        ),
      );
      await Promise.all([tables().prepare(), tables().prepare(), tables().prepare()]);
      await tables().prepare();
      const unmade = { name: 'ix_log_text', isMade: false };
      const isOperators = ({ name }: { name: string }): boolean => name === 'by_hand';
      const there = (await indexes()) as { name: string }[];
      expect(there.filter(isOperators)).toHaveLength(1);
      expect(there.filter((index) => !isOperators(index))).toEqual(
        (made as { name: string }[]).map((index) => (index.name === unmade.name ? { ...index, ...unmade } : index)),
      );

      // Rows from before and since are found, with and without the index.
      await insert('/since/the/indexes');
      await allReplicated(app);
      const found = async (): Promise<string[]> => {
        const query = { project_id: owner.projectId, range: 'all', query: 'THE/IND' };
        const { body } = await app
          .request()
          .get('/v1/logs')
          .query(query)
          .set('Authorization', owner.bearer)
          .expect(200);
        return (body as { endpoint: string }[]).map(({ endpoint }) => endpoint).sort();
      };
      expect(await found()).toEqual(['/before/the/indexes', '/since/the/indexes']);
      await merge(store);
      expect(await found()).toEqual(['/before/the/indexes', '/since/the/indexes']);
      expect(((await indexes()) as { name: string }[]).filter((index) => !isOperators(index))).toEqual(made);
      await app.close();
      await store.drop();
    });

    it('replicates also where its user may not see the indexes', async () => {
      const store = await eventStore(clickHouse);
      const blind = Object.assign(new ClickHouseSchemaRepository(store.server), {
        indexes: () => Promise.reject(Object.assign(new Error('not enough privileges'), { code: '497' })),
      });
      await new ClickHouseSchema(blind).prepare();
      expect(await replicatedDays(store)).toEqual([]);
      await store.drop();
    });

    it('begins beside a server that says nothing, and replicates when it speaks', async () => {
      const server = await FaultyServer.before(clickHouse);
      server.fallSilent();
      const store = await eventStore(clickHouse, server.url);
      const app = await createTestApp({ env: { ...store.env, EVENT_STORE: 'clickhouse' } });
      const owner = await ownerWithProject(app);
      await insertEvents(app, owner.projectId, [{ timestamp: new Date() }]);
      expect(app.logLines.join('')).toContain('ClickHouse cannot be asked, events are copied later: no answer in time');
      server.speak();
      await expectSame(app, store);
      await app.close();
      await server.goAway();
      await store.drop();
    });

    it('begins without the server, and replicates when it is there', async () => {
      const server = await FaultyServer.before(clickHouse);
      await server.goAway();
      const store = await eventStore(clickHouse, server.url);
      const app = await createTestApp({ env: { ...store.env } });
      const owner = await ownerWithProject(app);
      await insertEvents(app, owner.projectId, [{ timestamp: new Date() }]);
      expect(app.logLines.join('')).toContain('ClickHouse cannot be asked, events are copied later: ECONNREFUSED');
      await server.comeBack();
      await expectSame(app, store);

      // A column that a later version has is added to the tables of an earlier one.
      await store.server.command(`ALTER TABLE \`${store.server.database}\`.events DROP COLUMN environment`);
      const other = await createTestApp({ env: { ...store.env }, databaseUrl: app.databaseUrl });
      await insertEvents(other, owner.projectId, [{ timestamp: new Date(), environment: 'production' }]);
      await expectSame(app, store);
      await other.close();

      // Without its address events are kept, until somebody says otherwise.
      const without = await createTestApp({ databaseUrl: app.databaseUrl });
      expect(without.logLines.join('')).toContain('CLICKHOUSE_URL is not set');
      await without.close();
      await app.close();
      await server.goAway();
      await store.drop();
    });
  });
}

it('costs a service without one nothing', async () => {
  const app = await createTestApp();
  const owner = await ownerWithProject(app);
  await insertEvents(app, owner.projectId, [{ timestamp: new Date(), id: newId() }]);
  expect(await app.rows(`SELECT 1 FROM pg_trigger WHERE tgname = 'keep_for_shipping'`)).toEqual([]);
  expect([await replicationQueueLength(app), await app.rows('SELECT 1 FROM event_shipping')]).toEqual([0, []]);
  const { body } = await app.request().get('/health').expect(200);
  expect(Object.keys((body as { checks: object }).checks)).toEqual(['database', 'redis', 'queue', 'workers']);
  expect(await app.metrics()).not.toContain('event_shipping');

  // Beginning twice at once is beginning once, and what was begun can be ended.
  await Promise.all([1, 2, 3].map(() => app.rows('SELECT begin_event_shipping()')));
  await insertEvents(app, owner.projectId, [{ timestamp: new Date(), id: newId() }]);
  expect(await app.rows('SELECT is_whole, block::int FROM event_shipping')).toEqual([{ is_whole: false, block: 0 }]);
  expect(await replicationQueueLength(app)).toBe(1);
  await app.rows('SELECT end_event_shipping()');
  await insertEvents(app, owner.projectId, [{ timestamp: new Date(), id: newId() }]);
  expect(await replicationQueueLength(app)).toBe(0);
  await app.close();
});
