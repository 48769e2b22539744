import { runStateOf, type ScheduledRun } from '../../../platform/queue/index.js';
import type { WorkerState } from './health.dto.js';

type ScheduledJob = Pick<ScheduledRun, 'everyMs' | 'lastRunAt' | 'lastError'>;

/**
 * Returns the state of the workers, which is the worst of their jobs. `stopped`: a job has never run, or not for long.
 * `stale`: a job is late. `failed`: the last run of a job failed and no job is healthy. `degraded`: the last run of a
 * job failed, but another job is healthy. `startedAt` is the start of this process, whose jobs need time for their
 * first run.
 */
export function workerState(jobs: readonly ScheduledJob[], startedAt: Date, now: Date): WorkerState {
  const states = jobs.map((job) => runStateOf(job, startedAt, now));
  for (const state of ['stopped', 'stale', 'failed'] as const) {
    if (states.includes(state)) return state === 'failed' && states.includes('healthy') ? 'degraded' : state;
  }
  return 'healthy';
}

/**
 * As {@link workerState}, while the queue cannot be reached. Jobs that the queue starts do not run then, and say
 * nothing about the workers. Workers start polled jobs themselves, so `degraded` is the best state.
 */
export function workerStateWithoutQueue(jobs: readonly ScheduledRun[], startedAt: Date, now: Date): WorkerState {
  const polled = jobs.filter(({ isPolled }) => isPolled);
  const state = workerState(polled, startedAt, now);
  return state === 'healthy' ? 'degraded' : state;
}
