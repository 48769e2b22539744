import { type SearchHit, searchHit, scoreOf, MAX_SCORE, type SearchWords } from '../../tenancy/search-sources/index.js';
import type { SearchedEvent } from '../event-store/index.js';

interface Kept {
  readonly hit: SearchHit;
  readonly score: number;
}

/** Keeps the best of the events scanned so far. The same event may be added twice. */
export class BestEvents {
  private kept = new Map<string, Kept>();

  constructor(
    private readonly words: SearchWords,
    readonly limit: number,
  ) {}

  add(events: readonly SearchedEvent[]): void {
    for (const event of events) {
      const hit = toHit(event);
      const scored = scoreOf(hit.fields, this.words);
      if (scored !== null) this.kept.set(hit.id, { hit, score: scored.score });
    }
    const sorted = [...this.kept].sort(([, a], [, b]) => inOrder(a, b));
    this.kept = new Map(sorted.slice(0, this.limit));
  }

  /**
   * Returns whether no event at `at` or earlier can replace one of the kept events. Kept events that an index has found
   * may be older than `at`.
   */
  isFinal(at: Date): boolean {
    const kept = [...this.kept.values()];
    return kept.length === this.limit && kept.every(({ hit, score }) => score === MAX_SCORE && hit.timestamp > at);
  }

  hits(): SearchHit[] {
    return [...this.kept.values()].map(({ hit }) => hit);
  }
}

function inOrder(a: Kept, b: Kept): number {
  return b.score - a.score || b.hit.timestamp.getTime() - a.hit.timestamp.getTime() || (a.hit.id < b.hit.id ? -1 : 1);
}

function toHit({ id, timestamp, event, source, message, externalEventId, endpoint }: SearchedEvent): SearchHit {
  return searchHit(
    { id, title: event, subtitle: message ?? endpoint, timestamp },
    { event, source, message, external_event_id: externalEventId, endpoint },
  );
}
