// Sends a mixed load for ten minutes. There must be no error, memory must not grow, and the numbers of rows, of answers
// 200 and of metered events must be equal, by id.
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { startDatabase } from './database.mjs';
import { EVENT_BODY } from './event.mjs';
import { goal, print, ratio } from './goal-table.mjs';
import { load } from './load.mjs';
import { facts, residentMegabytes } from './machine.mjs';
import { median } from './processes.mjs';
import { startService, workspace } from './service.mjs';
import { SOAK_SECONDS } from './settings.mjs';
import { liftQuotas, makeTenants } from './tenants.mjs';

/** Metered requests are written at most this late. */
const SETTLED_MS = 6_000;

export async function measure() {
  const server = await startDatabase();
  const database = await server.database('bench_soak', { migrated: true });
  const service = await startService({ databaseUrl: database.url });
  const samples = [];
  const sampler = setInterval(() => samples.push(residentMegabytes(service.pid)), 5_000);
  try {
    const { bearer, projectId, key } = await workspace(service);
    await liftQuotas(database);
    const others = await makeTenants(database, { organizations: 10, keysEach: 5, prefix: 'many' });
    const file = `${await server.exchangeFolder()}/answered.txt`;
    await writeFile(file, '', { mode: 0o666 });
    const json = { 'Content-Type': 'application/json' };
    const asking = (key, more = {}) => ({
      path: '/v1/events/ingest',
      headers: { ...json, 'X-API-Key': key, ...more },
      body: EVENT_BODY,
    });
    const order = { url: service.url, seconds: SOAK_SECONDS };
    const collect = { field: 'ingested_event_id', file };
    const headers = { Authorization: `Bearer ${bearer}` };
    const kinds = {
      'ingest, one key': { requests: [asking(key)], connections: 24, collect },
      'ingest, 50 keys': { requests: others.map((one) => asking(one.key)), connections: 24, collect },
      'ingest, new idempotency key each': {
        requests: [asking(key, { 'Idempotency-Key': '{unique-in-run}' })],
        connections: 12,
        collect,
      },
      'refused input': {
        requests: [{ ...asking(key), body: '{"event_type":"a"}' }],
        connections: 1,
        expected: [422],
      },
      reads: {
        requests: [
          { path: `/v1/logs?project_id=${projectId}&limit=100`, headers },
          { path: `/v1/usage?project_id=${projectId}&period=24h`, headers },
          { path: `/v1/projects/${projectId}/usage/daily`, headers },
          { path: '/v1/usage/current', headers: { 'X-API-Key': key } },
        ],
        connections: 2,
      },
    };
    const results = Object.fromEntries(
      await Promise.all(Object.entries(kinds).map(async ([name, kind]) => [name, await load({ ...order, ...kind })])),
    );
    await pause(SETTLED_MS);
    const account = await accountFor(database, file);
    return { results, account, samples, rows: goals(results, account, samples) };
  } finally {
    clearInterval(sampler);
    await service.stop();
    await server.stop();
  }
}

export async function run() {
  const { results, account, samples, rows } = await measure();
  console.log(`\n${facts()}; ${SOAK_SECONDS} s`);
  print(
    'Mixed load',
    Object.entries(results).map(([name, { requests, perSecond, p50, p99, failed }]) => ({
      name,
      requests,
      'req/s': perSecond,
      'p50 ms': p50,
      'p99 ms': p99,
      failed,
    })),
  );
  print('Events by id and by counter', [account]);
  console.log(`Resident memory in MB, every 5 s: ${samples.join(' ')}`);
  print('Goals', rows);
}

async function accountFor(database, file) {
  await database.asAdmin('CREATE TABLE answered (id uuid)');
  await database.asAdmin(`COPY answered FROM '${file}'`);
  await database.asAdmin('ANALYZE answered');
  await rm(file);
  const [account] = await database.asAdmin(`
    SELECT (SELECT count(*) FROM answered)::float8 AS answered,
           (SELECT count(DISTINCT id) FROM answered)::float8 AS distinct_answered,
           (SELECT count(*) FROM events)::float8 AS stored,
           (SELECT count(*) FROM answered a WHERE NOT EXISTS (SELECT FROM events e WHERE e.id = a.id))::float8 AS lost,
           (SELECT count(*) FROM events e WHERE NOT EXISTS (SELECT FROM answered a WHERE a.id = e.id))::float8 AS unanswered,
           (SELECT coalesce(sum(events_ingested), 0) FROM usage_daily)::float8 AS metered,
           (SELECT coalesce(sum(events), 0) FROM organization_months)::float8 AS counted_in_quota,
           (SELECT coalesce(sum(events), 0) FROM event_hours)::float8 AS in_hours,
           (SELECT coalesce(sum(events), 0) FROM event_facet_hours)::float8 AS in_facets,
           (SELECT coalesce(sum(events), 0) FROM event_facet_days)::float8 AS in_facet_days`);
  return account;
}

function goals(results, account, samples) {
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  // Caches are filled and code is compiled in the first tenth. After that, memory must not grow.
  const early = median(samples.slice(tenth, 2 * tenth).length > 0 ? samples.slice(tenth, 2 * tenth) : samples);
  const late = median(samples.slice(-tenth));
  const failed = Object.values(results).reduce((sum, one) => sum + one.failed, 0);
  const counts = [
    'answered',
    'distinct_answered',
    'metered',
    'counted_in_quota',
    'in_hours',
    'in_facets',
    'in_facet_days',
  ];
  const wrong = counts.filter((name) => account[name] !== account.stored).length + account.lost + account.unanswered;
  return [
    goal('failed requests', failed, { most: 0 }),
    goal('rows that are lost, unanswered or counted differently', wrong, { most: 0 }),
    goal('highest resident memory, MB', Math.max(...samples), { most: 220 }),
    goal('resident memory, last tenth / second tenth', ratio(late / early), { most: 1.1 }),
  ];
}
