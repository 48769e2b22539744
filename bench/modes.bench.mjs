// Compares one process that stores batches with two other ways to run ingestion: a queue in Redis, and four API
// processes.
import { Redis } from 'ioredis';
import { setTimeout as pause } from 'node:timers/promises';
import { startDatabase } from './database.mjs';
import { EVENT_BODY } from './event.mjs';
import { goal, notMeasured, print, ratio } from './goal-table.mjs';
import { load } from './load.mjs';
import { facts, measuredMicros, nodeMicros } from './machine.mjs';
import { median } from './processes.mjs';
import { metricsOf, startService } from './service.mjs';
import { CONNECTIONS, ROUNDS, SECONDS } from './settings.mjs';
import { emptyTables, makeTenants } from './tenants.mjs';
import { startRedis } from './two-processes.bench.mjs';

const PROCESSES = 4;
/** Events of a measurement, for one process and for four alike: 4,000 for each second of BENCH_SECONDS. */
const EVENTS = 4_000 * SECONDS;
/** Seconds of load before the measurements, in which the code of a process is compiled. */
const WARM_UP = 3;
const STREAM = '{ingest}:requests';

export async function measure() {
  const server = await startDatabase();
  const redis = await startRedis();
  const database = await server.database('bench_modes', { migrated: true });
  const started = [];
  const start = async (env) => {
    const service = await startService({ databaseUrl: database.url, env });
    started.push(service);
    return service;
  };
  try {
    const [{ key }] = await makeTenants(database, { organizations: 1, keysEach: 1, prefix: 'modes' });
    const request = {
      path: '/v1/events/ingest',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      body: EVENT_BODY,
    };
    /**
     * Sends load to all `services` at the same time. Returns the rate, the processor time of an event in all measured
     * processes and in the service alone, and the events in a batch.
     */
    const shot = async (services, bound, settled = () => Promise.resolve()) => {
      await emptyTables(database);
      await server.checkpoint();
      const [before, ofNode, batches] = [measuredMicros(), nodeMicros(), await batchesOf(services)];
      const results = await Promise.all(
        services.map(({ url }) =>
          load({
            url,
            requests: [request],
            connections: CONNECTIONS / services.length,
            ...bound,
            ...(bound.count !== undefined && { count: bound.count / services.length }),
          }),
        ),
      );
      const failed = results.find((one) => one.failed > 0);
      if (failed !== undefined) throw new Error(failed.firstFailure);
      await settled();
      const requests = results.reduce((sum, one) => sum + one.requests, 0);
      return {
        perSecond: results.reduce((sum, one) => sum + one.perSecond, 0),
        micros: (measuredMicros() - before) / requests,
        nodeMicros: (nodeMicros() - ofNode) / requests,
        batch: requests / ((await batchesOf(services)) - batches),
      };
    };

    const one = await start({});
    const queued = redis === null ? null : await queuedBeside({ redis, start, one, shot });
    const all = [one];
    while (all.length < PROCESSES) all.push(await start({ PROCESS_ROLE: 'api' }));
    const shots = { one: [], all: [] };
    for (const service of all) await shot([service], { seconds: WARM_UP });
    for (let round = 0; round < ROUNDS; round += 1) {
      shots.one.push(await shot([one], { count: EVENTS }));
      shots.all.push(await shot(all, { count: EVENTS }));
    }
    const costs = { one: middle(shots.one), all: middle(shots.all) };
    return { rows: goals(queued, costs), queued, costs };
  } finally {
    for (const service of started.reverse()) await service.stop();
    await redis?.stop();
    await server.stop();
  }
}

export async function run() {
  const { rows, queued, costs } = await measure();
  console.log(`\n${facts()}`);
  if (queued !== null) {
    print(
      'A queue',
      ['batched', 'queued'].map((mode) => rowOf(mode, queued[mode])),
    );
  }
  print('Processes', [rowOf('one process', costs.one), rowOf(`${PROCESSES} processes`, costs.all)]);
  print('Ways of running ingestion', rows);
}

/** Returns the settings of a service that uses Redis only for the queue of ingestion. */
export function queueIn(redis) {
  return {
    INGEST_MODE: 'queued',
    REDIS_URL: redis.url,
    QUEUE_BACKEND: 'postgres',
    RATE_LIMIT_BACKEND: 'memory',
  };
}

/**
 * Measures the two modes in turns. The queue is drained before the next measurement, so that none stores for another.
 */
async function queuedBeside({ redis, start, one, shot }) {
  const stream = new Redis(redis.url);
  const drained = async () => {
    while ((await stream.xlen(STREAM)) > 0) await pause(20);
  };
  const service = await start(queueIn(redis));
  const shots = { batched: [], queued: [] };
  try {
    for (const each of [one, service]) await shot([each], { seconds: WARM_UP }, drained);
    for (let round = 0; round < ROUNDS; round += 1) {
      shots.batched.push(await shot([one], { seconds: SECONDS }));
      shots.queued.push(await shot([service], { seconds: SECONDS }, drained));
    }
  } finally {
    stream.disconnect();
  }
  return { batched: middle(shots.batched), queued: middle(shots.queued) };
}

/** Returns how many batches the services have stored so far. */
async function batchesOf(services) {
  const texts = await Promise.all(services.map(metricsOf));
  return texts.reduce((sum, text) => sum + Number(/^oes_ingest_batch_events_count (\d+)/m.exec(text)?.[1] ?? 0), 0);
}

/** Returns the median of each figure. */
function middle(shots) {
  return Object.fromEntries(Object.keys(shots[0]).map((name) => [name, median(shots.map((one) => one[name]))]));
}

function rowOf(what, { perSecond, micros, nodeMicros: ofNode, batch }) {
  return {
    what,
    'events/s': Math.round(perSecond),
    'µs an event': ratio(micros),
    'µs of the service': ratio(ofNode),
    'µs of PostgreSQL and Redis': ratio(micros - ofNode),
    'events in a batch': ratio(batch),
  };
}

function goals(queued, { one, all }) {
  const quantity = 'queued mode with Redis: rate / batched';
  return [
    queued === null
      ? notMeasured(quantity, 'redis-server is not installed')
      : goal(quantity, ratio(queued.queued.perSecond / queued.batched.perSecond), { least: 1.3 }),
    goal(`processor time an event with ${PROCESSES} API processes / with 1`, ratio(all.micros / one.micros), {
      most: 1.15,
    }),
  ];
}
