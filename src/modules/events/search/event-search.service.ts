import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { isCanceled } from '../../../platform/database/database-faults.js';
import type { FoundThing, Search } from '../../tenancy/search-sources/index.js';
import {
  EventPlacesReader,
  LongReads,
  LongSnapshots,
  type Place,
  QueryTooLong,
  TooManyQueries,
} from '../reads/index.js';
import { askedId, EventSearchRepository } from './event-search.repository.js';
import { EventTypeSearch } from './event-type-search.reader.js';
import { BestEvents } from './best-events.js';
import { SearchLimits } from './search-limits.js';

/** A stretch is to take so long: its rows are lost when the time ends in the middle of it. */
const STRETCH_MS = 150;
const [FEWEST_ROWS, MOST_ROWS] = [500, 50_000];

export interface FoundEvents {
  readonly things: readonly FoundThing[];
  /** Whether there was no time for all events of the window. */
  readonly isPartial: boolean;
}

/**
 * Finds events. What an index knows comes first: an id, and types by their names. Then rows are looked through, the newest
 * first, until none can be better than those that were found, or the time is over.
 */
@Injectable()
export class EventSearch {
  constructor(
    private readonly database: Database,
    private readonly events: EventSearchRepository,
    private readonly types: EventTypeSearch,
    private readonly places: EventPlacesReader,
    private readonly longReads: LongReads,
    private readonly snapshots: LongSnapshots,
    private readonly limits: SearchLimits,
  ) {}

  /** The best `limit`. A turn that does not come in time leaves out all but what an index knows. */
  async find(scope: ProjectScope, search: Search, limit: number, signal: AbortSignal): Promise<FoundEvents> {
    const giveUpAt = performance.now() + this.limits.eventsMs;
    // Ends the waiting for a turn; statements end by themselves.
    const time = AbortSignal.timeout(this.limits.eventsMs);
    const best = new BestEvents(search.words, limit);
    const isKnown = await this.knownBriefly(scope, search, best, signal);
    let isPartial = true;
    try {
      await this.longReads.run(
        scope.projectId,
        () =>
          this.database.snapshot(
            async (tx) => {
              isPartial = !(await this.look(scope, search, best, { giveUpAt, isKnown }, tx));
            },
            { signal },
          ),
        { signal: AbortSignal.any([signal, time]) },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (error !== time.reason && !(error instanceof TooManyQueries) && !isCanceled(error)) throw error;
    }
    return { things: best.things(), isPartial };
  }

  /** @returns whether it is over because nothing is left, and not the time */
  private async look(
    scope: ProjectScope,
    search: Search,
    best: BestEvents,
    { giveUpAt, isKnown }: { readonly giveUpAt: number; readonly isKnown: boolean },
    tx: Db,
  ): Promise<boolean> {
    const left = (): number => giveUpAt - performance.now();
    if (!isKnown) {
      await this.events.within(left(), tx);
      await this.known(scope, search, best, tx);
    }
    let before: Place | null = null;
    for (let rows = this.limits.firstRows; left() > 0;) {
      const startedAt = performance.now();
      await this.events.within(left(), tx);
      const end: Place | null = await this.events.end(scope, search.window, before, rows, tx);
      await this.events.within(left(), tx);
      best.add(await this.events.best(scope, search, { before, end }, best.limit, tx));
      if (end === null || best.isFinal(end.timestamp)) return true;
      before = end;
      const took = Math.max(1, performance.now() - startedAt);
      rows = Math.round(Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, (rows * STRETCH_MS) / took)));
    }
    return false;
  }

  /** @returns whether that was soon done; else it is done again when it has its turn */
  private async knownBriefly(
    scope: ProjectScope,
    search: Search,
    best: BestEvents,
    signal: AbortSignal,
  ): Promise<boolean> {
    const milliseconds = Math.min(this.limits.knownMs, this.limits.eventsMs);
    try {
      await this.snapshots.briefly(
        async (tx, deadline) => {
          await this.events.within(deadline.left(), tx);
          await this.known(scope, search, best, tx);
        },
        { signal, milliseconds },
      );
      return true;
    } catch (error) {
      if (error instanceof QueryTooLong) return false;
      throw error;
    }
  }

  private async known(scope: ProjectScope, search: Search, best: BestEvents, tx: Db): Promise<void> {
    const { words, window } = search;
    const id = askedId(words);
    if (id !== null) {
      const place = await this.places.find(scope, id, tx);
      if (place !== null) best.add(await this.events.at(scope, window, place, tx));
    }
    const types = await this.types.find(scope, search, best.limit, tx);
    if (types.length === 0) return;
    const named = types.map((type) => type.id);
    best.add(await this.events.newestOf(scope, window, named, best.limit, tx));
  }
}
