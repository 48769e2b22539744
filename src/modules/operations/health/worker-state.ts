import { runStateOf, type ScheduledRun } from '../../../platform/queue/index.js';
import type { WorkerState } from './health.dto.js';

type ScheduledJob = Pick<ScheduledRun, 'everyMs' | 'lastRunAt' | 'lastError'>;

/**
 * Classifies the workers (SERVICE 3.5) by their slowest job: `failed` when its last run failed, `stopped` when it
 * never ran or not for long, `stale` when it is late. `startedAt` is this process's: a fresh start is given time.
 */
export function workerState(jobs: readonly ScheduledJob[], startedAt: Date, now: Date): WorkerState {
  const states = jobs.map((job) => runStateOf(job, startedAt, now));
  for (const state of ['stopped', 'stale', 'failed'] as const) {
    if (states.includes(state)) return state === 'failed' && states.includes('healthy') ? 'degraded' : state;
  }
  return 'healthy';
}

/**
 * The same while the queue's backend is away. The jobs that it starts do not run, and tell nothing of the workers; those
 * that workers start by their own clocks go on: `degraded` is the best that can be.
 */
export function workerStateWithoutQueue(jobs: readonly ScheduledRun[], startedAt: Date, now: Date): WorkerState {
  const polled = jobs.filter(({ isPolled }) => isPolled);
  const state = workerState(polled, startedAt, now);
  return state === 'healthy' ? 'degraded' : state;
}
