import { runStateOf, type ScheduledRun } from '../../../platform/queue/index.js';
import type { WorkerState } from './health.dto.js';

type ScheduledJob = Pick<ScheduledRun, 'everyMs' | 'lastRunAt' | 'lastError'>;

/**
 * Returns the state of the workers, which is the worst state of their jobs.
 * - `stopped`: a job has never run, or has not run for a long time.
 * - `stale`: a job is late.
 * - `failed`: the last run of a job failed, and no job is healthy.
 * - `degraded`: the last run of a job failed, but another job is healthy.
 * @param startedAt the start of this process. The delay of a job counts from its last run, but at the earliest from
 * then.
 */
export function workerState(jobs: readonly ScheduledJob[], startedAt: Date, now: Date): WorkerState {
  const states = jobs.map((job) => runStateOf(job, startedAt, now));
  for (const state of ['stopped', 'stale', 'failed'] as const) {
    if (states.includes(state)) return state === 'failed' && states.includes('healthy') ? 'degraded' : state;
  }
  return 'healthy';
}

/**
 * Returns the state of the workers while the queue cannot be reached. Jobs that the queue starts do not run then, so
 * only the polled jobs count, which workers start themselves. The best state is `degraded`.
 */
export function workerStateWithoutQueue(jobs: readonly ScheduledRun[], startedAt: Date, now: Date): WorkerState {
  const polled = jobs.filter(({ isPolled }) => isPolled);
  const state = workerState(polled, startedAt, now);
  return state === 'healthy' ? 'degraded' : state;
}
