import { Logger } from '@nestjs/common';
import {
  createRedisBackend,
  PostgresConnection,
  PostgresQueueBackend,
  withBackend,
  type BackendFactory,
  type IQueueBackend,
  type Processor,
  type QueueBaseOptions,
  type QueueOptions,
  type WorkerOptions,
} from 'bullmq';
import { within } from '../concurrency/index.js';
import { connectionErrors } from './connection-errors.js';

/** The time limit for closing a queue or an idle worker. It is reached only when the backend is unavailable. */
const IDLE_CLOSE_MS = 2_000;

/** The pool that all queues and workers of a process share on PostgreSQL. One of its connections listens for jobs. */
export class SharedConnection extends PostgresConnection {
  private lastTurn: Promise<unknown> = Promise.resolve();

  /**
   * Runs work after all earlier work. pg runs one query at a time on a connection, and all workers share the connection
   * that listens for jobs.
   */
  oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.lastTurn.then(work);
    this.lastTurn = turn.catch(() => undefined);
    return turn;
  }
}

/**
 * BullMQ's backend on a shared connection. When one queue or worker closes, the connection stays open for the others.
 */
class SharedBackend extends PostgresQueueBackend {
  private isSubscribed = false;

  constructor(
    private readonly shared: SharedConnection,
    name: string,
    options: QueueBaseOptions,
  ) {
    super(shared, name, { ...options, connection: shared.pool });
    shared.on('listenerinvalidated', () => (this.isSubscribed = false));
  }

  override async waitForJob(seconds: number): ReturnType<PostgresQueueBackend['waitForJob']> {
    return (await this.subscribe()) ?? super.waitForJob(seconds);
  }

  override close(): Promise<void> {
    return this.disconnectBlocking();
  }

  override disconnect(): Promise<void> {
    return this.disconnectBlocking();
  }

  /**
   * Makes BullMQ subscribe, which it does when it first waits for a job. The wait has a timeout of zero.
   * @returns a job that is ready, or null when there is none or this backend has already subscribed
   */
  private async subscribe(): ReturnType<PostgresQueueBackend['waitForJob']> {
    if (this.isSubscribed) return null;
    this.isSubscribed = true;
    try {
      return await this.shared.oneAtATime(() => super.waitForJob(0));
    } catch (error) {
      this.isSubscribed = false;
      throw error;
    }
  }
}

/**
 * Uses PostgreSQL for a shared connection and Redis for any other, so that applications with different backends can run
 * in one process.
 */
const backendOfConnection: BackendFactory = (name, options, roles) => {
  const connection: unknown = options.connection;
  return connection instanceof SharedConnection
    ? new SharedBackend(connection, name, options)
    : createRedisBackend(name, options, roles);
};

const backed = withBackend(backendOfConnection);

/** Disconnects from an unavailable backend, so that pending calls end. */
function cutOff(backend: IQueueBackend, where: string): void {
  for (const cut of [backend.disconnectBlocking(false), backend.disconnect()]) {
    cut.catch((error: unknown) => connectionErrors.report(where, error));
  }
}

/** A BullMQ queue that reports errors from its creation on. Closing it takes limited time and never rejects. */
export class BoundedQueue extends backed.Queue {
  private bounded?: Promise<void>;

  constructor(name: string, options: Partial<QueueOptions>) {
    const { connection } = options;
    // When the settings of the module cannot be created, Nest creates the queue without them. BullMQ would then use a
    // Redis on localhost.
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
  /** The maximum wait for running jobs when closing, in milliseconds. */
  closeMs: number;
}

/**
 * A BullMQ worker that finishes its running jobs when it closes. After a time limit it aborts the signals of these
 * jobs, and another worker starts them again.
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
      // Without this, the timers of the lock manager and of the worker would keep the process alive.
      await Promise.all([this.lockManager.close(), this.pause(true)]);
    }
  }
}
