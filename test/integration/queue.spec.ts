import { getQueueToken } from '@nestjs/bullmq';
import { Logger, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Queue } from 'bullmq';
import { type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type JsonSafe } from '../../src/platform/queue/job-definition.js';
import {
  defineJob,
  type JobContext,
  type JobDeclaration,
  type JobDefinition,
  JobHandler,
  JobQueue,
  JobWiringError,
  type NoPayload,
  type QueueBackend,
  QueueModule,
  type QueueOptions,
} from '../../src/platform/queue/index.js';
import { eventuallyPasses } from '../support/eventually.js';
import { type TcpGate } from '../support/fixtures/tcp-gate.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';
import { hasRedis, testRedisUrl } from '../support/redis.js';

const JOB_RUNS = `CREATE TABLE job_runs (
  name text PRIMARY KEY,
  last_run_at timestamptz NOT NULL,
  last_duration_ms integer NOT NULL,
  last_error text
)`;

const greetJob = defineJob<{ to: string; tags: readonly string[] }, string>({ name: 'greet' });
const flakyJob = defineJob<NoPayload>({
  name: 'flaky',
  attempts: 3,
  backoff: { type: 'exponential', delayMs: 20 },
});
const endlessJob = defineJob<NoPayload>({ name: 'endless' });

type Run<P> = (payload: P, context: JobContext) => Promise<unknown>;

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

describe('a job declaration', () => {
  it('takes payloads that survive JSON and no others', () => {
    const kept: JsonSafe<{ id: string; list: readonly (number | null)[]; more?: boolean }> = {
      id: '1',
      list: [1, null],
    };
    const refused: [JsonSafe<Date>, JsonSafe<bigint>, JsonSafe<undefined>, JsonSafe<() => void>] extends never[]
      ? 'refused'
      : 'taken' = 'refused';
    expect([kept.id, refused]).toEqual(['1', 'refused']);
  });

  it.each(['', 'Upper', 'with:colon', '1st'])('refuses the name "%s"', (name) => {
    expect(() => defineJob<NoPayload>({ name })).toThrow(TypeError);
  });

  it('refuses no attempts at all and a schedule without an interval', () => {
    expect(() => defineJob<NoPayload>({ name: 'a', attempts: 0 })).toThrow(/attempts/);
    expect(() => defineJob<NoPayload>({ name: 'a', every: { ms: 0, payload: {} } })).toThrow(/every/);
  });
});

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

  it('runs an added job with its payload and keeps nothing of it', async () => {
    const runs = new Events<{ payload: object; context: JobContext }>();
    const run: Run<object> = async (payload, context) => runs.push({ payload, context });
    const { app, queue } = await start([greetJob], [handler(greetJob, async (p, c) => (await run(p, c), 'done'))]);
    await queue.add(greetJob, { to: 'Ada', tags: ['a'] }, { jobId: 'greet-ada-1' });
    const [first] = await runs.atLeast(1);
    expect(first?.payload).toEqual({ to: 'Ada', tags: ['a'] });
    expect(first?.context).toMatchObject({ jobId: 'greet-ada-1', attempt: 1 });
    await queue.add(greetJob, { to: 'Eve', tags: [] }, { delayMs: 1 });
    await runs.atLeast(2);
    await eventuallyPasses(async () => {
      const counts = await app.get<Queue>(getQueueToken('greet')).getJobCounts();
      expect(Object.values(counts).every((count) => count === 0)).toBe(true);
    });
  });

  it('takes a job id again once its job is done, and only once before', async () => {
    const runs = new Events<string>();
    const idle = await start([greetJob], [], { runWorkers: false });
    for (const to of ['first', 'second']) await idle.queue.add(greetJob, { to, tags: [] }, { jobId: 'same' });
    const { queue } = await start([greetJob], [handler(greetJob, async ({ to }) => (runs.push(to), to))]);
    await runs.atLeast(1);
    await eventuallyPasses(async () => {
      await queue.add(greetJob, { to: 'third', tags: [] }, { jobId: 'same' });
      expect(runs.all).toContain('third');
    });
    expect(runs.all.slice(0, 2)).toEqual(['first', 'third']);
  });

  it.each(['a:b', '17', ''])('refuses the job id "%s"', async (jobId) => {
    const { queue } = await start([greetJob], [], { runWorkers: false });
    await expect(queue.add(greetJob, { to: 'x', tags: [] }, { jobId })).rejects.toThrow(TypeError);
  });

  it('tries a failing job again after its backoff and remembers the last error', async () => {
    const attempts = new Events<number>();
    const { queue } = await start(
      [flakyJob],
      [
        handler(flakyJob, async (_payload, { attempt }) => {
          attempts.push(attempt);
          throw new Error(`no luck on try ${attempt}`);
        }),
      ],
    );
    await queue.add(flakyJob, {});
    expect(await attempts.atLeast(3)).toEqual([1, 2, 3]);
    const observer = await start([flakyJob], [], { runWorkers: false });
    await eventuallyPasses(async () => {
      const [state] = await observer.queue.state();
      expect(state).toMatchObject({ name: 'flaky', last_error: 'no luck on try 3', due: 0, every_ms: null });
      expect(state?.last_run_at).toBeInstanceOf(Date);
      expect(state?.last_duration_ms).toBeGreaterThanOrEqual(0);
    });
    expect(attempts.all).toHaveLength(3);
  });

  it('runs a job at once in this process and gives its result', async () => {
    const greet = handler(greetJob, async ({ to }) => `hello ${to}`);
    const { queue } = await start([greetJob], [greet], { runWorkers: false });
    expect(await queue.state()).toMatchObject([{ last_run_at: null, last_duration_ms: null, last_error: null }]);
    expect(await queue.runNow(greetJob, { to: 'Ada', tags: [] })).toBe('hello Ada');
    expect(await queue.state()).toMatchObject([{ last_run_at: expect.any(Date), last_error: null }]);
  });

  it('shows the last runs of all jobs when the due work of one cannot be counted', async () => {
    const greet = handler(greetJob, async ({ to }) => `hello ${to}`);
    const flaky = handler(flakyJob, async () => {
      throw new Error('no table');
    });
    const { queue } = await start([greetJob, flakyJob], [greet, flaky], { runWorkers: false });
    queue.runsEvery(flakyJob, 1_000, () => Promise.reject(new Error('no table')));
    await queue.runNow(greetJob, { to: 'Ada', tags: [] });
    await expect(queue.runNow(flakyJob, {})).rejects.toThrow('no table');
    await eventuallyPasses(async () =>
      expect(await queue.state()).toMatchObject([
        { name: 'greet', due: 0, last_error: null },
        { name: 'flaky', due: null, last_error: 'no table' },
      ]),
    );
  });

  it('counts the jobs that wait to be run', async () => {
    const { queue } = await start([greetJob], [], { runWorkers: false });
    await queue.add(greetJob, { to: 'a', tags: [] });
    await queue.add(greetJob, { to: 'b', tags: [] });
    expect(await queue.state()).toMatchObject([{ name: 'greet', due: 2 }]);
    expect(await queue.health()).toBe('ok');
  });

  it('finishes a running job before it closes', async () => {
    const order = new Events<string>();
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const { app, queue } = await start(
      [endlessJob],
      [
        handler(endlessJob, async (_payload, { signal }) => {
          order.push('started');
          await gate;
          order.push(signal.aborted ? 'aborted' : 'finished');
        }),
      ],
    );
    await queue.add(endlessJob, {});
    await order.atLeast(1);
    const closing = app.close().then(() => order.push('closed'));
    setImmediate(finish);
    await closing;
    expect(order.all).toEqual(['started', 'finished', 'closed']);
    const [state] = await (await start([endlessJob], [], { runWorkers: false })).queue.state();
    expect(state).toMatchObject({ last_run_at: expect.any(Date), last_error: null, due: 0 });
  });

  it('does not start with a job that has no handler, two handlers, or the name of another', async () => {
    const greet = () => handler(greetJob, async ({ to }) => to);
    const wiring = async (jobs: JobDeclaration[], handlers: Type[]) => {
      const app = await build(jobs, handlers);
      const error: unknown = await app.init().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(JobWiringError);
      return String(error);
    };
    expect(await wiring([greetJob], [])).toContain('"greet" has no handler');
    expect(await wiring([greetJob], [greet(), greet()])).toContain('"greet" has 2 handlers');
    expect(await wiring([greetJob, defineJob<NoPayload>({ name: 'greet', queue: 'other' })], [greet()])).toContain(
      '2 jobs are named "greet"',
    );
    expect(await wiring([], [greet()])).toContain('"greet", which is not registered');
  });

  it('starts without handlers where it only adds jobs', async () => {
    const { queue } = await start([greetJob], [], { runWorkers: false });
    await queue.add(greetJob, { to: 'x', tags: [] });
    await expect(queue.runNow(greetJob, { to: 'x', tags: [] })).rejects.toThrow(/no handler/);
  });
});
