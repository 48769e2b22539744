// Measures questions about ten million events of one project, each in turns with the best plain SQL for the same
// answer.
import { setTimeout as pause } from 'node:timers/promises';
import { startDatabase } from './database.mjs';
import { EVENT_BODY } from './event.mjs';
import { askerOf, OTHER_PROJECTS, SMALL_EVENTS, startFilledProject } from './filled-project.mjs';
import { goal, notMeasured, print, ratio } from './goal-table.mjs';
import { questions } from './insight-questions.mjs';
import { facts, residentMegabytes } from './machine.mjs';
import { median } from './processes.mjs';
import { printReads } from './reads.bench.mjs';
import { signedIn, startService, workspace } from './service.mjs';
import { CONNECTIONS, EVENTS, QUESTION, ROUNDS, SECONDS, TRIES } from './settings.mjs';
import { shoot } from './shots.mjs';
import { liftQuotas } from './tenants.mjs';
import { startWorker } from './worker.mjs';

/** Rounds of a question and of its SQL. Slow questions have fewer rounds. */
const [FEWEST_ROUNDS, MOST_ROUNDS] = [3, 30];

/**
 * With BENCH_FOLDER, the filled database stays in this folder. `npm run bench -- insight fill` fills it. Later runs
 * measure at once, with time ranges that end when it was filled. `insight reads` runs the reads of the bench `reads`
 * there, with time ranges that end now. `insight ingest` stores events there and in an empty database, in turns.
 */
export async function run([only] = []) {
  const { server, database, service, env, agent, stop, large, small, end, key, email, password, hours } =
    await startFilledProject();
  try {
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
    await stop();
  }
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
