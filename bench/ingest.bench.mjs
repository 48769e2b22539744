// Measures one event a request, committed before the answer, in turns with other servers (the neighbours). Compares
// NDJSON with COPY.
import { execFileSync } from 'node:child_process';
import { EVENT, EVENT_BODY } from './event.mjs';
import { startDatabase } from './database.mjs';
import { goal, notMeasured, print, ratio } from './goal-table.mjs';
import { load } from './load.mjs';
import { facts, residentMegabytes } from './machine.mjs';
import { startNeighbours } from './neighbours.mjs';
import { median, startProcess } from './processes.mjs';
import { startService, workspace } from './service.mjs';
import { CONNECTIONS, OTHER_NODE, ROUNDS, SECONDS, TRIES } from './settings.mjs';
import { shoot } from './shots.mjs';
import { emptyTables, makeTenants } from './tenants.mjs';

const PATH = '/v1/events/ingest';
const OURS = 'ingest';
const EXPRESS = 'Express 5 + one INSERT';
const ECHO = 'node:http echo';
const LIST = 'GET /v1/organizations, by bearer';

export async function measure() {
  const server = await startDatabase();
  const database = await server.database('bench_service', { migrated: true });
  const [{ key }] = await makeTenants(database, { organizations: 1, keysEach: 1, prefix: 'one' });
  const many = await makeTenants(database, { organizations: 100, keysEach: 10, prefix: 'many' });
  const service = await startService({ databaseUrl: database.url });
  const neighbours = await startNeighbours(server);
  const other = OTHER_NODE === undefined ? null : await onAnotherNode(OTHER_NODE, database);
  try {
    const { bearer } = await workspace(service);
    const asking = (key, more = {}) => ({
      path: PATH,
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key, ...more },
      body: EVENT_BODY,
    });
    const shot = (order, target = service) => ({ target, order, prepare: () => emptyTables(database) });
    const express = neighbours.shots[EXPRESS];
    const shots = {
      ...neighbours.shots,
      [OURS]: shot({ requests: [asking(key)] }),
      'ingest, new idempotency key each': shot({
        requests: [asking(key, { 'Idempotency-Key': '{unique-in-run}' })],
      }),
      'ingest, 1,000 keys of 100 organizations': shot({ requests: many.map((one) => asking(one.key)) }),
      'ingest, one connection': shot({ requests: [asking(key)], connections: 1 }),
      [`${EXPRESS}, one connection`]: { ...express, order: { ...express.order, connections: 1 } },
      [LIST]: {
        target: service,
        order: { requests: [{ path: '/v1/organizations', headers: { Authorization: `Bearer ${bearer}` } }] },
      },
      ...(other !== null && {
        [`${ECHO}, ${other.version}`]: { ...neighbours.shots[ECHO], target: other.echo },
        [`${OURS}, ${other.version}`]: shot({ requests: [asking(key)] }, other.service),
      }),
    };
    for (const one of Object.values(shots)) one.order = { connections: CONNECTIONS, ...one.order };
    const results = await shoot(shots, {
      seconds: SECONDS,
      rounds: ROUNDS,
      tries: TRIES,
      checkpoint: server.checkpoint,
    });
    const memory = residentMegabytes(service.pid);
    const bulk = await bulkRatio({ server, database, service, key });
    return { results, rows: goals(results, bulk, other?.version), memory, postgres: await server.settings() };
  } finally {
    await other?.stop();
    await neighbours.stop();
    await service.stop();
    await server.stop();
  }
}

export async function run() {
  const { results, rows, memory, postgres } = await measure();
  console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(postgres)}`);
  print(
    `${ROUNDS} rounds of ${SECONDS} s, ${CONNECTIONS} connections unless said otherwise`,
    Object.entries(results).map(([name, result]) => ({
      name,
      'req/s': result.perSecond,
      'p50 ms': result.p50,
      'p99 ms': result.p99,
      'own CPU µs/req': result.cpuMicros,
      "/ echo's": ratio(result.cpuMicros / results[ECHO].cpuMicros),
      'others, cores': result.others.toFixed(2),
    })),
  );
  console.log(`Resident memory of the service after all measurements: ${memory} MB`);
  print('Goals', rows);
}

function goals(results, bulk, otherNode) {
  const ours = results[OURS];
  const against = (name) => ratio(ours.perSecond / results[name].perSecond);
  const micros = (name, echo = ECHO) => ratio(results[name].cpuMicros / results[echo].cpuMicros);
  return [
    goal("processor time a request / echo's", micros(OURS), { most: 3.2 }),
    ...(otherNode === undefined
      ? []
      : [goal(`the same, ${otherNode}`, micros(`${OURS}, ${otherNode}`, `${ECHO}, ${otherNode}`), { most: 3.2 })]),
    goal('ingest / Express 5 + one INSERT', against(EXPRESS), { least: 3 }),
    goal('ingest / the same work, one query after the other', against('the same work, one query after the other'), {
      least: 12,
    }),
    goal('ingest / Nest + TypeORM save', against('Nest + TypeORM save'), { least: 6 }),
    goal('ingest / Fastify 5 + one INSERT', against('Fastify 5 + one INSERT'), { least: 1.5 }),
    goal('ingest / parse-server', against('parse-server 9.10'), { least: 8 }),
    goal('ingest / bare echo', against(ECHO), { least: 0.3 }),
    goal(
      'with a new idempotency key each / without',
      ratio(results['ingest, new idempotency key each'].perSecond / ours.perSecond),
      { least: 0.8 },
    ),
    goal("p99 / Express + one INSERT's p99", ratio(ours.p99 / results[EXPRESS].p99), { most: 0.3 }),
    goal(
      "one connection: p50 / Express + one INSERT's",
      ratio(results['ingest, one connection'].p50 / results[`${EXPRESS}, one connection`].p50),
      { most: 1.5 },
    ),
    goal(
      '1,000 keys of 100 organizations / one key',
      ratio(results['ingest, 1,000 keys of 100 organizations'].perSecond / ours.perSecond),
      { least: 0.9 },
    ),
    bulk === null
      ? notMeasured('NDJSON events/s / COPY of the same rows', 'the route refuses NDJSON')
      : goal('NDJSON events/s / COPY of the same rows', ratio(bulk.events / bulk.copied), { least: 0.55 }),
    goal(`${LIST}: processor time / echo's`, micros(LIST), { most: 6 }),
  ];
}

/** Starts the service on the same database, and the echo, with another Node. @param node the path of its program */
async function onAnotherNode(node, database) {
  const version = `Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)}`;
  const echo = await startProcess('echo.mjs', { node });
  const service = await startService({ databaseUrl: database.url, node });
  return { version, echo, service, stop: () => Promise.all([echo.stop(), service.stop()]) };
}

/**
 * Returns events a second by NDJSON, and rows a second by COPY of the same events. Null if the route refuses NDJSON.
 */
async function bulkRatio({ server, database, service, key }) {
  const lines = Array.from({ length: 1_000 }, (_, one) => JSON.stringify({ ...EVENT, event_id: `line-${one}` }));
  const request = {
    path: PATH,
    headers: { 'Content-Type': 'application/x-ndjson', 'X-API-Key': key },
    body: `${lines.join('\n')}\n`,
  };
  const order = { url: service.url, requests: [request], connections: 8 };
  const first = await load({ ...order, connections: 1, count: 1, expected: [200, 415, 422] });
  if (first.statuses['200'] === undefined) return null;
  const file = `${await server.exchangeFolder()}/events.copy`;
  const rates = { events: [], copied: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    await emptyTables(database);
    await server.checkpoint();
    const sent = await load({ ...order, seconds: SECONDS });
    if (sent.failed > 0) throw new Error(`NDJSON: ${sent.failed} failed, the first:\n${sent.firstFailure}`);
    rates.events.push(sent.perSecond * 1_000);
    const [{ count }] = await database.query('SELECT count(*)::int AS count FROM events');
    await database.asAdmin(`COPY (SELECT * FROM events) TO '${file}'`);
    await emptyTables(database);
    await server.checkpoint();
    const startedAt = performance.now();
    await database.asAdmin(`COPY events FROM '${file}'`);
    rates.copied.push(count / ((performance.now() - startedAt) / 1000));
  }
  return { events: median(rates.events), copied: median(rates.copied) };
}
