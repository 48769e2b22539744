// Measures the deliveries of one worker: latency, rate, and whether deliveries are lost or arrive twice. The producer
// and the receivers run in this process, on loopback. The worker is a separate process. BENCH_SECONDS (default 15) is
// the length of the steady loads. BENCH_DELIVERIES (default 5000) is the size of the backlog, and of the queue of the
// tenant whose receivers hang. The bench takes about two minutes with the defaults, and less than four when all
// deliveries are late.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startRedisServer } from '../test/support/redis-server.mjs';

const WORKER = fileURLToPath(new URL('../dist/src/worker.js', import.meta.url));
const SECONDS = Number(process.env.BENCH_SECONDS ?? 15);
const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 5_000);
const RATE = 200;
const NEIGHBOUR_RATE = 20;
const MOST_OPEN = 10;
const POLL_SECONDS = 10;
/** The goals. The column `holds` of the table says whether they were met. */
const BAR = { p95Ms: 100, residentMb: 300 };

const dist = (path) => import(new URL(`../dist/src/${path}`, import.meta.url));

export async function run() {
  const results = [];
  for (const queue of ['postgres', 'redis']) {
    const site = await open(queue);
    try {
      results.push(await steady(site, `steady ${RATE}/s, queue in ${queue}`));
      if (queue === 'postgres') {
        results.push(await backlog(site));
        results.push(...(await neighbours(site)));
      } else {
        await site.redis.kill9();
        results.push(await steady(site, `steady ${RATE}/s, Redis stopped`, { p95Ms: POLL_SECONDS * 1_000 }));
      }
    } finally {
      await site.close();
    }
  }
  console.table(Object.fromEntries(results.map(({ name, ...result }) => [name, result])));
}

/** Starts a database, a worker, a producer that requests deliveries as alerts do, and receivers. */
async function open(queue) {
  const { startEmbeddedPostgres } = await dist('embedded-postgres/index.js');
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-delivery-'));
  await chmod(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, dataDirIsDefault: false });
  const redis = queue === 'redis' ? await startRedisServer() : null;
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    LOG_LEVEL: 'warn',
    OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
    DELIVERY_RETRY_POLL_SECONDS: String(POLL_SECONDS),
    ...(redis && { REDIS_URL: redis.url }),
  };
  const producer = await startProducer({ ...env, PROCESS_ROLE: 'api', LOG_LEVEL: 'silent' });
  const worker = spawn(process.execPath, [WORKER], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => worker.kill());
  const receivers = await startReceivers();
  const site = { ...producer, receivers, redis, pid: worker.pid };
  await warmUp(site);
  return {
    ...site,
    close: async () => {
      worker.kill('SIGTERM');
      if (worker.exitCode === null) await once(worker, 'exit');
      receivers.close();
      await producer.stop();
      await redis?.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function startProducer(env) {
  await import('reflect-metadata');
  const [{ NestFactory }, { AppModule }, { configOrExit, prepareRuntime }] = await Promise.all([
    import('@nestjs/core'),
    dist('app.module.js'),
    dist('runtime.js'),
  ]);
  const { Database } = await dist('platform/database/database.js');
  const { DeliveryRequestService } = await dist('modules/delivery/deliveries/index.js');
  const { newId } = await dist('platform/ids/index.js');
  const { config, logger } = configOrExit(env);
  const { runtime } = await prepareRuntime(config, logger);
  const app = await NestFactory.createApplicationContext(AppModule.for(runtime), { logger: false });
  const database = app.get(Database);
  const requests = app.get(DeliveryRequestService, { strict: false });
  return {
    database,
    newId,
    stop: () => app.close(),
    /** @returns the id of the attempt, and when its transaction was committed */
    deliver: async ({ projectId, channelId }) => {
      let committedAt = 0;
      const id = await database.transaction((tx) => {
        database.afterCommit(tx, () => (committedAt = performance.now()));
        const event = { event: 'payment.failed', properties: { amount: 12 } };
        return requests.ruleMatch(tx, { projectId, channelId, rule: { name: 'Bench' }, event, ruleId: null });
      });
      return { id, committedAt };
    },
  };
}

async function startReceivers() {
  const arrivals = new Map();
  const fast = createServer((request, response) => {
    const at = performance.now();
    const id = request.headers['x-service-delivery-id'];
    arrivals.set(id, [...(arrivals.get(id) ?? []), at]);
    request.resume();
    request.on('end', () => response.end());
  });
  const hanging = createServer((request) => request.resume());
  for (const server of [fast, hanging]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const urlOf = (server) => `http://127.0.0.1:${server.address().port}/`;
  return {
    arrivals,
    fastUrl: urlOf(fast),
    hangingUrl: urlOf(hanging),
    close: () => [fast, hanging].forEach((server) => (server.closeAllConnections(), server.close())),
  };
}

/** Creates an organization with one project and `channels` channels that all deliver to `url`. */
async function tenant({ database, newId }, url, channels) {
  const [userId, organizationId, projectId] = [newId(), newId(), newId()];
  await database.execute('INSERT INTO users (id, email, email_key) VALUES ($1::uuid, $1::uuid::text, $1::uuid::text)', [
    userId,
  ]);
  await database.execute(
    'INSERT INTO organizations (id, name, slug, owner_id) VALUES ($1::uuid, $1::uuid::text, $1::uuid::text, $2)',
    [organizationId, userId],
  );
  await database.execute(
    'INSERT INTO projects (id, organization_id, name, slug, owner_id) VALUES ($1::uuid, $2, $1::uuid::text, $1::uuid::text, $3)',
    [projectId, organizationId, userId],
  );
  const ids = Array.from({ length: channels }, newId);
  await database.execute(
    `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration)
     SELECT id, $2, 'bench', 'webhook', true, $3 FROM unnest($1::uuid[]) id`,
    [ids, projectId, JSON.stringify({ url, method: 'POST', headers: {} })],
  );
  return ids.map((channelId) => ({ projectId, channelId }));
}

async function warmUp(site) {
  const [channel] = await tenant(site, site.receivers.fastUrl, 1);
  for (let one = 0; one < 50; one += 1) await site.deliver(channel);
  await until(() => site.receivers.arrivals.size >= 50);
  site.receivers.arrivals.clear();
}

async function steady(site, name, bar = BAR) {
  const channels = await tenant(site, site.receivers.fastUrl, 10);
  const memory = watchMemory(site.pid);
  const sent = await produce(site, channels, RATE, SECONDS);
  const result = await judge(site, sent);
  const residentMb = memory.stop();
  const holds = result.p95 < bar.p95Ms && residentMb < BAR.residentMb && result.lost + result.doubled === 0;
  return { name, ...result, residentMb, holds };
}

/** Makes all deliveries due at once, as after a long outage. */
async function backlog(site) {
  const channels = await tenant(site, site.receivers.fastUrl, 100);
  const ids = Array.from({ length: DELIVERIES }, site.newId);
  await site.database.execute(
    `INSERT INTO delivery_attempts (id, project_id, channel_id, kind)
     SELECT id, $2, ($3::uuid[])[1 + n % 100], 'rule_match' FROM unnest($1::uuid[]) WITH ORDINALITY AS t (id, n)`,
    [ids, channels[0].projectId, channels.map(({ channelId }) => channelId)],
  );
  const memory = watchMemory(site.pid);
  await until(() => site.receivers.arrivals.size > 0, 30).catch(() => undefined);
  const startedAt = performance.now();
  const { lost, doubled } = await judge(
    site,
    ids.map((id) => ({ id, committedAt: startedAt })),
    Math.max(45, DELIVERIES / 50),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const residentMb = memory.stop();
  const perSecond = Math.round(ids.length / seconds);
  const holds = perSecond > RATE && lost + doubled === 0 && residentMb < BAR.residentMb;
  return { name: `backlog of ${ids.length}`, deliveries: ids.length, perSecond, lost, doubled, residentMb, holds };
}

/** Measures one tenant alone, then next to another tenant whose receivers all hang. */
async function neighbours(site) {
  const [channel] = await tenant(site, site.receivers.fastUrl, 1);
  const idle = await judge(site, await produce(site, [channel], NEIGHBOUR_RATE, SECONDS));
  const stuck = await tenant(site, site.receivers.hangingUrl, 100);
  for (let one = 0; one < DELIVERIES; one += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => site.deliver(stuck[(one + at) % stuck.length])));
  }
  const beside = await judge(site, await produce(site, [channel], NEIGHBOUR_RATE, SECONDS));
  await site.database.execute(
    `UPDATE delivery_attempts SET status = 'failed', retry_state = 'terminal', due_at = NULL
     WHERE project_id = $1 AND claim_token IS NULL AND due_at IS NOT NULL`,
    [stuck[0].projectId],
  );
  return [
    { name: 'a tenant alone', ...idle, holds: true },
    {
      name: `the same, with ${DELIVERIES} to hanging receivers`,
      ...beside,
      holds: beside.p95 <= 2 * Math.max(idle.p95, 5),
    },
  ];
}

/** Runs transactions at a rate. At most MOST_OPEN of them are open at a time, so a slow database lowers the rate. */
async function produce({ deliver }, channels, rate, seconds) {
  const sent = [];
  const open = new Set();
  const startedAt = performance.now();
  for (let one = 0; one < rate * seconds; one += 1) {
    const wait = startedAt + (one * 1_000) / rate - performance.now();
    if (wait > 1) await pause(wait);
    if (open.size >= MOST_OPEN) await Promise.race(open);
    const made = deliver(channels[one % channels.length])
      .then((delivery) => sent.push(delivery))
      .finally(() => open.delete(made));
    open.add(made);
  }
  await Promise.all(open);
  return sent;
}

/** Waits until all deliveries have arrived, and then half a second for those that might arrive twice. */
async function judge({ receivers: { arrivals } }, sent, waitSeconds = 20) {
  await until(() => sent.every(({ id }) => arrivals.has(id)), waitSeconds).catch(() => undefined);
  await pause(500);
  const seen = sent.map(({ id }) => arrivals.get(id) ?? []);
  const latencies = sent.flatMap(({ committedAt }, at) => seen[at].slice(0, 1).map((came) => came - committedAt));
  latencies.sort((a, b) => a - b);
  const share = (part) => Number((latencies[Math.floor(latencies.length * part)] ?? 0).toFixed(1));
  for (const { id } of sent) arrivals.delete(id);
  return {
    deliveries: sent.length,
    p50: share(0.5),
    p95: share(0.95),
    p99: share(0.99),
    lost: seen.filter((came) => came.length === 0).length,
    doubled: seen.filter((came) => came.length > 1).length,
  };
}

async function until(holds, seconds = 60) {
  for (const end = performance.now() + seconds * 1_000; !holds(); await pause(20)) {
    if (performance.now() > end) throw new Error('a condition was not met in time');
  }
}

/** Watches the largest resident size of a process. `stop` returns it in MB. */
function watchMemory(pid) {
  let largest = 0;
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    largest = Math.max(largest, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
  }, 250);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.round(largest);
    },
  };
}
