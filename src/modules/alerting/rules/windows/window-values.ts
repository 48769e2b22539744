import type { ComparedBy, RateOfChangeCondition, ThresholdCondition } from '../../../events/conditions/index.js';
import type { Observation } from '../machine/rule-machine.js';

/** Whether a value crosses the threshold; no value never does. */
export function observeThreshold(value: number | null, { op, value: target }: ThresholdCondition): Observation {
  return value !== null && compares(value, op, target) ? 'breach' : 'clear';
}

/** By how many percent a value differs from the one before; null where there is nothing to compare with. */
export function changeInPercent(present: number | null, before: number | null): number | null {
  if (present === null || before === null || before === 0) return null;
  return ((present - before) / Math.abs(before)) * 100;
}

export function observeChange(
  change: number | null,
  { direction, percent }: Pick<RateOfChangeCondition, 'direction' | 'percent'>,
): Observation {
  if (change === null) return 'clear';
  const up = direction !== 'down' && change >= percent;
  const down = direction !== 'up' && change <= -percent;
  return up || down ? 'breach' : 'clear';
}

/**
 * Whether events have stayed away. It can be told only once the whole window has been watched: by the rule itself, and by
 * a service that could take events and evaluate rules.
 * @param watchedSince epoch milliseconds; null: something of ours is down right now
 */
export function observeAbsence(
  lastEventAt: number | null,
  now: number,
  windowSeconds: number,
  watchedSince: number | null,
): Observation {
  if (watchedSince === null) return 'unknown';
  const from = now - windowSeconds * 1_000;
  if (lastEventAt !== null && lastEventAt >= from) return 'clear';
  return watchedSince <= from ? 'breach' : 'unknown';
}

function compares(value: number, op: ComparedBy, target: number): boolean {
  switch (op) {
    case 'eq':
      return value === target;
    case 'ne':
      return value !== target;
    case 'gt':
      return value > target;
    case 'gte':
      return value >= target;
    case 'lt':
      return value < target;
    case 'lte':
      return value <= target;
  }
}

/** How often a window is looked at: a twelfth of it, between 5 and 60 seconds. */
export function evaluationSeconds(windowSeconds: number): number {
  return Math.min(60, Math.max(5, Math.round(windowSeconds / 12)));
}

/** Evaluations this many times later than they should be have missed some. */
const LATE_TIMES = 4;
const LATE_AT_LEAST_SECONDS = 60;

/** How long after an evaluation another one comes too late to say what was between the two. */
export function lateSeconds(windowSeconds: number): number {
  return Math.max(LATE_AT_LEAST_SECONDS, LATE_TIMES * evaluationSeconds(windowSeconds));
}

/** How long a rule waits that was slow: as long as may be without missing anything. */
export function secondsAfterSlow(windowSeconds: number): number {
  return lateSeconds(windowSeconds) * 0.75;
}
