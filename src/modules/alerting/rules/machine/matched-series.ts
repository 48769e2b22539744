import { type Effect, type Holds, type SeriesState, step } from './rule-machine.js';
import type { StoredSeries } from './series.repository.js';

/** Whether a rule of events keeps states at all: one that fires at once and rests at once has none. */
export function keepsState({ forSeconds, keepFiringSeconds }: Holds): boolean {
  return forSeconds > 0 || keepFiringSeconds > 0;
}

/**
 * What a matching event does to a series. Events come one by one, so the condition holds from one to the next when that
 * comes within `forSeconds`, and a series that fires goes on doing so for `keepFiringSeconds` when those are longer. Later
 * than that the series has come to rest as of then, and the event begins anew.
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

/** What the passing of time does to a series in which nothing has matched until `at`. */
export function lapsed(series: StoredSeries, at: number, holds: Holds): { after: StoredSeries; effect: Effect } {
  const { after, effect } = step(series.state, 'clear', at, holds);
  return { after: { ...series, state: after, dueAt: dueAfter(after, holds) }, effect };
}

/** When a series comes to rest unless another event matches. */
function dueAfter(state: SeriesState, { forSeconds, keepFiringSeconds }: Holds): number | null {
  if (state.state === 'inactive') return null;
  const seconds = {
    pending: forSeconds,
    firing: Math.max(forSeconds, keepFiringSeconds),
    // It has waited for the former already.
    recovering: keepFiringSeconds,
  };
  return state.breachedAt + seconds[state.state] * 1_000;
}
