export const SOURCE_STATUSES = ['disabled', 'never_seen', 'failing', 'healthy', 'quiet'] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** A source with at least this share of refused requests is failing. */
const FAILING_RATE = 0.5;

export interface SourceFacts {
  readonly isEnabled: boolean;
  readonly activeKeys: number;
  /** Whether the source has an address for webhooks, which need no key. */
  readonly hasHook: boolean;
  /** Null when no event has ever been accepted. */
  readonly hoursSinceLastEvent: number | null;
  readonly events: number;
  readonly failures: number;
}

/** Returns the share of refused requests among refusals and events, or 0 without any. */
export function failureRate({ events, failures }: Pick<SourceFacts, 'events' | 'failures'>): number {
  return failures === 0 ? 0 : failures / (events + failures);
}

/**
 * Returns the first status that applies:
 * - `disabled`: the source is switched off.
 * - `never_seen`: no event has ever been accepted, and `failures` is 0.
 * - `failing`: at least half of the requests are refused, or the source has neither an active key nor a webhook
 * address.
 * - `healthy`: an event was accepted in the last 24 hours.
 * - `quiet`: no event was accepted in the last 24 hours.
 */
export function sourceStatus(facts: SourceFacts): SourceStatus {
  const { isEnabled, activeKeys, hasHook, hoursSinceLastEvent, failures } = facts;
  if (!isEnabled) return 'disabled';
  if (hoursSinceLastEvent === null && failures === 0) return 'never_seen';
  if ((activeKeys === 0 && !hasHook) || failureRate(facts) >= FAILING_RATE) return 'failing';
  return hoursSinceLastEvent !== null && hoursSinceLastEvent < 24 ? 'healthy' : 'quiet';
}
