import type { Queue } from 'bullmq';
import type { Pool } from 'pg';
import type { JobDeclaration } from './job-definition.js';
import { jobOptions } from './job-options.js';
import type { QueueTimings } from './queue.options.js';
import { within } from '../concurrency/index.js';
import { connectionErrors } from './connection-errors.js';
import { asError } from '../errors/index.js';

/**
 * The id of an advisory lock, with which only one process of a database at a time repairs the schedules. The number is
 * arbitrary.
 */
const SCHEDULE_LOCK = 7_321_604_518;
/**
 * A schedule is broken, and not only delayed, when its next run is further from now than its interval and this time.
 */
const GRACE_MS = 30_000;

/**
 * Keeps one schedule in the backend for each job with `every`, whatever the number of processes, and removes the
 * schedules of jobs that are no longer declared. Schedules are checked repeatedly. If they were only created at start,
 * nothing would run after the backend has lost its data.
 */
export class JobSchedules {
  private timer?: NodeJS.Timeout;
  private mending?: Promise<void>;

  constructor(
    private readonly jobs: readonly JobDeclaration[],
    private readonly queues: ReadonlyMap<string, Queue>,
    private readonly pool: Pool,
    private readonly timings: QueueTimings,
  ) {}

  async start(): Promise<void> {
    await within(this.timings.start, this.mend(), () => new Error('the schedules could not be set in time'));
    this.timer = setInterval(() => {
      this.mending ??= this.mend()
        .catch((error: unknown) => connectionErrors.report('schedules', error))
        .finally(() => (this.mending = undefined));
    }, this.timings.scheduleCheck);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    const limit = this.timings.add;
    await within(limit, this.mending ?? Promise.resolve(), () => new Error('no answer in time')).catch(
      (error: unknown) => connectionErrors.report('schedules', error),
    );
  }

  /**
   * Repairs the schedules under a lock, because two processes that create the same schedule at once would start two
   * series of runs.
   */
  private async mend(): Promise<void> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    const onError = (error: Error) => (failure = error);
    client.on('error', onError);
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1::bigint)', [SCHEDULE_LOCK]);
      const work = [...this.queues.values()].map((queue) => this.mendQueue(queue));
      await within(this.timings.start, Promise.all(work), () => new Error('the queue does not answer'));
      await client.query('COMMIT');
    } catch (error) {
      failure = asError(error);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(failure);
    }
  }

  private async mendQueue(queue: Queue): Promise<void> {
    const wanted = this.jobs.filter((job) => job.queue === queue.name).filter(isScheduled);
    const there = await queue.getJobSchedulers();
    for (const { key } of there) {
      if (!wanted.some((job) => job.name === key)) await queue.removeJobScheduler(key);
    }
    for (const job of wanted) {
      const { ms, payload } = job.every;
      const scheduler = there.find(({ key }) => key === job.name);
      if (scheduler && scheduler.every === ms && isOnTime(scheduler.next, ms)) continue;
      if (scheduler) await queue.removeJobScheduler(job.name);
      await queue.upsertJobScheduler(job.name, { every: ms }, { name: job.name, data: payload, opts: jobOptions(job) });
    }
  }
}

function isScheduled(job: JobDeclaration): job is JobDeclaration & Required<Pick<JobDeclaration, 'every'>> {
  return job.every !== undefined;
}

function isOnTime(next: number | undefined, everyMs: number): boolean {
  return next !== undefined && Math.abs(next - Date.now()) <= everyMs + GRACE_MS;
}
