// Measures questions about ten million events of one project, each in turns with the best plain SQL for the same
// answer.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startDatabase } from './database.mjs';
import { EVENT_BODY } from './event.mjs';
import { goal, notMeasured, print, ratio } from './goal-table.mjs';
import { DUE_HOURS, makeNames, questions } from './insight-questions.mjs';
import { facts, residentMegabytes } from './machine.mjs';
import { median } from './processes.mjs';
import { printReads } from './reads.bench.mjs';
import { countRows, indexClosedMonths, makeRows, VISITORS } from './rows.mjs';
import { projectOf, signedIn, startService, workspace } from './service.mjs';
import { CONNECTIONS, EVENTS, KEPT_FOLDER, QUESTION, ROUNDS, SECONDS, TRIES } from './settings.mjs';
import { shoot } from './shots.mjs';
import { liftQuotas, makeTenants } from './tenants.mjs';
import { startWorker } from './worker.mjs';

const SMALL_EVENTS = Math.min(100_000, EVENTS);
const OTHER_PROJECTS = 1_000;
const OTHER_EVENTS = Math.min(100_000, EVENTS);
const INTERNAL_TOKEN = 'internal-job-token-of-the-bench';
/** Rounds of a question and of its SQL. Slow questions have fewer rounds. */
const [FEWEST_ROUNDS, MOST_ROUNDS] = [3, 30];
/** This file in the kept folder describes the filled database. It is written last. */
const FILLING = 'filling.json';
/** The hours of the large project are aggregated in rounds of the worker, at most so many. */
const MOST_WORK_ROUNDS = 60;

/**
 * With BENCH_FOLDER, the filled database stays in this folder. `npm run bench -- insight fill` fills it. Later runs
 * measure at once, with time ranges that end when it was filled. `insight reads` runs the reads of the bench `reads`
 * there, with time ranges that end now. `insight ingest` stores events there and in an empty database, in turns.
 */
export async function run([only] = []) {
  const server = await startDatabase({ kept: KEPT_FOLDER });
  const database = await server.database('bench_insight', { migrated: true });
  const env = { INTERNAL_JOB_TOKEN: INTERNAL_TOKEN, PROCESS_ROLE: 'api' };
  const dataDir = KEPT_FOLDER && (await serviceFolder(KEPT_FOLDER));
  const service = await startService({ databaseUrl: database.url, env, dataDir });
  const agent = new Agent({ keepAlive: true });
  try {
    const { large, small, end, key, email, password, hours } =
      (await keptFilling()) ?? (await fill({ server, database, service, agent }));
    if (only === 'fill') return;
    const bearer = await signedIn(service, email, password);
    const ask = askerOf(service, agent, bearer);
    await server.checkpoint();
    if (only === 'ingest') {
      console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(await server.settings())}`);
      print('Ingestion', [await ingestionBesideRows({ server, service, key })]);
      return;
    }
    if (only === 'reads') {
      console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(await server.settings())}`);
      await printReads({ service, database, bearer, large, small });
      return;
    }
    const table = await askAll({ service, database, ask, large, small, end });
    const shown = table.map(({ name, ours, best, growth, why }) => ({
      question: name,
      'p50 ms': ours ?? why,
      'p50 ms of the best SQL': best ?? '–',
      [`p50 / p50 at ${SMALL_EVENTS.toLocaleString('en')}`]: growth ?? '–',
    }));
    console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(await server.settings())}; ${hours}`);
    print(`${EVENTS.toLocaleString('en')} events in one project, next to ${OTHER_PROJECTS} other projects`, shown);
    print('Goals', table.flatMap(goalsOf));
    if (QUESTION === '')
      print('Ingestion', [await ingestionBesideWorker({ server, service, databaseUrl: database.url, env, key })]);
  } finally {
    agent.destroy();
    await service.stop();
    await server.stop();
  }
}

async function serviceFolder(kept) {
  const folder = join(kept, 'service');
  await mkdir(folder, { recursive: true, mode: 0o711 });
  return folder;
}

/** Returns the description of a database that an earlier run has filled, or null. */
async function keptFilling() {
  if (KEPT_FOLDER === undefined) return null;
  const text = await readFile(join(KEPT_FOLDER, FILLING), 'utf8').catch(() => null);
  if (text === null) return null;
  const filling = JSON.parse(text);
  if (filling.events !== EVENTS) throw new Error(`${KEPT_FOLDER} has ${filling.events} events, not ${EVENTS}`);
  return { ...filling, end: new Date(filling.end) };
}

async function fill({ server, database, service, agent }) {
  const beganAt = performance.now();
  const { bearer, projectId, organizationId, key, email, password } = await workspace(service);
  await liftQuotas(database);
  const large = await projectOf(service, bearer, organizationId, 'large');
  const small = await projectOf(service, bearer, organizationId, 'small');
  const others = await makeTenants(database, { organizations: OTHER_PROJECTS, keysEach: 1, prefix: 'other' });
  const end = await server.filling(async () => {
    const end = await makeRows(database, [large], EVENTS, { more: VISITORS });
    await makeRows(database, [small], SMALL_EVENTS, { more: VISITORS });
    // Each of these projects has events in one or two hours, because the worker aggregates each hour separately.
    const ofOthers = [projectId, ...others.map((one) => one.projectId)];
    await makeRows(database, ofOthers, OTHER_EVENTS, { inBlocks: true });
    await makeNames(database, large, organizationId);
    await indexClosedMonths(database);
    await countRows(database);
    return end;
  });
  const hours = await addUpHours(askerOf(service, agent, bearer), database, [large, small]);
  const filling = { events: EVENTS, large, small, end, key, email, password, hours };
  const took = Math.round((performance.now() - beganAt) / 1_000);
  const [{ size }] = await database.query('SELECT pg_size_pretty(pg_database_size(current_database())) AS size');
  console.log(`filled in ${took} s, ${size}`);
  if (KEPT_FOLDER !== undefined) await writeFile(join(KEPT_FOLDER, FILLING), JSON.stringify(filling));
  return filling;
}

/** Returns a function that sends a request, and resolves to the status, the text and the milliseconds until its end. */
function askerOf(service, agent, bearer) {
  const ask = ({ path, body, headers = {} }) =>
    new Promise((resolve, reject) => {
      const beganAt = performance.now();
      const sent = httpRequest(new URL(path, service.url), {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json', ...headers },
      });
      sent.on('error', reject).on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => (text += part));
        response.on('error', reject).on('end', () => {
          resolve({ ms: performance.now() - beganAt, status: response.statusCode, text });
        });
      });
      sent.end(body);
    });
  return ask;
}

/** Runs rounds of the worker until no hour of the projects is due. @returns a text for the output */
async function addUpHours(ask, database, projects) {
  const [{ there }] = await database.query(`SELECT to_regclass('hour_rollups') IS NOT NULL AS there`);
  if (!there) return 'no hourly rollups';
  for (let round = 1; round <= MOST_WORK_ROUNDS; round += 1) {
    const { status, text } = await ask({
      path: '/internal/jobs/maintenance',
      body: '',
      headers: { 'X-Internal-Token': INTERNAL_TOKEN },
    });
    const [{ due }] = await database.query(DUE_HOURS, [projects]);
    process.stdout.write(`\rround ${round}: ${status}, ${due} hours due `);
    if (status !== 200 && status !== 503) throw new Error(`a round answered ${status} ${text}`);
    if (due === 0) {
      process.stdout.write('\n');
      await database.query('VACUUM (ANALYZE)');
      return `hours aggregated in ${round} rounds`;
    }
  }
  throw new Error(`hours are still due after ${MOST_WORK_ROUNDS} rounds`);
}

async function askAll({ service, database, ask, large, small, end }) {
  const table = [];
  const ofSmall = questions(small, end);
  for (const [name, question] of Object.entries(questions(large, end))) {
    if (!name.includes(QUESTION)) continue;
    const { request, growth } = question;
    const first = await ask(request);
    if (first.status !== 200) {
      const why = `answered ${first.status}`;
      process.stdout.write(`${name}: ${why} ${first.text}\n`);
      table.push({ name, why });
      continue;
    }
    const bestOf = sqlOf(database, question, large);
    const idle = residentMegabytes(service.pid);
    const memory = watchMemory(service.pid);
    let measured;
    try {
      const { ours, best } = await inTurns(() => askedAgain(ask, name, request), bestOf);
      const before = growth && (await inTurns(() => askedAgain(ask, name, ofSmall[name].request)));
      measured = { ours, best, before };
    } catch (error) {
      process.stdout.write(`${error.message}\n`);
      table.push({ name, why: error.message.slice(0, 80) });
      continue;
    } finally {
      memory.stop();
    }
    const { ours, best, before } = measured;
    table.push({
      name,
      question,
      ours: shortened(ours),
      best: best && shortened(best),
      growth: before && ratio(ours / before.ours),
      memory: memory.stop() - idle,
      perSecond: candidatesOf(first, ours),
    });
    process.stdout.write(`${name}: ${shortened(ours)} ms; best SQL ${best === undefined ? '–' : shortened(best)} ms\n`);
  }
  return table;
}

async function askedAgain(ask, name, request) {
  const { ms, status, text } = await ask(request);
  if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
  return ms;
}

/** Runs both in turns, after a round that is not counted. @returns the medians in milliseconds */
async function inTurns(ask, best) {
  const [ours, others] = [[], []];
  const startedAt = performance.now();
  for (let round = -1; round < MOST_ROUNDS; round += 1) {
    const took = await ask();
    const bestTook = await best?.();
    if (round < 0) continue;
    ours.push(took);
    if (bestTook !== undefined) others.push(bestTook);
    if (round + 1 >= FEWEST_ROUNDS && performance.now() - startedAt > SECONDS * 1_000) break;
  }
  return { ours: median(ours), best: best && median(others) };
}

/** Returns a function that measures, in milliseconds, the statements, or a cursor that is read as the service does. */
function sqlOf(database, { sql, cursor }, projectId) {
  if (sql !== undefined) {
    return async () => {
      const beganAt = performance.now();
      for (const text of sql) await database.query(text, [projectId]);
      return performance.now() - beganAt;
    };
  }
  if (cursor === undefined) return undefined;
  return async () => {
    const beganAt = performance.now();
    await database.query('BEGIN');
    await database.query(`DECLARE candidates NO SCROLL CURSOR FOR ${cursor}`, [projectId]);
    while ((await database.query('FETCH 1000 FROM candidates')).length > 0);
    await database.query('COMMIT');
    return performance.now() - beganAt;
  };
}

/** Watches the resident memory of a process. `stop` returns the highest value in MB. */
function watchMemory(pid) {
  let most = residentMegabytes(pid);
  const timer = setInterval(() => (most = Math.max(most, residentMegabytes(pid))), 50);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

function candidatesOf({ text }, ms) {
  const { scanned } = JSON.parse(text);
  return scanned === undefined ? undefined : Math.round((scanned / ms) * 1_000);
}

function shortened(ms) {
  return Number(ms.toPrecision(3));
}

function goalsOf({ name, question, ours, best, growth, memory, perSecond, why }) {
  if (why !== undefined) return [notMeasured(name, why)];
  const { most, plus = 0, mostMs, candidatesPerSecond } = question;
  const less = plus === 0 ? '' : ` less ${plus} ms`;
  return [
    ...(best === undefined ? [] : [goal(`${name}:${less} / SQL`, ratio(Math.max(0, ours - plus) / best), { most })]),
    ...(mostMs === undefined ? [] : [goal(`${name}: p50, ms`, ours, { most: mostMs })]),
    ...(candidatesPerSecond === undefined
      ? []
      : [goal(`${name}: candidates a second`, perSecond, { least: candidatesPerSecond })]),
    ...(question.memory === undefined ? [] : [goal(`${name}: memory, MB`, memory, { most: question.memory })]),
    ...(growth === undefined
      ? []
      : [goal(`${name}: growth from ${SMALL_EVENTS.toLocaleString('en')}`, growth, { most: question.growth })]),
  ];
}

/** A measurement that sends one event in each request. */
function shotOf(target, key) {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
  const requests = [{ path: '/v1/events/ingest', headers, body: EVENT_BODY }];
  return { target, order: { requests, connections: CONNECTIONS } };
}

/**
 * Compares the requests a second into the filled database and into an empty one. The filled one may be older, so this
 * measures the cost of its rows and not that of the vacuum and the checkpoints after the bulk insert.
 */
async function ingestionBesideRows({ server, service, key }) {
  const other = await startDatabase();
  const database = await other.database('bench_empty', { migrated: true });
  const empty = await startService({ databaseUrl: database.url, env: { PROCESS_ROLE: 'api' } });
  try {
    const { key: otherKey } = await workspace(empty);
    await liftQuotas(database);
    const checkpoint = async () => {
      await server.checkpoint();
      await other.checkpoint();
    };
    const shots = { none: shotOf(empty, otherKey), full: shotOf(service, key) };
    const { none, full } = await shoot(shots, { seconds: SECONDS, rounds: ROUNDS, tries: TRIES, checkpoint });
    const name = `ingestion with ${EVENTS.toLocaleString('en')} rows / with none`;
    return goal(name, ratio(full.perSecond / none.perSecond), { least: 0.9 });
  } finally {
    await empty.stop();
    await other.stop();
  }
}

/** Compares the requests a second with a worker process, which aggregates the new events, and without one. */
async function ingestionBesideWorker({ server, service, databaseUrl, env, key }) {
  let worker = null;
  const setWorker = async (isWanted) => {
    if (isWanted && worker === null) {
      worker = await startWorker({ databaseUrl, env: { INTERNAL_JOB_TOKEN: env.INTERNAL_JOB_TOKEN } });
      // The worker finishes the rounds that it runs at its start.
      await pause(2_000);
    } else if (!isWanted && worker !== null) {
      await worker.stop();
      worker = null;
    }
  };
  const shot = (isWanted) => ({ ...shotOf(service, key), prepare: () => setWorker(isWanted) });
  try {
    const settings = { seconds: SECONDS, rounds: ROUNDS, tries: TRIES, checkpoint: server.checkpoint };
    const { off, on } = await shoot({ off: shot(false), on: shot(true) }, settings);
    return goal('ingestion with the worker that aggregates hours / without', ratio(on.perSecond / off.perSecond), {
      least: 0.98,
    });
  } finally {
    await setWorker(false);
  }
}
