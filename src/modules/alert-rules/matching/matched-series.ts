import type { Effect, Holds } from '../machine/rule-machine.js';
import { step } from '../machine/rule-machine.js';
import type { StoredSeries } from '../machine/series.repository.js';

/** Whether a rule of events keeps states at all: one that fires at once and rests at once has none. */
export function keepsState({ forSeconds, keepFiringSeconds }: Holds): boolean {
  return forSeconds > 0 || keepFiringSeconds > 0;
}

/**
 * What a matching event does to a series. Events come one by one, so a series holds as long as the next one comes within
 * the longer of the two times; after that it comes to rest as of then, and the event begins anew.
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
  const breachedAt = after.state === 'inactive' ? at : after.breachedAt;
  const dueAt = breachedAt + Math.max(holds.forSeconds, holds.keepFiringSeconds) * 1_000;
  return { after: { ...current, state: after, dueAt }, effects: effects.filter((one) => one !== null) };
}

/** What the passing of time does to a series in which nothing has matched until `at`. */
export function lapsed(series: StoredSeries, at: number, holds: Holds): { after: StoredSeries; effect: Effect } {
  const { after, effect } = step(series.state, 'clear', at, holds);
  return { after: { ...series, state: after, dueAt: after.state === 'inactive' ? null : series.dueAt }, effect };
}
