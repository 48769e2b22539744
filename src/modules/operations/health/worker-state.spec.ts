import { describe, expect, it } from '@jest/globals';
import { workerState, workerStateWithoutQueue } from './worker-state.js';

const NOW = new Date('2026-03-01T10:00:00.000Z');
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1000);
const job = (lastRunSecondsAgo: number | null, lastError: string | null = null) => ({
  everyMs: 60_000,
  lastRunAt: lastRunSecondsAgo === null ? null : ago(lastRunSecondsAgo),
  lastError,
});

describe('the state of the workers', () => {
  it.each([
    ['healthy when all ran lately', [job(10), job(50)], ago(3600), 'healthy'],
    ['healthy when this process has just started', [job(null)], ago(5), 'healthy'],
    ['stopped when none ever ran', [job(null)], ago(600), 'stopped'],
    ['stale when one is late', [job(10), job(300)], ago(3600), 'stale'],
    ['stopped when one has not run for long', [job(10), job(3000)], ago(7200), 'stopped'],
    ['failed when the only one fails', [job(10, 'no disk')], ago(3600), 'failed'],
    ['degraded when one of two fails', [job(10, 'no disk'), job(10)], ago(3600), 'degraded'],
    ['healthy when the last run was before a restart of everything', [job(86_400)], ago(5), 'healthy'],
  ])('follows from the last runs: %s', (_, jobs, startedAt, state) => {
    expect(workerState(jobs, startedAt, NOW)).toBe(state);
  });

  it.each([
    ['degraded when those with timers of their own ran lately', [10, 10], 600, 'degraded'],
    ['stopped when none has run for long', [3_000, 3_000], 3_000, 'stopped'],
    ['stale when those with timers of their own are late', [10, 300], 10, 'stale'],
  ])('follows without the queue from the last runs: %s', (_, polled, queued, state) => {
    const jobs = [
      ...polled.map((seconds) => ({ ...job(seconds), isPolled: true })),
      { ...job(queued), isPolled: false },
    ];
    expect(workerStateWithoutQueue(jobs, ago(7_200), NOW)).toBe(state);
  });
});
