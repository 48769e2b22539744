/** The states of a job that runs at an interval. */
export const RUN_STATES = ['healthy', 'degraded', 'stale', 'stopped', 'failed'] as const;
export type RunState = (typeof RUN_STATES)[number];

export interface LastRun {
  readonly everyMs: number;
  /** Null when the job has not run yet. */
  readonly lastRunAt: Date | null;
  /** Null after a successful run. */
  readonly lastError: string | null;
  /** The duration of the last run. Set where a run should take less than the interval. */
  readonly lastDurationMs?: number | null;
}

/** A job is late after this many of its intervals, and stopped after ten times as many. */
const LATE_INTERVALS = 3;

/**
 * Returns `stopped` when the job never ran or has not run for a long time, `stale` when it is late, `failed` when its
 * last run failed, and `degraded` when that run took longer than the interval. `startedAt` is the start of this
 * process: a job is not late until its intervals have passed since then.
 */
export function runStateOf(
  { everyMs, lastRunAt, lastError, lastDurationMs }: LastRun,
  startedAt: Date,
  now: Date,
): RunState {
  const since = Math.max(lastRunAt?.getTime() ?? 0, startedAt.getTime());
  const intervals = (now.getTime() - since) / everyMs;
  if (intervals > LATE_INTERVALS * 10 || (lastRunAt === null && intervals > LATE_INTERVALS)) return 'stopped';
  if (intervals > LATE_INTERVALS) return 'stale';
  if (lastError !== null) return 'failed';
  return (lastDurationMs ?? 0) > everyMs ? 'degraded' : 'healthy';
}
