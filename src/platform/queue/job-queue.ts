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
import { within } from '../concurrency/index.js';
import { connectionErrors } from './connection-errors.js';

export interface JobState {
  name: string;
  /** Null until the first run; the same for the duration. */
  last_run_at: Date | null;
  last_duration_ms: number | null;
  /** Null after a run that succeeded. */
  last_error: string | null;
  /** What waits to be worked on, where the job looks for it by itself; else runs in its queue, null while that does not answer. */
  due: number | null;
  /** Null for a job that runs when it is asked for alone. */
  every_ms: number | null;
}

/** When a job that runs again and again last did. */
export interface ScheduledRun {
  readonly everyMs: number;
  /** It runs while the queue's backend is away, too. */
  readonly isPolled: boolean;
  /** Null: it has not run on this database yet. */
  readonly lastRunAt: Date | null;
  /** Null after a run that succeeded. */
  readonly lastError: string | null;
}

export interface AddOptions {
  /** While a job of this id waits or runs, adding it again does nothing. Not a number, and without ":". */
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
   * Hands a job to the queue. Rejects with QueueUnavailableError within the time limit when the backend does not take
   * it (it may still do so later), and with TypeError for an id it could never take.
   */
  async add<P extends object>(job: JobDefinition<P>, payload: NoInfer<P>, options: AddOptions = {}): Promise<void> {
    const { jobId, delayMs } = options;
    if (jobId !== undefined && !isJobId(jobId)) throw new TypeError(`"${jobId}" cannot be the id of a job`);
    const queue = this.queueOf(job);
    await this.answer(() => queue.add(job.name, payload, { ...jobOptions(job), jobId, delay: delayMs }));
  }

  /** Runs a job in this process, past the queue, and gives its result. Rejects as the handler does. */
  async runNow<P extends object, R>(job: JobDefinition<P, R>, payload: NoInfer<P>): Promise<R> {
    this.queueOf(job);
    const context = { jobId: `now-${randomUUID()}`, attempt: 1, signal: new AbortController().signal };
    const { result, recorded } = await this.runner.run(job.name, payload, context);
    await recorded;
    // @JobHandler holds the handler to the result type of its job.
    return result as R;
  }

  /**
   * Says that something beside the queue runs this job so often by {@link runNow}, in some process: its state then
   * tells so, as for a scheduled job, and what is due by `countDue`. For work that has to go on while the backend is away.
   */
  runsEvery(job: JobDeclaration, ms: number, countDue: () => Promise<number>): void {
    this.queueOf(job);
    this.polled.set(job.name, { ms, countDue });
  }

  /**
   * The declared jobs in their order, also while the backend is away: the database knows most of it. Rejects with
   * QueueUnavailableError when the database does not answer.
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
        return {
          name: job.name,
          ...(runs.get(job.name) ?? { last_run_at: null, last_duration_ms: null, last_error: null }),
          due: (await polled?.countDue()) ?? (waiting === null ? null : (waiting.get(job.queue) ?? 0)),
          every_ms: job.every?.ms ?? polled?.ms ?? null,
        };
      }),
    );
  }

  /** The jobs that run again and again, as the database knows them: the backend need not answer. */
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

  /** A page that shows the queues as they are, to be mounted at its path. */
  board(options: BoardOptions): Promise<RequestHandler> {
    return makeBoard(this.queues.values(), options);
  }

  /** `down`: the backend does not answer in time; `degraded`: it does, but a worker of this process has stopped. */
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

/** What both backends take: not empty, no ":" (a separator of theirs), not a whole number (they number jobs so). */
function isJobId(id: string): boolean {
  return id.length > 0 && id.length <= 200 && !id.includes(':') && !/^\d+$/.test(id);
}
