// Measures what tracing costs: the processor time of the service with tracing on, compared with tracing off, and that of
// another build with tracing off. The parts of tracing are also measured alone, which is more exact than the difference of
// two services.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EVENT, EVENT_BODY } from './event.mjs';
import { startDatabase } from './database.mjs';
import { goal, print, ratio } from './goal-table.mjs';
import { measured } from './load.mjs';
import { facts, watchOthers } from './machine.mjs';
import { median, startProcess } from './processes.mjs';
import { startService, workspace } from './service.mjs';
import { OTHER_BUILD, ROUNDS, SECONDS } from './settings.mjs';
import { emptyTables, liftQuotas } from './tenants.mjs';

const WARM_UP_SECONDS = 3;

const SPAN_COST = fileURLToPath(new URL('span-cost.mjs', import.meta.url));

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
  try {
    const others = watchOthers();
    const span = await costOfSpans(receiver);
    const results = await measuredInTurns(server, builds);
    report(results, span, Object.keys(builds), others());
  } finally {
    await receiver.stop();
    await server.stop();
  }
}

async function costOfSpans({ url }) {
  const env = { ...process.env, NODE_ENV: 'production', OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const { stdout } = await promisify(execFile)(process.execPath, [SPAN_COST], { env });
  return JSON.parse(stdout);
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

/**
 * Two processes of one build can differ by a tenth as long as they live. So each round starts a new process of each
 * build, and the builds change their places in turn, so that none profits from its place.
 * @returns the processor time of a request in µs, by request, build and round
 */
async function measuredInTurns(server, builds) {
  const results = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    const entries = Object.entries(builds);
    const first = round % entries.length;
    for (const [name, build] of [...entries.slice(first), ...entries.slice(0, first)]) {
      for (const [what, micros] of Object.entries(await measuredOnce(server, build))) {
        ((results[what] ??= {})[name] ??= []).push(micros);
      }
    }
  }
  return results;
}

async function measuredOnce(server, build) {
  const database = await server.database(`bench_tracing_${randomUUID().replaceAll('-', '')}`);
  const service = await startService({ databaseUrl: database.url, ...build });
  try {
    const shots = requestsOf(await workspace(service));
    await liftQuotas(database);
    const results = {};
    for (const [what, shot] of Object.entries(shots)) {
      await emptyTables(database);
      await server.checkpoint();
      // The first load warms up.
      for (const seconds of [WARM_UP_SECONDS, SECONDS]) {
        const result = await measured(service.pid, { url: service.url, seconds, ...shot });
        if (result.failed > 0) throw new Error(`${what}: ${result.failed} failed:\n${result.firstFailure}`);
        results[what] = result.cpuMicros;
      }
    }
    return results;
  } finally {
    await service.stop();
  }
}

function report(results, span, builds, others) {
  const micros = (what, name) => median(results[what][name]);
  const compare = (what, name, base) =>
    ratio(median(results[what][name].map((value, round) => value / results[what][base][round])));
  console.log(`\n${facts()}; other processes used ${others.toFixed(2)} cores`);
  print(
    `Processor time of the service a request in µs, ${ROUNDS} rounds of ${SECONDS} s`,
    Object.keys(results).map((what) => ({
      request: what,
      ...Object.fromEntries(builds.map((name) => [name, Math.round(micros(what, name))])),
    })),
  );
  print('Processor time of the parts', [
    { part: 'span of a request, with its export', micros: span.request.toFixed(2) },
    { part: 'span of a statement, with its export', micros: span.statement.toFixed(2) },
    { part: 'a request while tracing is off', micros: (span.off / 1_000).toFixed(3) },
  ]);
  const compared = Object.keys(results).flatMap((what) => [
    goal(`${what}: on / off`, compare(what, ON, OFF), { most: 1.15 }),
    ...(OTHER_BUILD === undefined
      ? []
      : [goal(`${what}: off / other build`, compare(what, OFF, OTHER), { most: 1.02 })]),
  ]);
  print('Goals, by the median of the ratios within a round', compared);
}
