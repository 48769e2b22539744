import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { MIGRATIONS } from '../../../migrations/index.js';
import { cleanUp, cleanups, query, start, temporaryFolder } from '../../support/embedded-database.js';
import { createEmptyDatabase, createTestDatabase } from '../../support/postgres.js';
import { testRedisUrl } from '../../support/redis.js';
import { CLEAN_EXIT, eventually, startService, startWorker } from '../../support/service-process.js';
import { call, HEALTH, ingestMessage, meMessage, openAccount, storedEvents } from '../../support/service-traffic.js';

afterEach(cleanUp);

async function createDatabase(create: typeof createTestDatabase): Promise<string> {
  const database = await create();
  cleanups.push(() => database.drop());
  return database.url;
}

async function jobRuns(databaseUrl: string): Promise<{ name: string; at: string; error: string | null }[]> {
  const rows = await query(
    databaseUrl,
    `SELECT name, last_run_at::text AS at, last_error AS error FROM job_runs WHERE name = 'maintenance'`,
  );
  return rows as { name: string; at: string; error: string | null }[];
}

describe('an empty database', () => {
  it('is migrated once when two services start at the same time, and shared by them', async () => {
    const [dataDir, databaseUrl] = [await temporaryFolder(), await createDatabase(createEmptyDatabase)];
    const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    const services = await Promise.all([startService({ env }), startService({ env })]);
    expect(services.filter((service) => service.stdout.includes('"message":"migrations applied"'))).toHaveLength(1);
    const names = MIGRATIONS.map((migration) => ({ name: new migration().name }));
    expect(await query(databaseUrl, 'SELECT name FROM migrations ORDER BY "timestamp"')).toEqual(names);

    const account = await openAccount(services[0].url, dataDir);
    expect(await call(services[1].url, meMessage(account))).toMatchObject({ status: 200 });
    for (const service of services) expect(await service.stop()).toEqual(CLEAN_EXIT);
  });
});

describe('a service on a database of its operator', () => {
  it('starts none of its own and takes its jobs from Redis where there is one', async () => {
    const [dataDir, databaseUrl] = [await temporaryFolder(), await createDatabase(createEmptyDatabase)];
    const connection = { url: testRedisUrl() };
    const redis = new Redis(connection.url);
    cleanups.push(() => redis.quit());
    await redis.flushdb();

    const service = await startService({
      env: { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, REDIS_URL: connection.url },
    });
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
    const [scheduled] = await eventually(
      () => jobRuns(databaseUrl),
      (runs) => runs.length > 0,
    );
    expect(scheduled).toMatchObject({ name: 'maintenance', error: null });
    // A Redis that a busy machine holds up counts as away for a moment.
    const health = await eventually(
      () => call(service.url, HEALTH),
      ({ body }) => (body as { status: string }).status === 'ok',
    );
    expect(health).toMatchObject({
      status: 200,
      body: { status: 'ok', checks: { database: 'ok', redis: 'ok', queue: 'ok', workers: 'healthy' } },
    });
    expect(await query(databaseUrl, `SELECT to_regnamespace('bullmq') AS found`)).toEqual([{ found: null }]);

    const queue = new Queue('maintenance', { connection });
    cleanups.push(() => queue.close());
    await queue.add('maintenance', {}, { removeOnComplete: true });
    await eventually(
      () => jobRuns(databaseUrl),
      ([run]) => run?.at !== scheduled?.at,
    );
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });

  it('leaves the jobs to the worker process when it is the api', async () => {
    const [dataDir, databaseUrl] = [await temporaryFolder(), await createDatabase(createTestDatabase)];
    const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, INTERNAL_JOB_TOKEN: 'token-of-the-process-test' };
    const api = await startService({ env: { ...env, PROCESS_ROLE: 'api' } });
    const maintenance = async (): Promise<unknown> => {
      const headers = { 'X-Internal-Token': env.INTERNAL_JOB_TOKEN };
      const { body } = await call(api.url, { path: '/internal/jobs', headers });
      return (body as unknown as { name: string }[]).find(({ name }) => name === 'maintenance');
    };
    const listening = `SELECT count(*)::int AS listening FROM pg_stat_activity
                       WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%LISTEN bullmq_jobs%'`;
    expect(await query(databaseUrl, listening)).toEqual([{ listening: 0 }]);
    expect(await query(databaseUrl, 'SELECT 1 FROM bullmq.job UNION SELECT 1 FROM bullmq.scheduler')).toEqual([]);
    expect(await maintenance()).toMatchObject({ last_run_at: null, due: 0 });

    const worker = await startWorker(env);
    await eventually(
      () => jobRuns(databaseUrl),
      (runs) => runs.length > 0,
    );
    expect(await maintenance()).toMatchObject({ last_run_at: expect.any(String), last_error: null });
    expect(await call(api.url, HEALTH)).toMatchObject({
      status: 200,
      body: { status: 'ok', checks: { workers: 'healthy' } },
    });
    // One connection listens for all workers, once one of them waits for a job.
    await eventually(
      () => query(databaseUrl, listening),
      ([row]) => (row as { listening: number }).listening === 1,
    );
    expect(await worker.stop()).toEqual(CLEAN_EXIT);

    await query(databaseUrl, 'DELETE FROM job_runs');
    await query(databaseUrl, `UPDATE bullmq.job SET state = 'waiting'`);
    await query(databaseUrl, `SELECT pg_notify('bullmq_jobs', 'maintenance')`);
    expect(await maintenance()).toMatchObject({ due: 1 });
    expect(await query(databaseUrl, listening)).toEqual([{ listening: 0 }]);
    await startWorker(env);
    await eventually(
      () => jobRuns(databaseUrl),
      (runs) => runs.length > 0,
    );
    expect(await api.stop()).toEqual(CLEAN_EXIT);
  });
});

describe('a database that goes away', () => {
  it('makes the service answer 503 until it is back, and the service goes on without a restart', async () => {
    const [dataDir, cluster] = [await temporaryFolder(), await temporaryFolder()];
    const database = await start(cluster);
    const service = await startService({ env: { DATA_DIR: dataDir, DATABASE_URL: database.url } });
    const account = await openAccount(service.url, dataDir);
    const health = (): ReturnType<typeof call> => call(service.url, HEALTH);
    const ingest = (id: string): ReturnType<typeof call> => call(service.url, ingestMessage(account, id));
    expect(await ingest('before')).toMatchObject({ status: 200 });
    await database.stop();
    await eventually(health, ({ status, body }) => status === 503 && body.status === 'down');
    expect((await ingest('meanwhile')).status).toBeGreaterThanOrEqual(500);

    const again = await start(cluster);
    expect(again.port).toBe(database.port);
    await eventually(health, ({ status, body }) => status === 200 && body.status === 'ok');
    expect(await ingest('after')).toMatchObject({ status: 200 });
    expect(await storedEvents(again.url)).toEqual({ ids: ['after', 'before'], counted: 2 });
    expect(service.isRunning).toBe(true);

    await again.stop();
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });
});
