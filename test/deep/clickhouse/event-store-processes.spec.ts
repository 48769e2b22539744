import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type ClickHouseAccess, eventStore, FaultyServer, testClickHouse } from '../../support/clickhouse.js';
import { startClickHouse } from '../../support/clickhouse/server.mjs';
import { cleanUp, cleanups, temporaryFolder } from '../../support/embedded-database.js';
import { TABLES_VERSION } from '../../../src/modules/events/event-store/clickhouse-schema/table-statements.js';
import { replicatedDays, expectSame, merge, type Rows } from '../../support/replication.js';
import { createTestDatabase } from '../../support/postgres.js';
import {
  CLEAN_EXIT,
  launch,
  REFUSED_CONFIGURATION,
  type ServiceProcess,
  startWorker,
} from '../../support/service-process.js';
import { eventually } from '../../support/eventually.js';

afterEach(cleanUp);

const clickHouse = await testClickHouse();
/** As many as are to be in a row; the suite is content with a few of each kind. */
const KILLS = Number(process.env.EVENT_STORE_KILLS ?? 6);
/** Each takes a start of the engine, and a wait of the service that grows. */
const ENGINE_KILLS = Math.ceil(KILLS / 2);

/** 500 events of two projects in two months, in one statement. */
const INSERT = `
  INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status, log_latency_ms,
                      log_has_latency, created_at)
  SELECT ('00000000-0000-4000-8000-00000000000' || n % 2)::uuid, now() - n % 3 * interval '30 days', gen_random_uuid(), 'round ' || $1::int,
         's', '{}', 'GET', '/', 200, 0, false, now()
  FROM generate_series(1, 500) AS n`;

/** As `npm run migrate -- --event-store` does once everything is built. */
const MOVE = [process.execPath, 'dist/src/cli.js', 'migrate', '--event-store'] as const;
/** Three looks, which are of 10,000 events; in a year and a half, and much earlier. */
const OLD_EVENTS = 25_000;
const INSERT_OLD = `
  INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status, log_latency_ms,
                      log_has_latency, created_at)
  SELECT ('00000000-0000-4000-8000-00000000000' || n % 2)::uuid, now() - n % 18 * interval '30 days' - (n % 100 / 99) * interval '10 years',
         gen_random_uuid(), 'old', 's', '{}', 'GET', '/', 200, 0, false, now()
  FROM generate_series(1, ${OLD_EVENTS}) AS n`;
/** Of the question of a look. */
const LOOK = 'SELECT /* tenant: those of the ranges */';

async function databaseUrl(): Promise<string> {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  return database.url;
}

async function rowsOf(url: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  cleanups.push(() => client.end());
  return {
    rows: async <Row>(sql: string, parameters?: unknown[]) => (await client.query(sql, parameters)).rows as Row[],
  };
}

/** A database and a ClickHouse that can fail, with the environment of a process between them. */
async function faultyStore(access: ClickHouseAccess) {
  const [dataDir, url] = [await temporaryFolder(), await databaseUrl()];
  const server = await FaultyServer.before(access);
  const store = await eventStore(access, server.url);
  cleanups.push(
    () => store.drop(),
    () => server.goAway(),
  );
  const env = { DATA_DIR: dataDir, DATABASE_URL: url, ...store.env };
  return { env, database: await rowsOf(url), server, store };
}

async function kill(service: ServiceProcess): Promise<void> {
  service.signal('SIGKILL');
  await service.exited;
}

function tests(access: ClickHouseAccess): void {
  it(`misses no event and has none twice when it is killed ${KILLS} times in the middle of replication`, async () => {
    const { env, database, server, store } = await faultyStore(access);
    // The first one makes the tables and begins.
    await kill(await startWorker(env));
    for (let round = 0; round < KILLS; round += 1) {
      await database.rows(INSERT, [round]);
      const before = server.inserts;
      const { storedInPart } = server;
      // Before the server has the block, after it has stored it, with a part of the request, and with a month of the
      // block.
      const held = round % 4 === 0 ? server.holdNext() : undefined;
      if (round % 4 === 1) server.faults.push('forget');
      if (round % 4 === 2) server.faults.push('cut');
      const isInPart = round % 4 === 3;
      if (isInPart) server.faults.push({ month: round % 3, then: 'die' });
      const worker = await startWorker(env);
      await eventually(
        () => server.inserts,
        (inserts) => inserts > before,
      );
      await held?.isHeld;
      if (isInPart) {
        await eventually(
          () => server.storedInPart,
          (blocks) => blocks > storedInPart,
        );
      }
      await kill(worker);
      // What was on its way arrives after all.
      held?.free();
    }
    server.behave();
    const worker = await startWorker(env);
    await expectSame(database, store);
    await merge(store);
    await expectSame(database, store);
    await worker.stop();
  });

  // One that somebody else runs is not killed.
  (process.env.TEST_CLICKHOUSE_URL ? it.skip : it)(
    `misses no event and has none twice when ClickHouse is killed ${ENGINE_KILLS} times in the middle of an insert`,
    async () => {
      const engine = await startClickHouse();
      cleanups.push(() => engine.stop());
      const { env, database, server, store } = await faultyStore(engine);
      const worker = await startWorker(env);
      const stored = async (): Promise<number> => {
        const [row] = await store.server.rows<{ events: string }>(
          `SELECT toString(count()) AS events FROM \`${store.server.database}\`.events`,
        );
        return Number(row?.events);
      };
      for (let round = 0; round < ENGINE_KILLS; round += 1) {
        const [before, { inserts }] = [await stored(), server];
        await database.rows(INSERT_OLD);
        await eventually(
          () => server.inserts,
          (number) => number > inserts,
        );
        // It has stored the first months of a block, most often, and not the last.
        await eventually(stored, (events) => events > before);
        await engine.kill9();
        // What comes meanwhile waits.
        await database.rows(INSERT, [round]);
        await engine.restart();
      }
      await expectSame(database, store);
      await merge(store);
      await expectSame(database, store);
      expect(await worker.stop()).toEqual(CLEAN_EXIT);
    },
  );

  it('ends in order while ClickHouse says nothing, and replicates at the next start', async () => {
    const { env, database, server, store } = await faultyStore(access);
    server.fallSilent();
    const silenced = await startWorker(env);
    await database.rows(INSERT, [0]);
    // The look at its start, and the first check of the replication.
    await eventually(
      () => server.unanswered,
      (requests) => requests >= 2,
    );
    expect(await silenced.stop()).toEqual(CLEAN_EXIT);
    server.speak();
    const worker = await startWorker(env);
    await expectSame(database, store);
    expect(await worker.stop()).toEqual(CLEAN_EXIT);
  });

  it('has every event once after a command that is killed in the middle of looking and of replication, and run again', async () => {
    const { env, database, server, store } = await faultyStore(access);
    const move = (): ServiceProcess => launch({ command: MOVE, env });
    await database.rows(INSERT_OLD);
    const state = async (): Promise<unknown> =>
      (await database.rows('SELECT is_whole, block::int, moved_events::int AS looked FROM event_shipping'))[0];

    const first = server.holdNext(LOOK);
    const looking = move();
    await first.isHeld;
    const second = server.holdNext(LOOK);
    first.free();
    await second.isHeld;
    await kill(looking);
    second.free();
    expect(await state()).toEqual({ is_whole: false, block: 0, looked: 10_000 });
    expect(await replicatedDays(store)).toEqual([]);

    const insert = server.holdNext();
    const copying = move();
    await insert.isHeld;
    // All others that it has looked at are in the block, too.
    expect(await state()).toEqual({ is_whole: false, block: 0, looked: OLD_EVENTS });
    await kill(copying);
    // What was on its way arrives after all.
    insert.free();

    const last = move();
    expect(await last.end()).toEqual(CLEAN_EXIT);
    expect([last.stdout, last.stderr]).toEqual([
      expect.stringMatching(
        /^The database has every migration\.\n(?:.*\n)*ClickHouse has every event, by number and by id\.\n$/,
      ),
      '',
    ]);
    await expectSame(database, store);
    await merge(store);
    await expectSame(database, store);
    expect(await state()).toEqual({ is_whole: true, block: 1, looked: OLD_EVENTS });

    const again = move();
    expect(await again.end()).toEqual(CLEAN_EXIT);
    expect(again.stdout).toContain('ClickHouse has had every event before.\n');
    await expectSame(database, store);
  });

  it('says what is wrong in one sentence, where ClickHouse is away or cannot be used', async () => {
    const store = await eventStore(access);
    cleanups.push(() => store.drop());
    const env = { DATA_DIR: await temporaryFolder(), DATABASE_URL: await databaseUrl(), ...store.env };
    const outcome = async (command: typeof MOVE | undefined, changed: Readonly<Record<string, string>> = {}) => {
      const service = launch({ env: { ...env, ...changed }, ...(command === undefined ? {} : { command }) });
      const { code } = await service.end();
      return { code, stderr: service.stderr, last: service.stdout.split('\n').at(-2) };
    };
    const moved = (code: number, reason: string) => ({ code, stderr: '', last: `The events are not moved: ${reason}` });
    const started = (reason: string) =>
      expect.objectContaining({
        code: REFUSED_CONFIGURATION.code,
        stderr: `The configuration is not usable:\n  - ${reason}\n`,
      }) as unknown;

    const nobody = await FaultyServer.before(access);
    await nobody.goAway();
    expect(await outcome(MOVE, { CLICKHOUSE_URL: nobody.url })).toEqual(moved(1, 'ECONNREFUSED'));

    const refused = 'CLICKHOUSE_USER or CLICKHOUSE_PASSWORD is refused by the server';
    expect(await outcome(MOVE, { CLICKHOUSE_PASSWORD: 'wrong' })).toEqual(moved(78, refused));
    expect(await outcome(undefined, { CLICKHOUSE_PASSWORD: 'wrong' })).toEqual(started(refused));

    const { database } = store.server;
    await store.server.command(`CREATE DATABASE \`${database}\``);
    await store.server.command(
      `CREATE TABLE \`${database}\`.events (a Int32) ENGINE = MergeTree ORDER BY a COMMENT 'operational events, version ${TABLES_VERSION + 1}'`,
    );
    const other = `CLICKHOUSE_DATABASE has tables of version ${TABLES_VERSION + 1}, and this version of the service needs ${TABLES_VERSION}`;
    expect(await outcome(MOVE)).toEqual(moved(78, other));
    expect(await outcome(undefined)).toEqual(started(other));
  });
}

if ('absent' in clickHouse)
  it.skip(`needs ClickHouse for the tests of the event store: ${clickHouse.absent}`, () => undefined);
else describe('A service that replicates events', () => tests(clickHouse));
