export const STATUSES = ['no_events', 'healthy', 'quiet', 'failing'] as const;
export type IngestionStatus = (typeof STATUSES)[number];

export interface IngestionFacts {
  readonly hasEvents: boolean;
  readonly eventsLast24h: number;
  readonly activeKeys: number;
  readonly isArchived: boolean;
}

/** The first that holds: nothing yet, nothing can come, something came lately, nothing came lately. */
export function ingestionStatus(facts: IngestionFacts): IngestionStatus {
  if (!facts.hasEvents) return 'no_events';
  if (facts.isArchived || facts.activeKeys === 0) return 'failing';
  return facts.eventsLast24h > 0 ? 'healthy' : 'quiet';
}
