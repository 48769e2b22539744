export const SOURCE_STATUSES = ['disabled', 'never_seen', 'failing', 'healthy', 'quiet'] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** From this share of refused requests on, a source fails. */
const FAILING_RATE = 0.5;

export interface SourceFacts {
  readonly isEnabled: boolean;
  readonly activeKeys: number;
  /** Null: no event has ever been accepted. */
  readonly hoursSinceLastEvent: number | null;
  readonly events: number;
  readonly failures: number;
}

/** Refused among all that was sent; 0 when nothing was. */
export function failureRate({ events, failures }: Pick<SourceFacts, 'events' | 'failures'>): number {
  return failures === 0 ? 0 : failures / (events + failures);
}

/** The first that holds: switched off, nothing sent yet, what is sent is refused or nothing can be, alive, silent. */
export function sourceStatus(facts: SourceFacts): SourceStatus {
  const { isEnabled, activeKeys, hoursSinceLastEvent, failures } = facts;
  if (!isEnabled) return 'disabled';
  if (hoursSinceLastEvent === null && failures === 0) return 'never_seen';
  if (activeKeys === 0 || failureRate(facts) >= FAILING_RATE) return 'failing';
  return hoursSinceLastEvent !== null && hoursSinceLastEvent < 24 ? 'healthy' : 'quiet';
}
