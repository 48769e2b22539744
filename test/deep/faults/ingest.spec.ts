import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { HANG_TIMEOUT_MS } from '../../support/bounds.mjs';
import { waitUntilGone } from '../../../src/embedded-postgres/processes.js';
import { cleanUp, cleanups, query, start, temporaryFolder } from '../../support/embedded-database.js';
import { expectTrueCounters, modeEnv } from '../../support/ingestion.js';
import { createTestDatabase } from '../../support/postgres.js';
import { type RedisServer, startRedis } from '../../support/redis.js';
import {
  CLEAN_EXIT,
  embeddedDatabase,
  eventually,
  runningDatabase,
  type ServiceProcess,
  startService,
  startWorker,
} from '../../support/service-process.js';
import {
  type Account,
  call,
  HEALTH,
  ingestMessage,
  IngestTraffic,
  openAccount,
  storedEvents,
} from '../../support/service-traffic.js';
import { StubbornTraffic } from '../../support/stubborn-traffic.js';

afterEach(cleanUp);

const CLIENTS = 16;

async function createDatabase(): Promise<string> {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  return database.url;
}

async function createRedis(durable: boolean): Promise<RedisServer> {
  const redis = await startRedis({ durable });
  cleanups.push(() => redis.stop());
  return redis;
}

async function kill(service: ServiceProcess): Promise<void> {
  service.signal('SIGKILL');
  await service.exited;
}

/** Every event of the traffic is stored once and counted once. */
async function expectOnce(databaseUrl: string, ids: readonly string[]): Promise<void> {
  expect(await storedEvents(databaseUrl)).toEqual({ ids: [...ids].sort(), counted: ids.length });
  await expectTrueCounters({ rows: <Row>(sql: string) => query(databaseUrl, sql) as Promise<Row[]> });
}

const health = (service: ServiceProcess): ReturnType<typeof call> => call(service.url, HEALTH);

async function isHealthy(service: ServiceProcess): Promise<void> {
  await eventually(
    () => health(service),
    ({ status, body }) => status === 200 && body.status === 'ok',
  );
}

describe('a service that is killed under load', () => {
  it('has stored what it answered, and repeated requests end with one event each', async () => {
    const [dataDir, databaseUrl] = [await temporaryFolder(), await createDatabase()];
    const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    let service = await startService({ env });
    const account = await openAccount(service.url, dataDir);
    const traffic = new StubbornTraffic(() => service.url, account, CLIENTS, 40);
    for (const accepted of [100, 300]) {
      await traffic.hasAccepted(accepted);
      await kill(service);
      service = await startService({ env });
    }
    await traffic.over;
    expect(traffic.accepted).toHaveLength(CLIENTS * 40);
    await expectOnce(databaseUrl, traffic.accepted);
    await isHealthy(service);
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    await expectOnce(databaseUrl, traffic.accepted);
  });

  it('leaves another one on the same database undisturbed', async () => {
    const [dataDir, databaseUrl] = [await temporaryFolder(), await createDatabase()];
    const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    const [one, other] = await Promise.all([startService({ env }), startService({ env })]);
    const account = await openAccount(one.url, dataDir);
    const [lost, kept] = [
      new IngestTraffic(one.url, account, CLIENTS),
      new StubbornTraffic(() => other.url, account, 4, 100),
    ];
    await lost.hasAccepted(100);
    await kill(one);
    await Promise.all([lost.over, kept.over]);
    expect(kept.refusals).toEqual({});
    const { ids, counted } = await storedEvents(databaseUrl);
    expect(counted).toBe(ids.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...lost.accepted, ...kept.accepted]));
  });
});

describe('a database that is killed under load', () => {
  it('makes the service say so and come back by itself, with every event once', async () => {
    const [dataDir, cluster] = [await temporaryFolder(), await temporaryFolder()];
    // What it was told has to be there after a crash.
    const database = await start(cluster, { durable: true });
    const service = await startService({ env: { DATA_DIR: dataDir, DATABASE_URL: database.url } });
    const account = await openAccount(service.url, dataDir);
    const traffic = new StubbornTraffic(() => service.url, account, CLIENTS, 40);
    await traffic.hasAccepted(100);
    process.kill(database.pid, 'SIGKILL');
    await waitUntilGone(database.pid, HANG_TIMEOUT_MS);
    await eventually(
      () => health(service),
      ({ status, body }) => status === 503 && body.status === 'down',
    );
    // Lets the folder go, which this process still holds.
    await database.stop();
    const again = await start(cluster, { durable: true });
    expect(again.port).toBe(database.port);
    await traffic.over;
    await isHealthy(service);
    await expectOnce(again.url, traffic.accepted);
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    await again.stop();
  });
});

describe('an embedded database that is killed under load', () => {
  it('is started again by the service, with every event once', async () => {
    const dataDir = await temporaryFolder();
    const service = await startService({ env: { DATA_DIR: dataDir } });
    const account = await openAccount(service.url, dataDir);
    const traffic = new StubbornTraffic(() => service.url, account, CLIENTS, 40);
    await traffic.hasAccepted(100);
    const before = await runningDatabase(dataDir);
    process.kill(before.pid, 'SIGKILL');
    await traffic.over;
    await isHealthy(service);
    const after = await runningDatabase(dataDir);
    expect([after.url, after.pid === before.pid]).toEqual([before.url, false]);
    await expectOnce(after.url, traffic.accepted);
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    expect(await embeddedDatabase(dataDir)).toBeNull();
  });
});

describe('queued ingestion', () => {
  const envOf = async (redis: RedisServer): Promise<Record<string, string>> => ({
    ...modeEnv('queued', redis.url),
    DATA_DIR: await temporaryFolder(),
    DATABASE_URL: await createDatabase(),
  });
  const isDrained = async (redis: RedisServer): Promise<void> => {
    const client = new Redis(redis.url);
    try {
      await eventually(
        () => client.xlen('{ingest}:requests'),
        (length) => length === 0,
      );
    } finally {
      client.disconnect();
    }
  };
  const flush = async (redis: RedisServer): Promise<void> => {
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
  };
  const accept = async (service: ServiceProcess, account: Account, ids: readonly string[]): Promise<object[]> => {
    const bodies: object[] = [];
    for (const id of ids) {
      const message = ingestMessage(account, id);
      const answer = await call(service.url, { ...message, headers: { ...message.headers, 'Idempotency-Key': id } });
      expect(answer).toMatchObject({ status: 200, body: { persisted_synchronously: false } });
      bodies.push(answer.body);
    }
    return bodies;
  };

  it('stores what lies in a durable Redis that was killed, once, and says meanwhile that it takes nothing', async () => {
    const redis = await createRedis(true);
    const env = await envOf(redis);
    const service = await startService({ env });
    const account = await openAccount(service.url, env.DATA_DIR ?? '');
    const traffic = new StubbornTraffic(() => service.url, account, CLIENTS, 40);
    await traffic.hasAccepted(100);
    await redis.kill9();
    await eventually(
      () => health(service),
      ({ body }) => body.status === 'degraded' && (body.checks as { redis: string }).redis === 'down',
    );
    expect(await call(service.url, ingestMessage(account, 'meanwhile'))).toMatchObject({
      status: 503,
      body: { detail: 'Service overloaded' },
    });
    await redis.restart();
    await traffic.over;
    await isDrained(redis);
    await expectOnce(env.DATABASE_URL ?? '', traffic.accepted);
    await isHealthy(service);
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });

  it('is stored by another worker, once, when one is killed at it', async () => {
    const redis = await createRedis(false);
    const env = await envOf(redis);
    const api = await startService({ env: { ...env, PROCESS_ROLE: 'api' } });
    const account = await openAccount(api.url, env.DATA_DIR ?? '');
    const first = await startWorker(env);
    const traffic = new StubbornTraffic(() => api.url, account, CLIENTS, 40);
    await traffic.hasAccepted(150);
    await kill(first);
    const second = await startWorker(env);
    await traffic.over;
    expect(traffic.refusals).toEqual({});
    await isDrained(redis);
    await expectOnce(env.DATABASE_URL ?? '', traffic.accepted);
    expect(await second.stop()).toEqual(CLEAN_EXIT);
    expect(await api.stop()).toEqual(CLEAN_EXIT);
  });

  it('loses what a flushed Redis had not handed on, and repeated requests bring it again', async () => {
    const redis = await createRedis(false);
    const env = await envOf(redis);
    const api = await startService({ env: { ...env, PROCESS_ROLE: 'api' } });
    const account = await openAccount(api.url, env.DATA_DIR ?? '');
    const [early, late] = [
      ['a', 'b', 'c'],
      ['d', 'e'],
    ] as const;
    const before = await accept(api, account, early);
    const worker = await startWorker(env);
    await isDrained(redis);
    expect(await worker.stop()).toEqual(CLEAN_EXIT);
    await accept(api, account, late);
    await flush(redis);
    await expectOnce(env.DATABASE_URL ?? '', early);

    // What was stored is remembered by the database, what was lost is taken anew.
    expect(await accept(api, account, early)).toEqual(before.map((body) => ({ ...body, duplicate: true })));
    for (const body of await accept(api, account, late)) expect(body).toMatchObject({ duplicate: false });
    await startWorker(env);
    await isDrained(redis);
    await expectOnce(env.DATABASE_URL ?? '', [...early, ...late]);
    await isHealthy(api);
  });

  it('is drained by a service of another mode, too', async () => {
    const redis = await createRedis(false);
    const env = await envOf(redis);
    const api = await startService({ env: { ...env, PROCESS_ROLE: 'api' } });
    const account = await openAccount(api.url, env.DATA_DIR ?? '');
    const accepted = await accept(api, account, ['a', 'b']);
    expect(await api.stop()).toEqual(CLEAN_EXIT);
    const batched = await startService({ env: { ...env, INGEST_MODE: 'batched' } });
    await isDrained(redis);
    const message = ingestMessage(account, 'a');
    expect(
      await call(batched.url, { ...message, headers: { ...message.headers, 'Idempotency-Key': 'a' } }),
    ).toMatchObject({
      status: 200,
      body: { ...accepted[0], duplicate: true },
    });
    await expectOnce(env.DATABASE_URL ?? '', ['a', 'b']);
    expect(await batched.stop()).toEqual(CLEAN_EXIT);
  });
});
