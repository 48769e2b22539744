export const STATUSES = ['no_events', 'healthy', 'quiet', 'failing'] as const;
export type IngestionStatus = (typeof STATUSES)[number];

export interface IngestionFacts {
  readonly hasEvents: boolean;
  readonly eventsLast24h: number;
  readonly activeKeys: number;
  readonly isArchived: boolean;
}

/**
 * Returns the first status that applies: no events yet, no event can arrive, events in the last 24 hours, none in the
 * last 24 hours.
 */
export function ingestionStatus(facts: IngestionFacts): IngestionStatus {
  if (!facts.hasEvents) return 'no_events';
  if (facts.isArchived || facts.activeKeys === 0) return 'failing';
  return facts.eventsLast24h > 0 ? 'healthy' : 'quiet';
}
