import { type FoundThing, foundThing, judge, MAX_SCORE, type SearchWords } from '../../tenancy/search-sources/index.js';
import type { SearchedEvent } from '../event-store/index.js';

interface Kept {
  readonly thing: FoundThing;
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
      const thing = thingOf(event);
      const judged = judge(thing.fields, this.words);
      if (judged !== null) this.kept.set(thing.id, { thing, score: judged.score });
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
    return kept.length === this.limit && kept.every(({ thing, score }) => score === MAX_SCORE && thing.timestamp > at);
  }

  things(): FoundThing[] {
    return [...this.kept.values()].map(({ thing }) => thing);
  }
}

function inOrder(a: Kept, b: Kept): number {
  return (
    b.score - a.score || b.thing.timestamp.getTime() - a.thing.timestamp.getTime() || (a.thing.id < b.thing.id ? -1 : 1)
  );
}

function thingOf({ id, timestamp, event, source, message, externalEventId, endpoint }: SearchedEvent): FoundThing {
  return foundThing(
    { id, title: event, subtitle: message ?? endpoint, timestamp },
    { event, source, message, external_event_id: externalEventId, endpoint },
  );
}
