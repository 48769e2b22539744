import { Processor, WorkerHost, type BullRegistrar } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { BoundedWorker, type BoundedWorkerOptions } from './backend.js';
import type { QueueConnections } from './connections.js';
import type { JobDeclaration } from './job-definition.js';
import type { JobRunner } from './job-runner.js';
import { within } from '../concurrency/index.js';
import { connectionErrors } from './connection-errors.js';

/**
 * How often a job may be started again after its worker died. After that the job fails, because the job probably ended
 * the workers.
 */
const MOST_RESTARTS = 5;
/** The pause after an attempt to fetch or finish a job has failed because the backend is unavailable. */
const RETRY_MS = 1_000;

/**
 * Returns the provider from which @nestjs/bullmq creates the worker of one queue. This worker runs all jobs of the
 * queue.
 */
export function queueWorkerHost(
  queue: string,
  jobs: readonly JobDeclaration[],
  connections: QueueConnections,
  runner: JobRunner,
): WorkerHost {
  class QueueWorker extends WorkerHost {
    /** BullMQ passes the signal only to functions that declare its parameter. */
    override process(job: Job<object>, _token?: string, signal?: AbortSignal): Promise<void> {
      return runner.work(job, signal ?? new AbortController().signal);
    }
  }
  const { timings } = connections;
  const options: BoundedWorkerOptions = {
    connection: connections.forWorkers,
    concurrency: Math.max(...jobs.filter((job) => job.queue === queue).map((job) => job.concurrency)),
    autorun: false,
    lockDuration: timings.lock,
    stalledInterval: timings.stalled,
    runRetryDelay: RETRY_MS,
    maxStalledCount: MOST_RESTARTS,
    closeMs: timings.close,
  };
  Processor(queue, options)(QueueWorker);
  return new QueueWorker();
}

/** The workers of this process. There are none before the start, and none in a process that only adds jobs. */
export class JobWorkers {
  private workers: readonly BoundedWorker[] = [];

  constructor(
    private readonly hosts: readonly WorkerHost[],
    private readonly registrar: BullRegistrar,
    private readonly startMs: number,
  ) {}

  async start(): Promise<void> {
    this.registrar.register();
    this.workers = this.hosts.map((host) => host.worker as unknown).filter((worker) => worker instanceof BoundedWorker);
    const ready = Promise.all(this.workers.map((worker) => worker.waitUntilReady()));
    await within(this.startMs, ready, () => new Error('workers did not connect in time'));
  }

  /** Starts to process jobs. */
  run(): void {
    for (const worker of this.workers) {
      worker.run().catch((error: unknown) => connectionErrors.report(`worker ${worker.name}`, error));
    }
  }

  /** Whether every worker processes jobs. True when there are no workers. */
  get areRunning(): boolean {
    return this.workers.every((worker) => worker.isRunning());
  }

  /** Stops fetching jobs and waits for the running ones, at most for the time limit. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
  }
}
