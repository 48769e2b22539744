// Measures what one event costs in bytes: the write-ahead log (WAL), rows and indexes, the network to PostgreSQL, and
// the line that is replicated to ClickHouse.
import { execFileSync } from 'node:child_process';
import { EVENT_COLUMNS } from '../dist/src/modules/events/event-store/clickhouse-schema/columns.js';
import { startDatabase } from './database.mjs';
import { EVENT, EVENT_BODY } from './event.mjs';
import { print } from './goal-table.mjs';
import { load } from './load.mjs';
import { facts, measuredMicros, nodeMicros, watchOthers } from './machine.mjs';
import { makeRows, VISITORS } from './rows.mjs';
import { startService } from './service.mjs';
import { CONNECTIONS, SECONDS } from './settings.mjs';
import { emptyTables, makeTenants } from './tenants.mjs';

/** Events in an NDJSON request. A row of the replication queue has at most as many events. */
const LINES = 1_000;
const GENERATED = 200_000;
/** Seconds of load before a measurement. Code that is not compiled yet costs more. */
const WARM_UP = 2;

const SHAPES = {
  'one event a request': { type: 'application/json', body: EVENT_BODY, events: 1, connections: CONNECTIONS },
  'NDJSON of 1,000': {
    type: 'application/x-ndjson',
    body: `${Array.from({ length: LINES }, (_, n) => JSON.stringify({ ...EVENT, event_id: `line-${n}` })).join('\n')}\n`,
    events: LINES,
    connections: 8,
  },
};

export async function run() {
  const server = await startDatabase();
  const database = await server.database('bench_costs', { migrated: true });
  const [{ key, projectId }] = await makeTenants(database, { organizations: 1, keysEach: 1, prefix: 'costs' });
  const service = await startService({ databaseUrl: database.url });
  try {
    const rows = [];
    for (const isKept of [false, true]) {
      // Events are queued as if they were replicated to ClickHouse, but nobody replicates them.
      if (isKept) await database.query('SELECT begin_event_shipping()');
      for (const [name, shape] of Object.entries(SHAPES)) {
        const told = await shot({ server, database, service, key, shape });
        rows.push({ name: isKept ? `${name}, queued for copying` : name, ...told });
      }
    }
    await database.query('SELECT end_event_shipping()');
    const stored = [{ rows: 'the events that were sent', ...(await bytesOf(server, database)) }];
    await emptyTables(database);
    await makeRows(database, [projectId], GENERATED, { more: VISITORS });
    stored.push({ rows: 'generated events, as in `event-store`', ...(await bytesOf(server, database)) });
    console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(await server.settings())}`);
    print(`Costs of an event, ${SECONDS} s each`, rows);
    print('Bytes of a row', stored);
  } finally {
    await service.stop();
    await server.stop();
  }
}

async function shot({ server, database, service, key, shape: { type, body, events: each, connections } }) {
  const requests = [{ path: '/v1/events/ingest', headers: { 'Content-Type': type, 'X-API-Key': key }, body }];
  const order = { url: service.url, requests, connections };
  await load({ ...order, seconds: WARM_UP });
  await emptyTables(database);
  await database.query('TRUNCATE event_shipments');
  // The first change of a page after a checkpoint writes the whole page to the WAL, as in a service that runs for a
  // while.
  await server.checkpoint();
  const before = [await writtenAhead(database), sentBy(service.pid, database), measuredMicros(), nodeMicros()];
  const others = watchOthers();
  const sent = await load({ ...order, seconds: SECONDS });
  const after = [await writtenAhead(database), sentBy(service.pid, database), measuredMicros(), nodeMicros()];
  if (sent.failed > 0) throw new Error(`${sent.failed} failed, the first:\n${sent.firstFailure}`);
  const [wal, wire, all, node] = after.map((value, at) => value - before[at]);
  const [{ events, waiting }] = await database.query(
    `SELECT (SELECT count(*)::int FROM events) AS events, pg_total_relation_size('event_shipments')::float8 AS waiting`,
  );
  if (events !== sent.requests * each)
    throw new Error(`${sent.requests * each} events were answered, ${events} stored`);
  return {
    'events/s': sent.perSecond * each,
    'µs of the service': (node / events).toFixed(1),
    'µs of the database': ((all - node) / events).toFixed(1),
    'WAL bytes': Math.round(wal / events),
    'bytes to PostgreSQL': Math.round(wire / events),
    'bytes in the queue': Math.round(waiting / events),
    'others, cores': others().toFixed(2),
  };
}

async function writtenAhead(database) {
  const [{ bytes }] = await database.query(`SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes`);
  return bytes;
}

/** Returns the bytes that a process has sent over its open connections to the database. */
function sentBy(pid, { url }) {
  const told = execFileSync('ss', ['-tinpHO', 'dport', '=', `:${new URL(url).port}`], { encoding: 'utf8' });
  const own = told.split('\n').filter((line) => line.includes(`pid=${pid},`));
  return own.reduce((sum, line) => sum + Number(/\bbytes_sent:(\d+)/.exec(line)?.[1] ?? 0), 0);
}

async function bytesOf(server, database) {
  const [{ events, heap, indexes }] = await database.query(
    `SELECT (SELECT count(*)::int FROM events) AS events, sum(pg_relation_size(relid))::float8 AS heap,
            sum(pg_indexes_size(relid))::float8 AS indexes
     FROM pg_partition_tree('events') WHERE isleaf`,
  );
  const columns = EVENT_COLUMNS.map(({ name, sql }) => `${sql} AS "${name}"`).join(', ');
  const file = `${await server.exchangeFolder()}/lines`;
  await database.asAdmin(`COPY (SELECT 1, ${columns} FROM events e) TO '${file}'`);
  const [{ bytes }] = await database.asAdmin('SELECT (pg_stat_file($1)).size::float8 AS bytes', [file]);
  const each = (value) => Math.round(value / events);
  return { heap: each(heap), indexes: each(indexes), 'the line that is copied': each(bytes) };
}
