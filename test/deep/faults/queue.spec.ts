import { getQueueToken } from '@nestjs/bullmq';
import { Logger, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Queue } from 'bullmq';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import {
  defineJob,
  type JobContext,
  type JobDeclaration,
  type JobDefinition,
  JobHandler,
  JobQueue,
  type NoPayload,
  type QueueBackend,
  QueueModule,
  type QueueOptions,
  QueueUnavailableError,
} from '../../../src/platform/queue/index.js';
import { eventuallyPasses } from '../../support/eventually.js';
import { startTcpGate, type TcpGate } from '../../support/fixtures/tcp-gate.js';
import { createEmptyDatabase, type TestDatabase } from '../../support/postgres.js';
import { hasRedis, testRedisUrl } from '../../support/redis.js';

const WORKER = fileURLToPath(new URL('../../support/fixtures/queue-worker.mjs', import.meta.url));
const JOB_RUNS = `CREATE TABLE job_runs (
  name text PRIMARY KEY,
  last_run_at timestamptz NOT NULL,
  last_duration_ms integer NOT NULL,
  last_error text
)`;

const greetJob = defineJob<{ to: string; tags: readonly string[] }, string>({ name: 'greet' });
const endlessJob = defineJob<NoPayload>({ name: 'endless' });
const tickJob = defineJob<{ reason: string }>({ name: 'tick', every: { ms: 200, payload: { reason: 'schedule' } } });

function handler<P extends object, R>(job: JobDefinition<P, R>, run: (payload: P, context: JobContext) => Promise<R>) {
  @JobHandler(job)
  class Handler {
    run(payload: P, context: JobContext): Promise<R> {
      return run(payload, context);
    }
  }
  return Handler;
}

/** Collects what happened and lets a test wait for the n-th of it. */
class Events<T> {
  readonly all: T[] = [];
  private wake: () => void = () => undefined;

  push(event: T): void {
    this.all.push(event);
    this.wake();
  }

  async atLeast(count: number): Promise<readonly T[]> {
    while (this.all.length < count) await new Promise<void>((resolve) => (this.wake = resolve));
    return this.all;
  }
}

beforeAll(() => Logger.overrideLogger(false));

describe.each<QueueBackend>(hasRedis ? ['postgres', 'redis'] : ['postgres'])('jobs on %s', (backend) => {
  let database: TestDatabase;
  let options: QueueOptions;
  const apps: TestingModule[] = [];
  const gates: TcpGate[] = [];
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    database = await createEmptyDatabase();
    await sql(JOB_RUNS);
    options = {
      backend,
      databaseUrl: database.url,
      redisUrl: backend === 'redis' ? testRedisUrl() : undefined,
      redisPrefix: randomBytes(6).toString('hex'),
      runWorkers: true,
      timings: { lock: 1_000, stalled: 300, scheduleCheck: 300 },
    };
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await Promise.all(apps.splice(0).map((app) => app.close()));
    for (const gate of gates.splice(0)) await gate.shut();
    await database.drop();
  });

  async function sql(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  }

  async function build(jobs: readonly JobDeclaration[], handlers: Type[], changes: Partial<QueueOptions> = {}) {
    return Test.createTestingModule({
      imports: [QueueModule.forRootAsync({ useFactory: () => ({ ...options, ...changes }), jobs })],
      providers: handlers,
    }).compile();
  }

  async function start(jobs: readonly JobDeclaration[], handlers: Type[], changes?: Partial<QueueOptions>) {
    const app = await build(jobs, handlers, changes);
    apps.push(app);
    await app.init();
    return { app, queue: app.get(JobQueue) };
  }

  /** The options with the backend behind a gate. */
  async function gated(): Promise<{ gate: TcpGate; changes: Partial<QueueOptions> }> {
    const gate = await startTcpGate(options.redisUrl ?? options.databaseUrl);
    gates.push(gate);
    const timings = { ...options.timings, add: 500 };
    return {
      gate,
      changes: backend === 'redis' ? { redisUrl: gate.url, timings } : { databaseUrl: gate.url, timings },
    };
  }

  it('closes without a job that does not finish in time, and aborts its signal', async () => {
    const contexts = new Events<JobContext>();
    const { app, queue } = await start(
      [endlessJob],
      [handler(endlessJob, (_payload, context) => new Promise<void>(() => contexts.push(context)))],
      { timings: { ...options.timings, close: 200 } },
    );
    await queue.add(endlessJob, {});
    await contexts.atLeast(1);
    await app.close();
    expect(contexts.all[0]?.signal.aborted).toBe(true);
  });

  it('refuses a job in bounded time while the backend is away, and takes it once it is back', async () => {
    const runs = new Events<string>();
    const { gate, changes } = await gated();
    const { queue } = await start([greetJob], [handler(greetJob, async ({ to }) => (runs.push(to), to))], changes);
    await queue.add(greetJob, { to: 'before', tags: [] });
    await runs.atLeast(1);

    await gate.shut();
    await expect(queue.add(greetJob, { to: 'away', tags: [] })).rejects.toThrow(QueueUnavailableError);
    expect(await queue.health()).toBe('down');
    await gate.open();
    await eventuallyPasses(() => queue.add(greetJob, { to: 'back', tags: [] }));
    await eventuallyPasses(async () => expect(runs.all).toContain('back'));

    gate.freeze();
    await expect(queue.add(greetJob, { to: 'frozen', tags: [] })).rejects.toThrow(QueueUnavailableError);
    const known = [{ name: 'greet', due: null, last_run_at: expect.any(Date) }];
    // What the database knows, where the backend is another one.
    if (backend === 'redis') expect(await queue.state()).toMatchObject(known);
    else await expect(queue.state()).rejects.toThrow(QueueUnavailableError);
    expect(await queue.health()).toBe('down');
    await gate.open();
  });

  it('closes although the backend went away before', async () => {
    const { gate, changes } = await gated();
    const { app, queue } = await start(
      [greetJob, tickJob],
      [handler(greetJob, async ({ to }) => to), handler(tickJob, async () => undefined)],
      changes,
    );
    await gate.shut();
    await app.close();
    await expect(queue.add(greetJob, { to: 'late', tags: [] })).rejects.toThrow(QueueUnavailableError);
  });

  it('does not start while the backend is away', async () => {
    const { gate, changes } = await gated();
    await gate.shut();
    const waiting = { ...changes, timings: { ...options.timings, start: 300 } };
    await expect(start([greetJob], [], { ...waiting, runWorkers: false })).rejects.toThrow(QueueUnavailableError);
  });

  it('waits at start for a backend that comes late', async () => {
    const { gate, changes } = await gated();
    await gate.shut();
    const starting = start([greetJob], [handler(greetJob, async ({ to }) => to)], changes);
    await sleep(100);
    await gate.open();
    await (await starting).queue.add(greetJob, { to: 'x', tags: [] });
  });

  it('starts in several processes at once on a database without its schema', async () => {
    const starts = Array.from({ length: 4 }, () => start([greetJob], [handler(greetJob, async ({ to }) => to)]));
    for (const { queue } of await Promise.all(starts)) expect(await queue.health()).toBe('ok');
  });

  it('runs each turn of a schedule once, whatever the number of workers', async () => {
    const turns = new Events<string>();
    const tick = () => handler(tickJob, async (_payload, { jobId }) => turns.push(jobId));
    await Promise.all([start([tickJob], [tick()]), start([tickJob], [tick()])]);
    await turns.atLeast(5);
    await start([tickJob], [tick()]);
    const ids = await turns.atLeast(8);
    expect(new Set(ids).size).toBe(ids.length);
    const times = ids.map((id) => Number(id.split(':').at(-1))).sort((a, b) => a - b);
    // Turns of one schedule lie an interval apart; those of a second schedule would lie in between.
    times.slice(1).forEach((time, i) => expect(time - (times[i] ?? 0)).toBeGreaterThanOrEqual(200));
  });

  it('sets a schedule again after the backend lost its data, and drops one that is no longer declared', async () => {
    const turns = new Events<string>();
    const { app } = await start([tickJob], [handler(tickJob, async ({ reason }) => turns.push(reason))]);
    await turns.atLeast(2);
    if (backend === 'redis') {
      const redis = new Redis(testRedisUrl());
      await redis.del(...(await redis.keys(`${options.redisPrefix}:*`)));
      await redis.quit();
    } else {
      // The workers' statements may deadlock with it.
      await eventuallyPasses(() => sql('TRUNCATE bullmq.job, bullmq.scheduler, bullmq.event, bullmq.meta CASCADE'));
    }
    const before = turns.all.length;
    await turns.atLeast(before + 3);
    await app.close();
    const once = defineJob<{ reason: string }>({ name: 'tick' });
    const later = await start([once], [handler(once, async () => undefined)]);
    expect(await later.app.get<Queue>(getQueueToken('tick')).getJobSchedulersCount()).toBe(0);
  });

  it('starts the job of a killed worker again', async () => {
    const child = fork(WORKER, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    children.push(child);
    const taken = once(child, 'message');
    const idle = await start([endlessJob], [], { runWorkers: false });
    await idle.queue.add(endlessJob, {}, { jobId: 'endless-1' });
    expect(await taken).toContain('endless-1');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const runs = new Events<string>();
    await start([endlessJob], [handler(endlessJob, async (_payload, { jobId }) => runs.push(jobId))]);
    expect(await runs.atLeast(1)).toEqual(['endless-1']);
  });
});
