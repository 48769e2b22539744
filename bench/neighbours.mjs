// Starts the servers that the service is compared with (the neighbours). Installs their packages before the first run.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EVENT, EVENT_BODY } from './event.mjs';
import { startProcess } from './processes.mjs';
import { emptyTables, makeTenants } from './tenants.mjs';

const FOLDER = fileURLToPath(new URL('neighbours/', import.meta.url));
const JSON_TYPE = { 'Content-Type': 'application/json' };

function install() {
  if (existsSync(`${FOLDER}node_modules/parse-server`)) return;
  console.log('Installing the packages of the neighbours, in the first run only…');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) throw new Error('the packages of the neighbours could not be installed');
}

/** @returns for each server, by name: its process, its options for `load`, and a function that empties its tables */
export async function startNeighbours(server) {
  install();
  const started = [];
  const start = async (script, database) => {
    const target = await startProcess(`neighbours/${script}`, { env: database && { DATABASE_URL: database.url } });
    started.push(target);
    return target;
  };
  const inserting = async (script) => {
    const database = await server.database(`bench_${script.replaceAll(/\W/g, '_')}`);
    return {
      target: await start(script, database),
      order: { requests: [{ path: '/events', headers: JSON_TYPE, body: EVENT_BODY }] },
      prepare: () => database.query('TRUNCATE plain_events'),
    };
  };
  const queries = async () => {
    const database = await server.database('bench_queries', { migrated: true });
    const [{ key }] = await makeTenants(database, { organizations: 1, keysEach: 1, prefix: 'one' });
    return {
      target: await start('query-by-query.mjs', database),
      order: { requests: [{ path: '/events', headers: { ...JSON_TYPE, 'X-API-Key': key }, body: EVENT_BODY }] },
      prepare: () => emptyTables(database),
    };
  };
  const parse = async () => {
    const database = await server.database('bench_parse');
    const target = await start('parse.mjs', database);
    const headers = { ...JSON_TYPE, 'X-Parse-Application-Id': 'bench' };
    // The first object creates the table. It is sent alone, because parse-server cannot create the table twice at once.
    const first = await fetch(`${target.url}/parse/classes/Event`, {
      method: 'POST',
      headers,
      body: JSON.stringify(EVENT),
    });
    if (!first.ok) throw new Error(`parse-server: ${first.status} ${await first.text()}`);
    return {
      target,
      order: { requests: [{ path: '/parse/classes/Event', headers, body: EVENT_BODY }] },
      prepare: () => database.query('TRUNCATE "Event"'),
    };
  };
  const echo = async () => {
    const target = await startProcess('echo.mjs');
    started.push(target);
    return { target, order: { requests: [{ path: '/', headers: JSON_TYPE, body: EVENT_BODY }] } };
  };
  const shots = {
    'node:http echo': await echo(),
    'Express 5 + one INSERT': await inserting('express-insert.mjs'),
    'Fastify 5 + one INSERT': await inserting('fastify-insert.mjs'),
    'Nest + TypeORM save': await inserting('nest-typeorm.mjs'),
    'the same work, one query after the other': await queries(),
    'parse-server 9.10': await parse(),
  };
  return { shots, stop: () => Promise.all(started.map((one) => one.stop())) };
}
