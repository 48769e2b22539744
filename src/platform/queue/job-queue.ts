import type { Queue } from 'bullmq';
import type { RequestHandler } from 'express';
import { randomUUID } from 'node:crypto';
import { type BoardOptions, makeBoard } from './board.js';
import type { JobDeclaration, JobDefinition } from './job-definition.js';
import { jobOptions } from './job-options.js';
import type { JobRunLog } from './job-run-log.js';
import type { JobRunner } from './job-runner.js';
import type { JobWorkers } from './job-workers.js';
import { describeError, QueueUnavailableError } from './queue-errors.js';
import { currentContext } from '../telemetry/index.js';
import { within } from '../concurrency/index.js';
import { connectionErrors } from './connection-errors.js';

/**
 * The time limit for counting due work, in milliseconds. Together with the reads before it, the count must end within
 * the time limit of a metric.
 */
const DUE_LIMIT_MS = 1_000;

export interface JobState {
  name: string;
  /** Null until the first run. The same applies to `last_duration_ms`. */
  last_run_at: Date | null;
  last_duration_ms: number | null;
  /** Null after a successful run. */
  last_error: string | null;
  /**
   * For a polled job, the amount of due work, or null while it cannot be counted. For any other job, the number of
   * waiting runs in the job's queue, or null while the backend does not answer.
   */
  due: number | null;
  /** The interval in milliseconds. Null for a job that runs only on demand. */
  every_ms: number | null;
}

/** The last run of a job that runs at an interval. */
export interface ScheduledRun {
  readonly everyMs: number;
  /** Whether the job also runs while the queue's backend is unavailable. */
  readonly isPolled: boolean;
  /** Null when the job has not run on this database yet. */
  readonly lastRunAt: Date | null;
  /** Null after a successful run. */
  readonly lastError: string | null;
}

export interface AddOptions {
  /**
   * While a job with this id is waiting or running, another job with the same id is ignored. Must not be a number or
   * contain ":".
   */
  jobId?: string;
  delayMs?: number;
}

export type QueueHealth = 'ok' | 'degraded' | 'down';

interface Polled {
  readonly ms: number;
  countDue(): Promise<number>;
}

export class JobQueue {
  private readonly polled = new Map<string, Polled>();

  constructor(
    private readonly jobs: readonly JobDeclaration[],
    private readonly queues: ReadonlyMap<string, Queue>,
    private readonly runner: JobRunner,
    private readonly workers: JobWorkers,
    private readonly log: JobRunLog,
    private readonly limitMs: number,
  ) {}

  /**
   * Adds a job to the queue. Rejects with a TypeError for an invalid id, and with QueueUnavailableError when the
   * backend does not confirm the job within the time limit. The backend may still accept the job after that.
   */
  async add<P extends object>(job: JobDefinition<P>, payload: NoInfer<P>, options: AddOptions = {}): Promise<void> {
    const { jobId, delayMs } = options;
    if (jobId !== undefined && !isJobId(jobId)) throw new TypeError(`"${jobId}" cannot be the id of a job`);
    const queue = this.queueOf(job);
    const metadata = currentContext()?.traceparent;
    await this.answer(() =>
      queue.add(job.name, payload, {
        ...jobOptions(job),
        jobId,
        delay: delayMs,
        ...(metadata !== undefined && { telemetry: { metadata } }),
      }),
    );
  }

  /** Runs a job in this process without the queue, and returns its result. Rejects with the error of the handler. */
  async runNow<P extends object, R>(job: JobDefinition<P, R>, payload: NoInfer<P>): Promise<R> {
    this.queueOf(job);
    const context = { jobId: `now-${randomUUID()}`, attempt: 1, signal: new AbortController().signal };
    const { result, recorded } = await this.runner.run(job.name, payload, context);
    await recorded;
    // @JobHandler ensures that the handler returns the result type of its job.
    return result as R;
  }

  /**
   * Registers a polled job, which other code runs with {@link runNow} every `ms` milliseconds in one of the processes.
   * Use it for work that must continue while the backend is unavailable. The state of the job then reports the
   * interval, and the result of `countDue` as the due work.
   */
  runsEvery(job: JobDeclaration, ms: number, countDue: () => Promise<number>): void {
    this.queueOf(job);
    this.polled.set(job.name, { ms, countDue });
  }

  /**
   * Returns the states of the declared jobs, in the order of their declaration. Works while the backend is unavailable,
   * because most of the state is in the database. Rejects with QueueUnavailableError when the database does not answer.
   */
  async state(): Promise<JobState[]> {
    const [runs, waiting] = await Promise.all([
      this.answer(() => this.log.read()),
      this.answer(() => this.countWaiting()).catch((error: unknown) => {
        connectionErrors.report('runs that wait', error);
        return null;
      }),
    ]);
    return Promise.all(
      this.jobs.map(async (job) => {
        const polled = this.polled.get(job.name);
        const runsInQueue = waiting === null ? null : (waiting.get(job.queue) ?? 0);
        return {
          name: job.name,
          ...(runs.get(job.name) ?? { last_run_at: null, last_duration_ms: null, last_error: null }),
          due: polled === undefined ? runsInQueue : await this.dueWork(polled),
          every_ms: job.every?.ms ?? polled?.ms ?? null,
        };
      }),
    );
  }

  /** Returns the last runs of all jobs with an interval. Reads only the database, so the backend may be unavailable. */
  async scheduledRuns(): Promise<ScheduledRun[]> {
    const runs = await this.log.read();
    return this.jobs.flatMap(({ name, every }) => {
      const polled = this.polled.get(name);
      const everyMs = every?.ms ?? polled?.ms;
      if (everyMs === undefined) return [];
      const run = runs.get(name);
      const [lastRunAt, lastError] = [run?.last_run_at ?? null, run?.last_error ?? null];
      return [{ everyMs, isPolled: every === undefined, lastRunAt, lastError }];
    });
  }

  /** Returns a request handler for a page that shows the queues. Mount it at the path in the options. */
  board(options: BoardOptions): Promise<RequestHandler> {
    return makeBoard(this.queues.values(), options);
  }

  /**
   * Returns `down` when the backend does not answer in time, and `degraded` when a worker of this process has stopped.
   */
  async health(): Promise<QueueHealth> {
    try {
      await this.answer(() => this.countWaiting());
    } catch {
      return 'down';
    }
    return this.workers.areRunning ? 'ok' : 'degraded';
  }

  private async countWaiting(): Promise<Map<string, number>> {
    const counts = [...this.queues].map(
      async ([name, queue]) => [name, await queue.getJobCountByTypes('waiting', 'prioritized')] as const,
    );
    return new Map(await Promise.all(counts));
  }

  /**
   * Returns null when the count fails, so that the other states are still reported. The job that reads the same tables
   * fails as well, and its state shows the error.
   */
  private async dueWork(polled: Polled): Promise<number | null> {
    try {
      return await within(DUE_LIMIT_MS, polled.countDue(), () => new Error(`no answer within ${DUE_LIMIT_MS} ms`));
    } catch (error) {
      connectionErrors.report('due work', error);
      return null;
    }
  }

  private queueOf(job: JobDeclaration): Queue {
    const queue = this.queues.get(job.queue);
    if (!queue || !this.jobs.includes(job)) throw new TypeError(`job "${job.name}" is not registered`);
    return queue;
  }

  private async answer<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await within(this.limitMs, ask(), () => new Error(`no answer within ${this.limitMs} ms`));
    } catch (error) {
      throw new QueueUnavailableError(describeError(error), error);
    }
  }
}

/**
 * Returns whether both backends accept the id. It must not be empty, contain ":", which they use as a separator, or be
 * a whole number, because they number jobs.
 */
function isJobId(id: string): boolean {
  return id.length > 0 && id.length <= 200 && !id.includes(':') && !/^\d+$/.test(id);
}
