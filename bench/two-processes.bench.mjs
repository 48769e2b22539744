// Checks that quotas and limits are exact with two API processes on one database, and measures what the second one
// adds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { startDatabase } from './database.mjs';
import { EVENT_BODY } from './event.mjs';
import { notMeasured, print, ratio } from './goal-table.mjs';
import { load, measured } from './load.mjs';
import { facts } from './machine.mjs';
import { announced, median, stopped } from './processes.mjs';
import { startService } from './service.mjs';
import { CONNECTIONS, ROUNDS, SECONDS } from './settings.mjs';
import { emptyTables, makeTenants } from './tenants.mjs';

const LEFT = 100;
const SENT = 1_000;

export async function measure() {
  const server = await startDatabase();
  const redis = await startRedis();
  const database = await server.database('bench_two', { migrated: true });
  const env = redis === null ? {} : { RATE_LIMIT_REDIS_URL: redis.url };
  const services = [];
  try {
    const keys = await makeTenants(database, { organizations: 4, keysEach: 1, prefix: 'two' });
    for (let count = 0; count < 2; count += 1) services.push(await startService({ databaseUrl: database.url, env }));
    const asking = ({ key }) => ({
      path: '/v1/events/ingest',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      body: EVENT_BODY,
    });
    /** Sends 1,000 events to both processes at the same time. Returns how many were accepted and stored. */
    const accepted = async (key, through = services) => {
      const shots = through.map(({ url }) =>
        load({
          url,
          requests: [asking(key)],
          connections: CONNECTIONS / through.length,
          count: SENT / through.length,
          expected: [200, 402, 403, 429],
        }),
      );
      const results = await Promise.all(shots);
      if (results.some((one) => one.failed > 0)) throw new Error(results.find((one) => one.failed > 0).firstFailure);
      const answered = results.reduce((sum, one) => sum + (one.statuses['200'] ?? 0), 0);
      const [{ stored }] = await database.query('SELECT count(*)::int AS stored FROM events WHERE project_id = $1', [
        key.projectId,
      ]);
      return answered === stored ? answered : `${answered} answered, ${stored} stored`;
    };

    const [monthly, daily, limited, plain] = keys;
    await database.query('UPDATE organizations SET events_per_month_limit = $2 WHERE id = $1', [
      monthly.organizationId,
      LEFT,
    ]);
    const byMonth = await accepted(monthly);
    await database.query(`UPDATE organizations SET plan = 'free', events_per_month_limit = 1000000000 WHERE id = $1`, [
      daily.organizationId,
    ]);
    await database.query(
      `INSERT INTO source_days (project_id, source_id, day, events, last_event_at)
       VALUES ($1, NULL, (now() AT TIME ZONE 'UTC')::date, $2, now())`,
      [daily.projectId, 10_000 - LEFT],
    );
    const byDay = await accepted(daily);
    const byRate = redis === null ? null : await rateLimited({ database, env, accepted, key: limited });
    const added = await secondProcess({ server, database, services, request: asking(plain) });
    const exactly = (quantity, reached) => ({
      quantity,
      reached,
      goal: `= ${LEFT}`,
      met: reached === LEFT ? 'yes' : 'NO',
    });
    return {
      added,
      rows: [
        exactly('accepted of 1,000 with 100 left in the month', byMonth),
        exactly('accepted of 1,000 with 100 left in the day', byDay),
        byRate === null
          ? notMeasured('accepted of 1,000 at a rate limit of 100', 'redis-server is not installed')
          : exactly('accepted of 1,000 at a rate limit of 100', byRate),
        {
          quantity: 'two processes / one, same connections',
          reached: ratio(added.two / added.one),
          goal: 'none',
          met: '',
        },
      ],
    };
  } finally {
    for (const service of services) await service.stop();
    await redis?.stop();
    await server.stop();
  }
}

export async function run() {
  const { added, rows } = await measure();
  console.log(`\n${facts()}`);
  console.log(`${added.one}/s through one process, ${added.two}/s through two, ${CONNECTIONS} connections in all`);
  print('Two processes on one database', rows);
}

async function rateLimited({ database, env, accepted, key }) {
  const limit = { ...env, RATE_LIMIT_OVERRIDES: `events=100000000/${LEFT}` };
  const pair = [];
  try {
    for (let count = 0; count < 2; count += 1) pair.push(await startService({ databaseUrl: database.url, env: limit }));
    return await accepted(key, pair);
  } finally {
    for (const service of pair) await service.stop();
  }
}

async function secondProcess({ server, database, services, request }) {
  const rates = { one: [], two: [] };
  const shot = ({ url, pid }, connections) =>
    measured(pid, { url, requests: [request], connections, seconds: SECONDS }).then((one) => {
      if (one.failed > 0) throw new Error(one.firstFailure);
      return one.perSecond;
    });
  for (const service of services) await shot(service, CONNECTIONS);
  for (let round = 0; round < ROUNDS; round += 1) {
    await emptyTables(database);
    await server.checkpoint();
    rates.one.push(await shot(services[0], CONNECTIONS));
    await emptyTables(database);
    await server.checkpoint();
    const both = await Promise.all(services.map((service) => shot(service, CONNECTIONS / 2)));
    rates.two.push(both.reduce((sum, one) => sum + one, 0));
  }
  return { one: median(rates.one), two: median(rates.two) };
}

/** Starts a Redis server. Returns null if the machine has no redis-server. */
export async function startRedis() {
  const port = await freePort();
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const failed = once(child, 'error').then(() => null);
  const ready = announced(child, /(Ready to accept connections)/).then(() => ({
    url: `redis://127.0.0.1:${port}`,
    stop: () => stopped(child),
  }));
  return Promise.race([failed, ready]);
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
