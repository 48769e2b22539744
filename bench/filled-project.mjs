// Fills a project with millions of events, with all counters and rollups, in a database that later runs can use again.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { startDatabase } from './database.mjs';
import { DUE_HOURS, makeNames } from './insight-questions.mjs';
import { countRows, indexClosedMonths, makeRows, VISITORS } from './rows.mjs';
import { projectOf, startService, workspace } from './service.mjs';
import { EVENTS, KEPT_FOLDER } from './settings.mjs';
import { liftQuotas, makeTenants } from './tenants.mjs';

export const SMALL_EVENTS = Math.min(100_000, EVENTS);
export const OTHER_PROJECTS = 1_000;
const OTHER_EVENTS = Math.min(100_000, EVENTS);
const INTERNAL_TOKEN = 'internal-job-token-of-the-bench';
/** This file in the kept folder describes the filled database. It is written last. */
const FILLING = 'filling.json';
/** The hours of the large project are aggregated in rounds of the worker, at most so many. */
const MOST_WORK_ROUNDS = 60;

/**
 * Starts a database and a service with a project `large` of {@link EVENTS} events, a project `small`, and others. With
 * BENCH_FOLDER, the filled database stays in this folder, and a later start finds it there.
 */
export async function startFilledProject() {
  const server = await startDatabase({ kept: KEPT_FOLDER });
  const database = await server.database('bench_insight', { migrated: true });
  const env = { INTERNAL_JOB_TOKEN: INTERNAL_TOKEN, PROCESS_ROLE: 'api' };
  const dataDir = KEPT_FOLDER && (await serviceFolder(KEPT_FOLDER));
  const service = await startService({ databaseUrl: database.url, env, dataDir });
  const agent = new Agent({ keepAlive: true });
  const stop = async () => {
    agent.destroy();
    await service.stop();
    await server.stop();
  };
  try {
    const filling = (await keptFilling()) ?? (await fill({ server, database, service, agent }));
    return { server, database, service, env, agent, ...filling, stop };
  } catch (error) {
    await stop();
    throw error;
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
export function askerOf(service, agent, bearer) {
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
