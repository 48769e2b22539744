// Measures what tracing costs: the processor time of the service with tracing on, compared with tracing off, and that of
// another build with tracing off.
import { join } from 'node:path';
import { EVENT, EVENT_BODY } from './event.mjs';
import { startDatabase } from './database.mjs';
import { goal, print, ratio } from './goal-table.mjs';
import { measured } from './load.mjs';
import { facts, watchOthers } from './machine.mjs';
import { median, startProcess } from './processes.mjs';
import { startService, workspace } from './service.mjs';
import { OTHER_BUILD, ROUNDS, SECONDS } from './settings.mjs';
import { emptyTables, liftQuotas } from './tenants.mjs';

const OFF = 'off';
const ON = 'on';
const OTHER = 'other build, off';

export async function run() {
  const server = await startDatabase();
  const receiver = await startProcess('otlp-receiver.mjs');
  const builds = {
    [OFF]: {},
    [ON]: { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } },
    'on, a tenth of the traces': {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      },
    },
    ...(OTHER_BUILD !== undefined && { [OTHER]: { main: join(OTHER_BUILD, 'dist/src/main.js') } }),
  };
  const services = [];
  try {
    for (const [number, [name, build]] of Object.entries(builds).entries()) {
      const database = await server.database(`bench_tracing_${number}`);
      const service = await startService({ databaseUrl: database.url, ...build });
      services.push({ name, service, database, shots: requestsOf(await workspace(service)) });
      await liftQuotas(database);
    }
    const others = watchOthers();
    const results = await measuredInTurns(services, server);
    report(results, services, others());
  } finally {
    for (const { service } of services) await service.stop();
    await receiver.stop();
    await server.stop();
  }
}

function requestsOf({ key, bearer }) {
  const keyed = { 'Content-Type': 'application/json', 'X-API-Key': key };
  const bearing = { Authorization: `Bearer ${bearer}` };
  const lines = `${EVENT_BODY}\n`.repeat(1_000);
  const path = '/v1/events/ingest';
  return {
    'GET /v1/auth/jwks': { requests: [{ path: '/v1/auth/jwks' }] },
    'GET /v1/organizations': { requests: [{ path: '/v1/organizations', headers: bearing }] },
    'one event': { requests: [{ path, headers: keyed, body: JSON.stringify(EVENT) }] },
    '1,000 events of NDJSON': {
      connections: 4,
      requests: [{ path, headers: { ...keyed, 'Content-Type': 'application/x-ndjson' }, body: lines }],
    },
  };
}

/** @returns the processor time of a request in µs, by request, build and round */
async function measuredInTurns(services, server) {
  const results = {};
  for (let round = 0; round <= ROUNDS; round += 1) {
    // The order alternates, so that no build profits from its place. The first round warms up.
    const order = round % 2 === 0 ? services : [...services].reverse();
    for (const what of Object.keys(services[0].shots)) {
      for (const { name, service, database, shots } of order) {
        await emptyTables(database);
        await server.checkpoint();
        const result = await measured(service.pid, { url: service.url, seconds: SECONDS, ...shots[what] });
        if (result.failed > 0) throw new Error(`${name}, ${what}: ${result.failed} failed:\n${result.firstFailure}`);
        if (round > 0) ((results[what] ??= {})[name] ??= []).push(result.cpuMicros);
      }
    }
  }
  return results;
}

function report(results, services, others) {
  const micros = (what, name) => median(results[what][name]);
  const compare = (what, name, base) =>
    ratio(median(results[what][name].map((value, round) => value / results[what][base][round])));
  console.log(`\n${facts()}; other processes used ${others.toFixed(2)} cores`);
  print(
    `Processor time of the service a request in µs, ${ROUNDS} rounds of ${SECONDS} s`,
    Object.keys(results).map((what) => ({
      request: what,
      ...Object.fromEntries(services.map(({ name }) => [name, Math.round(micros(what, name))])),
    })),
  );
  const compared = Object.keys(results).flatMap((what) => [
    goal(`${what}: on / off`, compare(what, ON, OFF), { most: 1.15 }),
    ...(OTHER_BUILD === undefined
      ? []
      : [goal(`${what}: off / other build`, compare(what, OFF, OTHER), { most: 1.02 })]),
  ]);
  print('Goals, by the median of the ratios within a round', compared);
}
