import { type Effect, type Holds, type SeriesState, step } from './rule-machine.js';
import type { StoredSeries } from './series.repository.js';

/** Returns whether a `match` rule stores states. A rule without durations fires and rests at once, and stores none. */
export function keepsState({ forSeconds, keepFiringSeconds }: Holds): boolean {
  return forSeconds > 0 || keepFiringSeconds > 0;
}

/**
 * Applies a matching event to a series. The condition holds from one event to the next when the next comes within
 * `forSeconds`. A firing series keeps firing for `keepFiringSeconds` when that is longer. When the event comes later,
 * the series has come to rest at the end of that time, and the event starts over.
 */
export function matched(series: StoredSeries, at: number, holds: Holds): { after: StoredSeries; effects: Effect[] } {
  const effects: Effect[] = [];
  let current = series;
  if (current.dueAt !== null && current.dueAt <= at) {
    const rested = lapsed(current, current.dueAt, holds);
    effects.push(rested.effect);
    current = rested.after;
  }
  const { after, effect } = step(current.state, 'breach', at, holds);
  effects.push(effect);
  return {
    after: { ...current, state: after, dueAt: dueAfter(after, holds) },
    effects: effects.filter((one) => one !== null),
  };
}

/** Applies the passing of time to a series in which no event has matched until `at`, in epoch milliseconds. */
export function lapsed(series: StoredSeries, at: number, holds: Holds): { after: StoredSeries; effect: Effect } {
  const { after, effect } = step(series.state, 'clear', at, holds);
  return { after: { ...series, state: after, dueAt: dueAfter(after, holds) }, effect };
}

/**
 * Returns when a series comes to rest unless another event matches, in epoch milliseconds; null when it rests already.
 */
function dueAfter(state: SeriesState, { forSeconds, keepFiringSeconds }: Holds): number | null {
  if (state.state === 'inactive') return null;
  const seconds = {
    pending: forSeconds,
    firing: Math.max(forSeconds, keepFiringSeconds),
    // A recovering series has waited for `forSeconds` already.
    recovering: keepFiringSeconds,
  };
  return state.breachedAt + seconds[state.state] * 1_000;
}
