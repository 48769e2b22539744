export const STATUSES = ['no_events', 'healthy', 'quiet', 'failing'] as const;
export type IngestionStatus = (typeof STATUSES)[number];

export interface IngestionFacts {
  readonly hasEvents: boolean;
  readonly eventsLast24h: number;
  readonly activeKeys: number;
  readonly isArchived: boolean;
}

/**
 * Returns the first status that applies:
 * - `no_events`: the project has no events yet.
 * - `failing`: no event can arrive, because the project is archived or has no active key.
 * - `healthy`: events occurred in the last 24 hours.
 * - `quiet`: no event occurred in the last 24 hours.
 */
export function ingestionStatus(facts: IngestionFacts): IngestionStatus {
  if (!facts.hasEvents) return 'no_events';
  if (facts.isArchived || facts.activeKeys === 0) return 'failing';
  return facts.eventsLast24h > 0 ? 'healthy' : 'quiet';
}
