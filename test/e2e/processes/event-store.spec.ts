import { afterEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { type ClickHouseAccess, eventStore, FaultyServer, testClickHouse } from '../../support/clickhouse.js';
import { cleanUp, cleanups, temporaryFolder } from '../../support/embedded-database.js';
import { expectSame, merge, type Rows } from '../../support/event-copies.js';
import { createTestDatabase } from '../../support/postgres.js';
import { launch, REFUSED_CONFIGURATION, type ServiceProcess, startWorker } from '../../support/service-process.js';
import { eventually } from '../../support/eventually.js';

jest.setTimeout(300_000);
afterEach(cleanUp);

const clickHouse = await testClickHouse();
/** As many as are to be in a row; the suite is content with a few of each kind. */
const KILLS = Number(process.env.EVENT_STORE_KILLS ?? 6);

/** 500 events of two projects in two months, in one statement. */
const INSERT = `
  INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status, log_latency_ms,
                      log_has_latency, created_at)
  SELECT ('00000000-0000-4000-8000-00000000000' || n % 2)::uuid, now() - n % 3 * interval '30 days', gen_random_uuid(), 'round ' || $1::int,
         's', '{}', 'GET', '/', 200, 0, false, now()
  FROM generate_series(1, 500) AS n`;

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

async function kill(service: ServiceProcess): Promise<void> {
  service.signal('SIGKILL');
  await service.exited;
}

function tests(access: ClickHouseAccess): void {
  it(`misses no event and has none twice when it is killed ${KILLS} times in the middle of copying`, async () => {
    const [dataDir, url] = [await temporaryFolder(), await databaseUrl()];
    const server = await FaultyServer.before(access);
    const store = await eventStore(access, server.url);
    cleanups.push(
      () => store.drop(),
      () => server.goAway(),
    );
    const env = { DATA_DIR: dataDir, DATABASE_URL: url, ...store.env };
    // The first one makes the tables and begins.
    await kill(await startWorker(env));
    const database = await rowsOf(url);
    for (let round = 0; round < KILLS; round += 1) {
      await database.rows(INSERT, [round]);
      const before = server.inserts;
      // Before the server has the block, after it has stored it, and with a part of it.
      const held = round % 3 === 0 ? server.holdNext() : undefined;
      if (round % 3 === 1) server.faults.push('forget');
      if (round % 3 === 2) server.faults.push('cut');
      const worker = await startWorker(env);
      await eventually(
        () => server.inserts,
        (inserts) => inserts > before,
      );
      await held?.isHeld;
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

  it('does not start with a wrong password, and says why in one sentence', async () => {
    const store = await eventStore(access);
    cleanups.push(() => store.drop());
    const env = { DATA_DIR: await temporaryFolder(), DATABASE_URL: await databaseUrl(), ...store.env };
    const service = launch({ env: { ...env, CLICKHOUSE_PASSWORD: 'wrong' } });
    expect(await service.end()).toEqual(REFUSED_CONFIGURATION);
    expect(service.stderr).toBe(
      'The configuration is not usable:\n  - CLICKHOUSE_USER or CLICKHOUSE_PASSWORD is refused by the server\n',
    );
  });
}

if ('absent' in clickHouse) it.skip(`the event store in ClickHouse: ${clickHouse.absent}`, () => undefined);
else describe('A service that copies events', () => tests(clickHouse));
