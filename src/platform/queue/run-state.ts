/** What can be said of a job that runs again and again (SERVICE 3.5). */
export const RUN_STATES = ['healthy', 'degraded', 'stale', 'stopped', 'failed'] as const;
export type RunState = (typeof RUN_STATES)[number];

export interface LastRun {
  readonly everyMs: number;
  /** Null: it has not run yet. */
  readonly lastRunAt: Date | null;
  /** Null after a run that succeeded. */
  readonly lastError: string | null;
  /** Of the run, where it matters whether it fits into the interval. */
  readonly lastDurationMs?: number | null;
}

/** A job is late after this many of its intervals, and counts as stopped after ten times as many. */
const LATE_INTERVALS = 3;

/**
 * `stopped` when it never ran or not for long, `stale` when it is late, `failed` when its last run failed, `degraded` when
 * that took longer than its interval. `startedAt` is this process's: a fresh start is given time.
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
