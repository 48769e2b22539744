// Measures events in ClickHouse: the cost of replicating them, their size there, and reads from there in turns with
// reads from PostgreSQL. The ClickHouse is that of the tests: the engine in a separate process, which runs four
// statements at a time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startDatabase } from './database.mjs';
import { startClickHouse } from './event-store/clickhouse.mjs';
import { ingestionBeside, replicationAlone } from './event-store/replication.mjs';
import { goal, print, ratio } from './goal-table.mjs';
import { load } from './load.mjs';
import { clickHouseMicros, facts, measuredMicros, residentMegabytes } from './machine.mjs';
import { median } from './processes.mjs';
import { countRows, indexClosedMonths, makeRows, VISITORS } from './rows.mjs';
import { newDataDir, projectOf, signedIn, startService, workspace } from './service.mjs';
import { EVENTS, QUESTION, SECONDS } from './settings.mjs';
import { liftQuotas, makeTenants } from './tenants.mjs';

const OTHER_PROJECTS = 1_000;
const OTHER_EVENTS = Math.min(100_000, EVENTS);
const [FEWEST_ROUNDS, MOST_ROUNDS] = [3, 30];
const CLI = fileURLToPath(new URL('../dist/src/cli.js', import.meta.url));
const UNHURRIED = new URL('./event-store/unhurried.mjs', import.meta.url).href;

/** Number of parallel readers of the questions that have a limit in milliseconds. */
const READERS = 4;

/**
 * `least` is the goal for the time on PostgreSQL divided by the time on ClickHouse. If PostgreSQL refuses the question,
 * its time without the limit of eight seconds counts. `most` is the goal in milliseconds.
 */
function questions(projectId) {
  const [logs, project] = [`/v1/logs?project_id=${projectId}&range=30d`, `/v1/projects/${projectId}`];
  const breakdown = `/v1/analytics/breakdown?project_id=${projectId}`;
  const series = `/v1/analytics/timeseries?project_id=${projectId}`;
  return {
    'log list, 100 rows': { path: logs },
    'log list by method': { path: `${logs}&method=put`, most: 60 },
    'log list by a rare text, 30 days': { path: `${logs}&query=needle`, most: 300 },
    'explorer page by event and severity': {
      path: `${project}/events?range=30d&event=order.paid.3&severity=info`,
      most: 60,
    },
    'log list by a text of the endpoint': { path: `${logs}&query=products%2F77`, most: 60 },
    'explorer page by severity': { path: `${project}/events?range=30d&severity=error`, most: 60 },
    dashboard: { path: `${project}/dashboard`, least: 0.95 },
    'raw events': { path: `/v1/events?project_id=${projectId}` },
    'breakdown by a property, 24 h and the 24 h before': { path: `${breakdown}&by=properties.visitor&range=24h` },
    'breakdown by a property, 7 d and the 7 d before': {
      path: `${breakdown}&by=properties.visitor&range=7d`,
      least: 10,
    },
    'breakdown by a property of few values, 7 d': { path: `${breakdown}&by=properties.country&range=7d`, least: 10 },
    'breakdown by a property, 30 d': { path: `${breakdown}&by=properties.visitor&range=30d`, least: 10 },
    'breakdown by a property of few values, 30 d': {
      path: `${breakdown}&by=properties.country&range=30d`,
      least: 10,
    },
    'series of an average, by a property, 30 d': {
      path: `${series}&range=30d&aggregate=avg&aggregate_field=log.latency_ms&split_by=properties.country`,
    },
    'distinct visitors by day, 7 d': {
      path: `${series}&range=7d&interval=day&aggregate=unique&aggregate_field=properties.visitor`,
    },
    'funnel of three steps by visitor, 30 d': {
      path: `/v1/analytics/funnel?project_id=${projectId}&range=30d&by=properties.visitor&step=order.paid.1&step=order.paid.2&step=order.paid.3`,
      least: 3,
    },
    'sequence in EQL by visitor, none found, 30 d': {
      path: '/v1/eql',
      body: {
        project_id: projectId,
        range: '30d',
        query:
          'sequence by properties.visitor with maxspan=1h ["order.paid.1" where log.latency_ms > 0] ["order.paid.2" where true] ["order.paid.3" where properties.country == "none"]',
      },
      least: 3,
    },
    'sequence in EQL by visitor, some found, 30 d': {
      path: '/v1/eql',
      body: {
        project_id: projectId,
        range: '30d',
        query:
          'sequence by properties.visitor with maxspan=1h ["order.paid.1" where true] ["order.paid.2" where log.status == 500] | tail 10',
      },
      least: 3,
    },
    'event in EQL by a rare text, 30 d': {
      path: '/v1/eql',
      body: { project_id: projectId, range: '30d', query: 'any where stringContains(message, "needle")' },
    },
    'endpoints under a filter, 30 d': {
      path: `/v1/performance/endpoints?project_id=${projectId}&range=30d&severity=info`,
    },
  };
}

export async function run() {
  const stops = [];
  const { access: clickHouse, env: store } = await startClickHouse(stops, 'bench_events');
  const server = await startDatabase();
  const dataDir = await newDataDir();
  stops.push(
    () => rm(dataDir, { recursive: true, force: true }),
    () => server.stop(),
  );
  try {
    const database = await server.database('bench_event_store', { migrated: true });
    const start = (env, options) =>
      startService({ databaseUrl: database.url, dataDir, env: { PROCESS_ROLE: 'api', ...env }, ...options });
    const kept = await start({});
    stops.push(() => kept.stop());
    const { email, password, organizationId, projectId, bearer } = await workspace(kept);
    await liftQuotas(database);
    const large = await projectOf(kept, bearer, organizationId, 'large');
    const others = await makeTenants(database, { organizations: OTHER_PROJECTS, keysEach: 1, prefix: 'other' });
    await server.filling(async () => {
      await makeRows(database, [large], EVENTS, { more: VISITORS });
      const ofOthers = [projectId, ...others.map((one) => one.projectId)];
      await makeRows(database, ofOthers, OTHER_EVENTS, { inBlocks: true });
      await indexClosedMonths(database);
      await countRows(database);
    });
    await database.query('VACUUM (ANALYZE)');
    const moved = await move({ DATABASE_URL: database.url, DATA_DIR: dataDir, ...store });
    const [{ events }] = await database.query('SELECT count(*)::int AS events FROM events');
    const copied = await start({ ...store, EVENT_STORE: 'clickhouse' });
    stops.push(() => copied.stop());
    const tokens = await Promise.all([kept, copied].map((one) => signedIn(one, email, password)));
    const asked = Object.entries(questions(large)).filter(([name]) => name.includes(QUESTION));
    const table = [];
    const atFirst = { kept: residentMegabytes(kept.pid), copied: residentMegabytes(copied.pid) };
    let unhurried = null;
    /** Returns the milliseconds that PostgreSQL needs for a question that is otherwise refused after eight seconds. */
    const withoutLimit = async (question) => {
      if (unhurried === null) {
        unhurried = await start({}, { nodeArguments: ['--import', UNHURRIED] });
        stops.push(() => unhurried.stop());
      }
      const token = await signedIn(unhurried, email, password);
      const times = [];
      for (let time = 0; time < 2; time += 1) times.push((await ask(unhurried, token, question)).ms ?? Number.NaN);
      return shortened(Math.min(...times));
    };
    for (const [name, question] of asked) {
      const one = await inTurns(
        () => ask(kept, tokens[0], question),
        () => ask(copied, tokens[1], question),
      );
      const readers = {};
      for (const [store, target, token] of question.most === undefined
        ? []
        : [
            ['kept', kept, tokens[0]],
            ['copied', copied, tokens[1]],
          ])
        readers[store] = await atOnce(target, token, question);
      const isRefused = typeof one.kept === 'string' && typeof one.copied === 'number';
      const patient = isRefused && question.least !== undefined ? await withoutLimit(question) : null;
      const memory = { kept: residentMegabytes(kept.pid), copied: residentMegabytes(copied.pid) };
      table.push({ name, question, ...one, patient, readers, memory });
    }
    const memory = { kept: residentMegabytes(kept.pid), copied: residentMegabytes(copied.pid) };
    for (const one of [kept, copied]) await one.stop();
    const replication = 'shipping'.includes(QUESTION) ? await replicationAlone(server, store) : [];
    const beside = 'ingestion'.includes(QUESTION) ? await ingestionBeside(server, store) : [];
    console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(await server.settings())}`);
    print(
      `${EVENTS.toLocaleString('en')} events of 30 days in one project, next to ${OTHER_PROJECTS} other projects`,
      table.map(({ name, kept: ms, copied: other, patient, readers, memory: then }) => ({
        question: name,
        'p50 ms, PostgreSQL': ms,
        'without its limit': patient ?? '',
        'p50 ms, ClickHouse': other,
        [`p95 ms of ${READERS} readers, PostgreSQL`]: readers.kept?.p95 ?? '',
        [`p95 ms of ${READERS} readers, ClickHouse`]: readers.copied?.p95 ?? '',
        'MB, PostgreSQL / ClickHouse': `${then.kept} / ${then.copied}`,
      })),
    );
    const [{ bytes }] = await database.query(
      `SELECT sum(pg_total_relation_size(relid))::float8 AS bytes FROM pg_partition_tree('events')`,
    );
    const there = await bytesThere(clickHouse, store.CLICKHOUSE_DATABASE);
    console.log(
      `${Math.round(bytes / events)} bytes an event in PostgreSQL, ${Math.round(there / events)} in ClickHouse`,
    );
    console.log(
      `Memory of the service: ${memory.kept} MB on PostgreSQL, ${memory.copied} MB on ClickHouse; at the start ${atFirst.kept} and ${atFirst.copied} MB`,
    );
    print('Goals', [
      goal('bytes an event / in PostgreSQL', ratio(there / bytes), { most: 0.2 }),
      goal('backfill that compares each event: events a second', Math.round(events / moved.seconds), { least: 50_000 }),
      goal('backfill: events a second of processor time, all processes', Math.round(events / moved.busy), {
        least: 50_000,
      }),
      goal(
        'backfill: events a second of processor time, without ClickHouse',
        Math.round(events / (moved.busy - moved.engine)),
        { least: 50_000 },
      ),
      ...replication,
      ...beside,
      ...table.flatMap(({ name, question: { least, most }, kept: ms, copied: other, patient, readers }) => [
        ...(most === undefined ? [] : [goal(`${name}: p95 of ${READERS} readers, ms`, readers.copied.p95, { most })]),
        ...(least === undefined ? [] : [goal(`${name}: times faster`, ratio((patient ?? ms) / other), { least })]),
      ]),
    ]);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/**
 * Replicates every event to ClickHouse.
 * @returns the duration, the processor time of all measured processes, and that of ClickHouse, all in seconds
 */
async function move(env) {
  const [beganAt, before, there] = [performance.now(), measuredMicros(), clickHouseMicros()];
  const child = spawn(process.execPath, [CLI, 'migrate', '--event-store'], {
    env: { ...process.env, LOG_LEVEL: 'warn', ...env },
    stdio: 'inherit',
  });
  const over = once(child, 'exit');
  let busy = 0;
  // The time of a process is no longer counted after it has ended, so it is read while the process runs.
  const timer = setInterval(() => (busy = Math.max(busy, measuredMicros() - before)), 200);
  const [code] = await over;
  clearInterval(timer);
  if (code !== 0) throw new Error(`the backfill ended with ${code}`);
  const engine = clickHouseMicros() - there;
  return { seconds: (performance.now() - beganAt) / 1_000, busy: busy / 1_000_000, engine: engine / 1_000_000 };
}

async function bytesThere({ url, user, password }, database) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
    body: `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '${database}'`,
  });
  return Number(await answer.text());
}

async function ask({ url }, token, { path, body }) {
  const beganAt = performance.now();
  const answer = await fetch(url + path, {
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) return { ms: null, why: `answered ${answer.status} ${text.slice(0, 100)}` };
  return { ms: performance.now() - beganAt };
}

/** Runs several readers, each of which sends its next request after an answer. A refused question has no time. */
async function atOnce({ url }, token, { path }) {
  const requests = [{ path, headers: { Authorization: `Bearer ${token}` } }];
  const { p95, failed } = await load({ url, requests, connections: READERS, seconds: SECONDS });
  return { p95: failed > 0 ? Number.NaN : p95 };
}

/**
 * Runs both reads in turns, after a round that is not counted.
 * @returns for each the median in milliseconds, or the reason why it was refused
 */
async function inTurns(keptRead, copiedRead) {
  const [kept, copied] = [[], []];
  const startedAt = performance.now();
  for (let round = -1; round < MOST_ROUNDS; round += 1) {
    const [one, other] = [await keptRead(), await copiedRead()];
    if (one.ms === null || other.ms === null)
      return { kept: one.why ?? (await medianOf(keptRead)), copied: other.why ?? (await medianOf(copiedRead)) };
    if (round < 0) continue;
    kept.push(one.ms);
    copied.push(other.ms);
    if (round + 1 >= FEWEST_ROUNDS && performance.now() - startedAt > SECONDS * 1_000) break;
  }
  return { kept: shortened(median(kept)), copied: shortened(median(copied)) };
}

async function medianOf(read) {
  const times = [];
  for (let round = 0; round < FEWEST_ROUNDS; round += 1) times.push((await read()).ms ?? Number.NaN);
  return shortened(median(times));
}

function shortened(ms) {
  return Number(ms.toPrecision(3));
}
