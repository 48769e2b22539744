export const RULE_STATES = ['inactive', 'pending', 'firing', 'recovering'] as const;
export type RuleState = (typeof RULE_STATES)[number];

/** The state of one series of a rule. Times are epoch milliseconds. */
export type SeriesState =
  | { readonly state: 'inactive' }
  | {
      readonly state: 'pending' | 'firing' | 'recovering';
      /** The time at which the state began. */
      readonly since: number;
      /** The time at which the condition was last true. */
      readonly breachedAt: number;
    };

/** Whether the condition holds; `unknown` when that could not be determined. */
export type Observation = 'breach' | 'clear' | 'unknown';

/**
 * The effect of an observation: `fire` begins an episode, `repeat` says that the condition still holds, `recover` ends
 * the episode. An episode has one `fire`, then any number of `repeat`, then one `recover`.
 */
export type Effect = 'fire' | 'repeat' | 'recover' | null;

export interface Holds {
  /** How long the condition must hold before the rule fires. */
  readonly forSeconds: number;
  /** How long the rule keeps firing after the condition was last seen to hold. */
  readonly keepFiringSeconds: number;
}

export const INACTIVE: SeriesState = { state: 'inactive' };

/** Applies one observation to a series. Time never runs backwards: an earlier `now` counts as the last one seen. */
export function step(
  before: SeriesState,
  observation: Observation,
  now: number,
  { forSeconds, keepFiringSeconds }: Holds,
): { readonly after: SeriesState; readonly effect: Effect } {
  if (observation === 'unknown') return { after: before, effect: null };
  const at = before.state === 'inactive' ? now : Math.max(now, before.breachedAt, before.since);
  if (observation === 'breach') {
    switch (before.state) {
      case 'inactive':
        return forSeconds === 0
          ? { after: { state: 'firing', since: at, breachedAt: at }, effect: 'fire' }
          : { after: { state: 'pending', since: at, breachedAt: at }, effect: null };
      case 'pending':
        return at - before.since >= forSeconds * 1_000
          ? { after: { state: 'firing', since: at, breachedAt: at }, effect: 'fire' }
          : { after: { ...before, breachedAt: at }, effect: null };
      case 'firing':
        return { after: { ...before, breachedAt: at }, effect: 'repeat' };
      case 'recovering':
        return { after: { state: 'firing', since: at, breachedAt: at }, effect: 'repeat' };
    }
  }
  switch (before.state) {
    case 'inactive':
    case 'pending':
      return { after: INACTIVE, effect: null };
    case 'firing':
    case 'recovering':
      if (at - before.breachedAt >= keepFiringSeconds * 1_000) return { after: INACTIVE, effect: 'recover' };
      return {
        after: before.state === 'firing' ? { ...before, state: 'recovering', since: at } : before,
        effect: null,
      };
  }
}

/** Returns the state that a rule shows for all its series: the one that needs attention most. */
export function stateOfRule(states: readonly RuleState[]): RuleState {
  return (['firing', 'recovering', 'pending'] as const).find((state) => states.includes(state)) ?? 'inactive';
}
