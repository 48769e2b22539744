export type QueueBackend = 'postgres' | 'redis';

/** All in milliseconds. */
export interface QueueTimings {
  /** Longest wait for one `add`, one health check or one look at the state. */
  add: number;
  /** Longest wait at start for the backend, the queues and the workers together, each. */
  start: number;
  /** Longest wait at shutdown for running jobs. */
  close: number;
  /** A worker that has not renewed its hold on a job for so long has lost it. */
  lock: number;
  /** How often lost jobs are looked for and started again. */
  stalled: number;
  /** How often the schedules are compared with the declarations and mended. */
  scheduleCheck: number;
}

export interface QueueOptions {
  backend: QueueBackend;
  /** Holds the record of runs with either backend, and the queues themselves with `postgres`. */
  databaseUrl: string;
  /** Required with `redis`. */
  redisUrl?: string;
  /** Key prefix in Redis; `bull` when absent. */
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
