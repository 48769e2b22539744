// Measures replication to ClickHouse without ingestion, and ingestion with replication and without, in turns.
import { setTimeout as pause } from 'node:timers/promises';
import { EVENT, EVENT_BODY } from '../event.mjs';
import { goal, print, ratio } from '../goal-table.mjs';
import { load } from '../load.mjs';
import { clickHouseMicros, measuredMicros, setApart, watchOthers } from '../machine.mjs';
import { median } from '../processes.mjs';
import { makeRows } from '../rows.mjs';
import { metricsOf, startService } from '../service.mjs';
import { CONNECTIONS, EVENTS, IS_APART, ROUNDS, SECONDS } from '../settings.mjs';
import { makeTenants } from '../tenants.mjs';

const REPLICATED = Math.min(500_000, EVENTS);
const REPLICATED_PROJECTS = 100;
const LOOK_MS = 200;
const SETTLED_WITHIN_MS = 300_000;
const LINES = 1_000;

/** Measures how fast a service replicates events that were queued before it started. @returns rows of the goal table */
export async function replicationAlone(server, store) {
  const database = await server.database('bench_shipping', { migrated: true });
  const tenants = await makeTenants(database, { organizations: REPLICATED_PROJECTS, keysEach: 1, prefix: 'shipped' });
  await database.query('SELECT begin_event_shipping()');
  await makeRows(
    database,
    tenants.map(({ projectId }) => projectId),
    REPLICATED,
  );
  await database.query('VACUUM (ANALYZE)');
  await server.checkpoint();
  const service = await startService({
    databaseUrl: database.url,
    env: { ...store, CLICKHOUSE_DATABASE: 'bench_shipping' },
  });
  try {
    const [begun, at, all, there] = [
      await queuedEvents(database),
      performance.now(),
      measuredMicros(),
      clickHouseMicros(),
    ];
    await allReplicated(database);
    const seconds = (performance.now() - at) / 1_000;
    const [everywhere, engine] = [(measuredMicros() - all) / 1e6, (clickHouseMicros() - there) / 1e6];
    const rate = (time) => Math.round(begun / time);
    return [
      goal('copying without ingestion: events a second', rate(seconds), { least: 50_000 }),
      goal('copying: events a second of processor time, all processes', rate(everywhere), { least: 50_000 }),
      goal('copying: events a second of processor time, without ClickHouse', rate(everywhere - engine), {
        least: 50_000,
      }),
      {
        quantity: 'copying: events a second of processor time, ClickHouse alone',
        reached: rate(engine),
        goal: '',
        met: '',
      },
    ];
  } finally {
    await service.stop();
  }
}

/** Measures ingestion at full speed, with replication and without. @returns rows of the goal table */
export async function ingestionBeside(server, store) {
  const sides = {};
  for (const [name, env] of Object.entries({ alone: {}, beside: { ...store, CLICKHOUSE_DATABASE: 'bench_beside' } })) {
    const database = await server.database(`bench_ingest_${name}`, { migrated: true });
    const [{ key }] = await makeTenants(database, { organizations: 1, keysEach: 1, prefix: name });
    sides[name] = { database, key, service: await startService({ databaseUrl: database.url, env }) };
  }
  if (IS_APART) setApart();
  try {
    const [results, goals] = [[], []];
    for (const [shape, { body, type, events, connections }] of Object.entries(SHAPES)) {
      const rates = { alone: [], beside: [] };
      const lags = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const [name, { database, key, service }] of Object.entries(sides)) {
          await server.checkpoint();
          const request = { path: '/v1/events/ingest', headers: { 'Content-Type': type, 'X-API-Key': key }, body };
          const others = watchOthers();
          const looking = name === 'beside' ? lagsOf(service) : null;
          const sent = await load({ url: service.url, requests: [request], connections, seconds: SECONDS });
          lags.push(...((await looking?.end()) ?? []));
          if (sent.failed > 0) throw new Error(`${sent.failed} failed, the first:\n${sent.firstFailure}`);
          rates[name].push(sent.perSecond * events);
          const told = { shape, ingestion: name, 'events/s': sent.perSecond * events, 'p99 ms': sent.p99 };
          results.push({ ...told, 'others, cores': others().toFixed(2) });
          // The queue is emptied, so that the other service has the machine to itself.
          if (name === 'beside') await allReplicated(database);
        }
      }
      goals.push(
        goal(`${shape}: ingestion while events are copied / alone`, ratio(median(rates.beside) / median(rates.alone)), {
          least: 0.95,
        }),
        goal(`${shape}: lag during ingestion, p99, s`, ratio(percentile(lags, 0.99)), { most: 3 }),
      );
    }
    print(`Ingestion with copying and without, ${ROUNDS} rounds of ${SECONDS} s`, results);
    return goals;
  } finally {
    for (const { service } of Object.values(sides)) await service.stop();
  }
}

const SHAPES = {
  'one event a request': { body: EVENT_BODY, type: 'application/json', events: 1, connections: CONNECTIONS },
  'NDJSON of 1,000': {
    body: `${Array.from({ length: LINES }, (_, n) => JSON.stringify({ ...EVENT, event_id: `line-${n}` })).join('\n')}\n`,
    type: 'application/x-ndjson',
    events: LINES,
    connections: 8,
  },
};

/** Samples the gauge of the lag. `end` stops the sampling and returns the lags in seconds. */
function lagsOf({ url }) {
  const lags = [];
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const text = await metricsOf({ url });
      lags.push(Number(/^oes_event_shipping_lag_seconds (\S+)$/m.exec(text)?.[1]));
      await pause(LOOK_MS);
    }
  })();
  return {
    end: async () => {
      isOver = true;
      await looking;
      return lags;
    },
  };
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function queuedEvents(database) {
  const [{ events }] = await database.query(
    'SELECT coalesce(sum(cardinality(ids)), 0)::int AS events FROM event_shipments',
  );
  return events;
}

async function allReplicated(database) {
  for (let waited = 0; waited < SETTLED_WITHIN_MS; waited += LOOK_MS) {
    if ((await database.query('SELECT 1 FROM event_shipments LIMIT 1')).length === 0) return;
    await pause(LOOK_MS);
  }
  throw new Error('the events were not copied in time');
}
