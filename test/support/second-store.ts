import { afterAll, describe, expect, it } from '@jest/globals';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { NewestListReader } from '../../src/modules/events/event-store/lists/newest-list.reader.js';
import { ClickHouseEvents } from '../../src/modules/events/event-store/reading/clickhouse-events.reader.js';
import { ClickHouseRequestsReader } from '../../src/modules/events/event-store/rollups/clickhouse-requests.reader.js';
import { ReplicationLimits } from '../../src/modules/events/event-store/replication/replication-limits.js';
import { Replicator } from '../../src/modules/events/event-store/replication/replicator.js';
import { ReplicationStateRepository } from '../../src/modules/events/event-store/replication/replication-state.repository.js';
import { CLICKHOUSE_SERVER } from '../../src/modules/events/event-store/clickhouse-server.js';
import type { ClickHouse } from '../../src/platform/clickhouse/index.js';
import { DATABASE_URL } from '../../src/platform/database/database.js';
import { Metrics } from '../../src/platform/telemetry/index.js';
import { ReplicationLoop } from '../../src/modules/events/event-store/replication/replication-loop.js';
import { type EventStore, eventStore, testClickHouse } from './clickhouse.js';
import { type Rows, replicationQueueLength } from './replication.js';

/** Requests that only read events. */
const TELLS = /^(GET|POST .*\/(eql|export|backtest)$)/;

const [POLL_MS, HELD_AFTER_MS] = [5, 2_000];

/** The ClickHouse databases by the address of the PostgreSQL database that is replicated there. */
const stores = new Map<string, Promise<EventStore>>();
let isOn = false;
let answers = 0;

/**
 * Makes the suites that are imported after this call read from ClickHouse. Each request that only reads events first
 * waits until all earlier events are replicated, so that ClickHouse answers wherever it can.
 * @param isRead false: the suites read nothing that ClickHouse can answer
 */
export function readFromClickHouse({ isRead = true } = {}): void {
  isOn = true;
  afterAll(async () => {
    for (const store of stores.values()) await (await store).drop();
    if (isRead) expect(answers).toBeGreaterThan(0);
  });
}

/**
 * Defines a test of a behaviour of PostgreSQL alone, such as scanning its rows in batches. With ClickHouse the test is
 * left out.
 */
export function itOfPostgres(name: string, test: () => Promise<void>): void {
  if (!isOn) it(name, test);
}

/** Like {@link itOfPostgres}, for a group of tests in which reads wait for locks of the test. */
export function describeOfPostgres(name: string, tests: () => void): void {
  if (!isOn) describe(name, tests);
}

/** Returns the environment of an application that uses ClickHouse. */
export async function secondStoreEnv(databaseUrl: string): Promise<Readonly<Record<string, string>>> {
  if (!isOn) return {};
  const known = stores.get(databaseUrl) ?? open();
  stores.set(databaseUrl, known);
  return { ...(await known).env, EVENT_STORE: 'clickhouse' };
}

/** Makes an application answer from ClickHouse. Call this before the application listens. */
export function watchSecondStore(nest: INestApplicationContext, server: Server, database: Rows): void {
  if (!isOn) return;
  const loop = nest.get<ReplicationLoop | null>(ReplicationLoop, { strict: false }) ?? loopBeside(nest, server);
  Object.assign(loop, { idleMs: 60, apartMs: 0 });
  nest.get(NewestListReader, { strict: false }).lookedAt = 0;
  nest.get(ClickHouseRequestsReader, { strict: false }).fewestEvents = 1;
  const clickHouse = nest.get(ClickHouseEvents, { strict: false });
  const countRead = clickHouse.countRead.bind(clickHouse);
  clickHouse.countRead = (store) => {
    if (store === 'clickhouse') answers += 1;
    countRead(store);
  };
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const take = (): void => listeners.forEach((listener) => listener.call(server, request, response));
    const [path] = (request.url ?? '').split('?');
    if (!TELLS.test(`${request.method} ${path}`)) take();
    else void replicatedOrTimedOut(database).then(take);
  });
}

/** Returns a replication loop, as a worker has it, for an application that runs none. */
function loopBeside(nest: INestApplicationContext, server: Server): ReplicationLoop {
  const clickHouse = nest.get<ClickHouse>(CLICKHOUSE_SERVER, { strict: false });
  const databaseUrl = nest.get<string>(DATABASE_URL, { strict: false });
  const replicationState = nest.get(ReplicationStateRepository, { strict: false });
  const replicator = Replicator.between(
    databaseUrl,
    clickHouse,
    () => replicationState.markIncomplete(),
    new ReplicationLimits(),
  );
  const loop = new ReplicationLoop(replicator, new Metrics());
  loop.onApplicationBootstrap();
  server.once('close', () => void loop.beforeApplicationShutdown());
  return loop;
}

/**
 * Waits until all events are replicated, or gives up after a time limit: a suite may lock tables, or take the database
 * away.
 */
async function replicatedOrTimedOut(database: Rows): Promise<void> {
  for (const until = performance.now() + HELD_AFTER_MS; performance.now() < until; await pause(POLL_MS)) {
    if ((await replicationQueueLength(database).catch(() => 0)) === 0) return;
  }
}

async function open(): Promise<EventStore> {
  const access = await testClickHouse();
  if ('absent' in access) throw new Error(access.absent);
  return eventStore(access);
}
