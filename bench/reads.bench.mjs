// Measures reads with ten million events in one project, next to a thousand other projects, and ingestion there.
import { startDatabase } from './database.mjs';
import { EVENT_BODY } from './event.mjs';
import { goal, notMeasured, print, ratio } from './goal-table.mjs';
import { load } from './load.mjs';
import { facts } from './machine.mjs';
import { median } from './processes.mjs';
import { countRows, indexClosedMonths, makeRows } from './rows.mjs';
import { projectOf, startService, workspace } from './service.mjs';
import { CONNECTIONS, ROUNDS, ROWS, SECONDS, TRIES } from './settings.mjs';
import { shoot } from './shots.mjs';
import { liftQuotas, makeTenants } from './tenants.mjs';

const SMALL_ROWS = Math.min(100_000, ROWS);
const OTHER_PROJECTS = 1_000;
const OTHER_ROWS = Math.min(1_000_000, ROWS);
/** Number of parallel readers for p95, whose goal is at most 50 ms. */
const READERS = 4;

const PAGE = `SELECT * FROM events WHERE project_id = $1 AND "timestamp" >= now() - interval '1 day'
              ORDER BY "timestamp" DESC, id DESC LIMIT`;
/** Time ranges begin in the middle of an hour. The rows of this first hour are counted one by one. */
const firstHour = (since) => `date_trunc('hour', now() - interval '${since}') + interval '1 hour'`;
const inFirstHour = (since) =>
  `project_id = $1 AND "timestamp" >= now() - interval '${since}' AND "timestamp" < ${firstHour(since)}`;
const totalOf = (since) =>
  `SELECT ((SELECT coalesce(sum(events), 0) FROM event_hours WHERE project_id = $1 AND hour >= ${firstHour(since)})
           + (SELECT count(*) FROM events WHERE ${inFirstHour(since)}))::float8`;
const DAYS = `
  SELECT day, sum(events)::float8 FROM (
    SELECT (hour AT TIME ZONE 'UTC')::date AS day, events FROM event_hours WHERE project_id = $1 AND hour >= ${firstHour('30 days')}
    UNION ALL
    SELECT ("timestamp" AT TIME ZONE 'UTC')::date, count(*) FROM events WHERE ${inFirstHour('30 days')} GROUP BY 1) counted
  GROUP BY 1 ORDER BY 1`;
const firstDay = `date_trunc('day', now() - interval '30 days') + interval '1 day'`;
const EVENT_TYPES = `
  SELECT event, sum(events)::float8 FROM (
    SELECT event, events FROM event_facet_days WHERE project_id = $1 AND day >= ${firstDay}
    UNION ALL
    SELECT event, events FROM event_facet_hours WHERE project_id = $1 AND hour >= ${firstHour('30 days')} AND hour < ${firstDay}
    UNION ALL
    SELECT event, count(*) FROM events WHERE ${inFirstHour('30 days')} GROUP BY 1) counted
  GROUP BY 1 ORDER BY 2 DESC`;

/**
 * Returns the reads by name. `sql` are the best statements for the same rows. `growth` also measures the small project.
 */
function endpoints(projectId) {
  const project = `/v1/projects/${projectId}`;
  return {
    'log list, 100 rows': { path: `/v1/logs?project_id=${projectId}`, sql: [`${PAGE} 100`], growth: true },
    'log list, 15 minutes': { path: `/v1/logs?project_id=${projectId}&range=15m` },
    'log list, filtered by method': { path: `/v1/logs?project_id=${projectId}&method=put` },
    // The current month has no search index yet, so its rows are read one by one.
    'log list, rare substring, 30 days': { path: `/v1/logs?project_id=${projectId}&range=30d&query=needle`, most: 50 },
    'explorer page with total, 24 h': {
      path: `${project}/events`,
      sql: [`${PAGE} 50`, totalOf('1 day')],
      growth: true,
      most: 30,
    },
    'explorer page with total, 30 days': {
      path: `${project}/events?range=30d`,
      sql: [`${PAGE} 50`, totalOf('30 days')],
      growth: true,
      most: 30,
    },
    'explorer page by event and severity, 30 days': {
      path: `${project}/events?range=30d&event=order.paid.3&severity=info`,
      most: 30,
    },
    'usage 30d': {
      path: `/v1/usage?project_id=${projectId}&period=30d`,
      sql: [EVENT_TYPES],
      growth: true,
    },
    'usage 24h': { path: `/v1/usage?project_id=${projectId}&period=24h` },
    'daily usage': { path: `${project}/usage/daily`, sql: [DAYS] },
    counts: { path: `/v1/events/counts?project_id=${projectId}` },
    names: { path: `/v1/events/names?project_id=${projectId}` },
    'raw events': { path: `/v1/events?project_id=${projectId}` },
    facets: { path: `${project}/events/facets` },
    'facets, 30 days': { path: `${project}/events/facets?range=30d` },
    'dashboard, with 7-day percentiles': { path: `${project}/dashboard`, most: 50 },
  };
}

export async function measure() {
  const server = await startDatabase();
  const database = await server.database('bench_reads', { migrated: true });
  const service = await startService({ databaseUrl: database.url });
  try {
    const { bearer, projectId: large, organizationId, key } = await workspace(service);
    await liftQuotas(database);
    const small = await projectOf(service, bearer, organizationId, 'small');
    const others = await makeTenants(database, { organizations: OTHER_PROJECTS, keysEach: 1, prefix: 'other' });
    const shot = (more) => ({
      target: service,
      order: {
        requests: [
          {
            path: '/v1/events/ingest',
            headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
            body: EVENT_BODY,
          },
        ],
        connections: CONNECTIONS,
      },
      ...more,
    });
    const settings = { seconds: SECONDS, rounds: ROUNDS, tries: TRIES, checkpoint: server.checkpoint };
    const { empty } = await shoot({ empty: shot() }, settings);
    await makeRows(database, [large], ROWS);
    await makeRows(database, [small], SMALL_ROWS);
    await makeRows(
      database,
      others.map((one) => one.projectId),
      OTHER_ROWS,
    );
    await indexClosedMonths(database);
    await countRows(database);
    await server.checkpoint();
    const table = await readAll({ service, database, bearer, large, small });
    const { full } = await shoot({ full: shot() }, settings);
    const beside = `ingestion with ${ROWS.toLocaleString('en')} rows / with none`;
    const rows = [...goals(table), goal(beside, ratio(full.perSecond / empty.perSecond), { least: 0.9 })];
    return { table, empty, full, rows, postgres: await server.settings() };
  } finally {
    await service.stop();
    await server.stop();
  }
}

export async function run() {
  const { table, empty, full, rows, postgres } = await measure();
  console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(postgres)}`);
  printTable(table);
  console.log(`Ingestion: ${empty.perSecond}/s into empty tables, ${full.perSecond}/s with these rows`);
  print('Goals', rows);
}

/** Measures the reads of a database that is already filled. `filled` has its projects and a bearer token. */
export async function printReads(filled) {
  const table = await readAll(filled);
  printTable(table);
  print('Goals', goals(table));
}

function printTable(table) {
  const shown = table.map(({ name, p50, p95, p50OfSql, growth, why }) => ({
    name,
    'p50 ms, one reader': p50 ?? why,
    [`p95 ms, ${READERS} readers`]: p95 ?? '–',
    'p50 ms of the best SQL': p50OfSql ?? '–',
    [`p50 / p50 at ${SMALL_ROWS.toLocaleString('en')}`]: growth ?? '–',
  }));
  print(`${ROWS.toLocaleString('en')} events in one project, next to ${OTHER_PROJECTS} other projects`, shown);
}

async function readAll({ service, database, bearer, large, small }) {
  const headers = { Authorization: `Bearer ${bearer}` };
  const ask = (path, more) => load({ url: service.url, requests: [{ path, headers }], ...more });
  const table = [];
  const ofSmall = endpoints(small);
  for (const [name, { path, sql, growth, most = 50 }] of Object.entries(endpoints(large))) {
    const probe = await ask(path, { connections: 1, count: 3, expected: [2, 4] });
    if (probe.statuses['200'] === undefined) {
      table.push({ name, why: `answered ${Object.keys(probe.statuses).join(', ')}` });
      continue;
    }
    const alone = await ask(path, { connections: 1, seconds: SECONDS });
    const together = await ask(path, { connections: READERS, seconds: SECONDS });
    // A search that would read too much is refused, alone or with parallel readers.
    const refused = [alone, together].find(({ statuses }) => statuses['503'] > 0);
    if (refused !== undefined) {
      const who = refused === alone ? 'one reader' : `${READERS} readers`;
      table.push({
        name,
        why: `${refused.statuses['503']} of ${refused.requests} requests of ${who} were refused (503)`,
      });
      continue;
    }
    const before = growth && (await ask(ofSmall[name].path, { connections: 1, seconds: SECONDS }));
    const failed = [alone, together, before].find((one) => one?.failed > 0);
    if (failed) throw new Error(`${name}:\n${failed.firstFailure}`);
    table.push({
      name,
      most,
      p50: alone.p50,
      p95: together.p95,
      p50OfSql: sql && (await p50Of(database, sql, large)),
      growth: before && ratio(alone.p50 / before.p50),
    });
  }
  return table;
}

let prepared = 0;

/** Returns the median milliseconds of all statements, one after another, on a separate connection. */
async function p50Of(database, statements, projectId) {
  const queries = statements.map((text) => ({ name: `best-${(prepared += 1)}`, text, values: [projectId] }));
  const times = [];
  for (let count = 0; count < 50; count += 1) {
    const startedAt = performance.now();
    for (const query of queries) await database.query(query);
    times.push(performance.now() - startedAt);
  }
  return Number(median(times).toFixed(2));
}

function goals(table) {
  return table.flatMap(({ name, p50, p95, p50OfSql, growth, most, why }) => {
    if (why !== undefined) return [notMeasured(name, why)];
    return [
      goal(`${name}: p95 of ${READERS} readers, ms`, p95, { most: 50 }),
      ...(most < 50 ? [goal(`${name}: p50, ms`, p50, { most })] : []),
      ...(p50OfSql === undefined
        ? []
        : [goal(`${name}: p50, ms; the best SQL takes ${p50OfSql} ms`, p50, { most: ratio(p50OfSql * 1.5 + 2) })]),
      ...(growth ? [goal(`${name}: growth from ${SMALL_ROWS.toLocaleString('en')} rows`, growth, { most: 2 })] : []),
    ];
  });
}
