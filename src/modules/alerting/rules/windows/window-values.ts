import type { ComparedBy, RateOfChangeCondition, ThresholdCondition } from '../../../events/conditions/index.js';
import type { Observation } from '../machine/rule-machine.js';

/** Returns whether a value crosses the threshold. A missing value does not. */
export function observeThreshold(value: number | null, { op, value: target }: ThresholdCondition): Observation {
  return value !== null && compares(value, op, target) ? 'breach' : 'clear';
}

/**
 * Returns by how many percent a value differs from the earlier one; null when one is missing or the earlier one is 0.
 */
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
 * Returns whether events are absent. The result is `unknown` until the rule has watched a whole window during which the
 * service could accept events and evaluate rules.
 * @param watchedSince epoch milliseconds; null while the service is down
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

/** Returns the seconds between two evaluations: a twelfth of the window, between 5 and 60. */
export function evaluationSeconds(windowSeconds: number): number {
  return Math.min(60, Math.max(5, Math.round(windowSeconds / 12)));
}

/** An evaluation that comes later than this many intervals after the last one has missed some. */
const LATE_TIMES = 4;
const LATE_AT_LEAST_SECONDS = 60;

/** Returns the seconds after which the next evaluation comes too late to say what happened in between. */
export function lateSeconds(windowSeconds: number): number {
  return Math.max(LATE_AT_LEAST_SECONDS, LATE_TIMES * evaluationSeconds(windowSeconds));
}

/** Returns the seconds that a slow rule waits: nearly as long as possible without missing an evaluation. */
export function secondsAfterSlow(windowSeconds: number): number {
  return lateSeconds(windowSeconds) * 0.75;
}
