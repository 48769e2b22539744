import { Logger } from '@nestjs/common';
import {
  createRedisBackend,
  PostgresConnection,
  PostgresQueueBackend,
  withBackend,
  type BackendFactory,
  type IQueueBackend,
  type Processor,
  type QueueOptions,
  type WorkerOptions,
} from 'bullmq';
import { within } from '../concurrency/index.js';
import { connectionErrors } from './connection-errors.js';

/** Closing takes this long only when the backend is gone. */
const IDLE_CLOSE_MS = 2_000;

/** BullMQ's backend on a connection that all queues and workers share: closing one of them leaves it to the others. */
class SharedPostgresBackend extends PostgresQueueBackend {
  override close(): Promise<void> {
    return this.disconnectBlocking();
  }

  override disconnect(): Promise<void> {
    return this.disconnectBlocking();
  }
}

/** PostgreSQL for its connection, Redis for anything else, so that applications on either can share a process. */
const backendOfConnection: BackendFactory = (name, options, roles) => {
  const connection: unknown = options.connection;
  return connection instanceof PostgresConnection
    ? new SharedPostgresBackend(connection, name, { ...options, connection: connection.pool })
    : createRedisBackend(name, options, roles);
};

const backed = withBackend(backendOfConnection);

/** Cuts what a backend that is gone still holds, so that pending calls on it settle. */
function cutOff(backend: IQueueBackend, where: string): void {
  for (const cut of [backend.disconnectBlocking(false), backend.disconnect()]) {
    cut.catch((error: unknown) => connectionErrors.report(where, error));
  }
}

/** A BullMQ queue that reports its errors from the first moment on, and closes in bounded time and without rejecting. */
export class BoundedQueue extends backed.Queue {
  private bounded?: Promise<void>;

  constructor(name: string, options: Partial<QueueOptions>) {
    const { connection } = options;
    // When the module's settings fail, Nest builds the queue without them, and BullMQ would take to a Redis on localhost.
    if (!connection) throw new Error(`queue ${name} has no connection`);
    super(name, { ...options, connection });
    this.on('error', (error) => connectionErrors.report(`queue ${name}`, error));
  }

  override close(): Promise<void> {
    this.bounded ??= this.closeInTime();
    return this.bounded;
  }

  private async closeInTime(): Promise<void> {
    try {
      await within(IDLE_CLOSE_MS, super.close(), () => new Error('closing took too long'));
    } catch (error) {
      connectionErrors.report(`queue ${this.name}`, error);
      cutOff(this.backend, `queue ${this.name}`);
    }
  }
}

export interface BoundedWorkerOptions extends WorkerOptions {
  /** Longest wait for running jobs when closing, in milliseconds. */
  closeMs: number;
}

/**
 * A BullMQ worker that finishes its running jobs when closed, but never takes longer than its limit: then it aborts
 * their signals and leaves the jobs to be started again by another worker.
 */
export class BoundedWorker extends backed.Worker<unknown, unknown> {
  private readonly closeMs: number;
  private bounded?: Promise<void>;
  private readonly logger = new Logger('Queue');

  constructor(name: string, processor: Processor<unknown, unknown>, { closeMs, ...options }: BoundedWorkerOptions) {
    super(name, processor, options);
    this.closeMs = closeMs;
    this.on('error', (error) => connectionErrors.report(`worker ${name}`, error));
    this.on('lockRenewalFailed', (jobIds) => {
      for (const jobId of jobIds) this.cancelJob(jobId, 'another worker may hold this job now');
    });
    this.on('stalled', (jobId) => this.logger.warn(`job ${jobId} starts again: its worker went away`));
  }

  override close(force = false): Promise<void> {
    this.bounded ??= this.closeInTime(force);
    return this.bounded;
  }

  private async closeInTime(force: boolean): Promise<void> {
    const closing = super.close(force);
    const idleMs = Math.min(this.closeMs, IDLE_CLOSE_MS);
    const late = () => new Error('closing took too long');
    try {
      await within(idleMs, closing, late).catch((error: unknown) => {
        if (this.lockManager.getActiveJobCount() === 0) throw error;
        return within(this.closeMs - idleMs, closing, late);
      });
    } catch (error) {
      connectionErrors.report(`worker ${this.name}`, error);
      this.cancelAllJobs('the time to shut down is over');
      cutOff(this.backend, `worker ${this.name}`);
      // Their timers would keep the process alive.
      await Promise.all([this.lockManager.close(), this.pause(true)]);
    }
  }
}
