export type QueueBackend = 'postgres' | 'redis';

/** All times are in milliseconds. */
export interface QueueTimings {
  /** The maximum wait for one `add`, one health check or one read of the state. */
  add: number;
  /** The maximum wait at start. It applies separately to the backend, to all queues and to all workers. */
  start: number;
  /** The maximum wait at shutdown for running jobs. */
  close: number;
  /** A worker that has not renewed its lock on a job for this time loses the job to another worker. */
  lock: number;
  /** How often jobs of lost workers are searched for and started again. */
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
