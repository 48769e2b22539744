export type QueueBackend = 'postgres' | 'redis';

/** All times are in milliseconds. */
export interface QueueTimings {
  /** The maximum wait for one `add`, one health check or one read of the state. */
  add: number;
  /** The maximum wait at start: for the backend, for all queues and for all workers, each. */
  start: number;
  /** The maximum wait at shutdown for running jobs. */
  close: number;
  /** A worker that has not renewed its lock on a job for this time has lost the job. */
  lock: number;
  /** How often lost jobs are searched for and started again. */
  stalled: number;
  /** How often the schedules are compared with the declarations and repaired. */
  scheduleCheck: number;
}

export interface QueueOptions {
  backend: QueueBackend;
  /** Stores the record of runs, and with `postgres` also the queues. */
  databaseUrl: string;
  /** Required with `redis`. */
  redisUrl?: string;
  /** The key prefix in Redis, by default `bull`. */
  redisPrefix?: string;
  /** Whether this process runs jobs, or only adds them. */
  runWorkers: boolean;
  timings?: Partial<QueueTimings>;
}

export const DEFAULT_TIMINGS: QueueTimings = {
  add: 2_000,
  start: 30_000,
  close: 10_000,
  lock: 30_000,
  stalled: 30_000,
  scheduleCheck: 30_000,
};
