import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { isCanceled } from '../../../platform/database/database-faults.js';
import type { ReadBounds } from '../../../platform/clickhouse/index.js';
import type { SearchHit, Search, SearchTime } from '../../tenancy/search-sources/index.js';
import {
  searchedId,
  ArchiveUnavailable,
  ArchivedEventsReader,
  ClickHouseEventSearchReader,
  type ReplicaSnapshot,
  ClickHouseUnavailable,
  ClickHouseTimeout,
  EventListReader,
  EventSearchReader,
  EventTypeSearch,
  type ScanStretches,
  type Locator,
  type SearchedEvent,
  type SearchedStretch,
  type TimeWindow,
} from '../event-store/index.js';
import { LongReads, QueryTooLong, TooManyQueries } from '../long-reads/index.js';
import { BestEvents } from './best-events.js';
import { SearchLimits } from './search-limits.js';

/** Target time of one stretch of the scan. If the time limit ends a stretch, its rows are missing from the result. */
const STRETCH_MS = 150;
const [FEWEST_ROWS, MOST_ROWS] = [500, 50_000];
/**
 * Target time of one stretch in ClickHouse. A statement there takes longer than the scan of some thousand rows, and a
 * second is enough for millions of rows.
 */
const CLICKHOUSE_STRETCH_MS = 400;
const CLICKHOUSE_FACTOR = 10;
const MAX_CLICKHOUSE_ROWS = 5_000_000;

export interface FoundEvents {
  readonly hits: readonly SearchHit[];
  /** Whether not all events of the window could be searched in time. */
  readonly isPartial: boolean;
  /** Why no event was scanned; null when at least some were. */
  readonly refusal: Error | null;
}

interface Looking {
  readonly scope: ProjectScope;
  readonly search: Search;
  readonly best: BestEvents;
  readonly giveUpAt: number;
  readonly signal: AbortSignal;
  readonly tx: Db;
  /** Shows whether events were scanned before the search failed. */
  readonly progress: { hasLooked: boolean };
}

/**
 * Finds events. Events that an index finds come first: one by its id, and those of a type by its name. Then rows are
 * scanned from the newest on, until none can be better than the events found, or the time is over.
 */
@Injectable()
export class EventSearch {
  constructor(
    private readonly database: Database,
    private readonly events: EventSearchReader,
    private readonly clickHouse: ClickHouseEventSearchReader,
    private readonly archived: ArchivedEventsReader,
    private readonly types: EventTypeSearch,
    private readonly lists: EventListReader,
    private readonly longReads: LongReads,
    private readonly limits: SearchLimits,
  ) {}

  /**
   * Returns the best `limit` events. When the time is over, or no slot becomes free, returns the events found so far.
   */
  async find(scope: ProjectScope, search: Search, limit: number, signal: AbortSignal): Promise<FoundEvents> {
    const best = new BestEvents(search.words, limit);
    const progress = { hasLooked: false };
    const read = async (milliseconds: number): Promise<boolean> => {
      const findIn = (tx: Db): Promise<boolean> =>
        this.findIn({ scope, search, best, giveUpAt: performance.now() + milliseconds, signal, tx, progress });
      try {
        return await this.database.snapshot(findIn, { signal });
      } catch (error) {
        throw isCanceled(error) ? new QueryTooLong() : error;
      }
    };
    try {
      const isWhole = await this.longReads.run(scope, read, { milliseconds: this.limits.eventsMs, signal });
      return { hits: best.hits(), isPartial: !isWhole, refusal: null };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof QueryTooLong || error instanceof TooManyQueries)) throw error;
      const hits = best.hits();
      return { hits, isPartial: true, refusal: progress.hasLooked || hits.length > 0 ? null : error };
    }
  }

  /**
   * Searches one snapshot.
   * @returns false when events of the window are archived and could not be read
   * @throws QueryTooLong
   */
  private async findIn(looking: Looking): Promise<boolean> {
    const { scope, search, best, tx } = looking;
    await this.known(scope, search, best, await this.timeOf(looking), tx);
    const isOver = await this.searchClickHouse(looking);
    if (!(isOver ?? (await this.look(looking)))) throw new QueryTooLong();
    // PostgreSQL does not contain the events that it has dropped.
    return isOver !== null || !(await this.archived.isArchived(search.window));
  }

  /** Scans rows in PostgreSQL. @returns true when the scan is complete, false when its time is over */
  private async look(looking: Looking): Promise<boolean> {
    const { scope, search, best, tx } = looking;
    let before: Locator | null = null;
    for (let rows = this.limits.firstRows; leftOf(looking) > 0;) {
      const startedAt = performance.now();
      await this.timeOf(looking);
      const end: Locator | null = await this.events.end(scope, search.window, before, rows, tx);
      await this.timeOf(looking);
      best.add(await this.events.best(scope, search, { before, end }, best.limit, tx));
      looking.progress.hasLooked = true;
      if (end === null || best.isFinal(end.timestamp)) return true;
      before = end;
      rows = nextRows(rows, performance.now() - startedAt, STRETCH_MS, MOST_ROWS);
    }
    return false;
  }

  /**
   * Scans rows in ClickHouse, and events that are not replicated yet in PostgreSQL. Returns the same as {@link look},
   * or null when PostgreSQL must scan all events.
   */
  private async searchClickHouse(looking: Looking): Promise<boolean | null> {
    const { scope, search, best, tx } = looking;
    if (!this.clickHouse.isEnabled) return null;
    await this.timeOf(looking);
    const moment = await this.clickHouse.moment(scope, search.window, tx);
    if (moment !== null) {
      await this.timeOf(looking);
      best.add(await this.events.bestOfTail(scope, { ...search, window: moment.window }, best.limit, tx));
    }
    const isOver = moment === null ? null : await this.lookThrough(moment, looking);
    this.clickHouse.countRead(isOver === null ? 'postgres' : 'clickhouse');
    return isOver;
  }

  private async lookThrough(moment: ReplicaSnapshot, looking: Looking): Promise<boolean | null> {
    const { scope, search, best } = looking;
    let before: Locator | null = null;
    let hours: ScanStretches | undefined;
    for (let rows = this.limits.firstRows * CLICKHOUSE_FACTOR; leftOf(looking) > 0;) {
      try {
        const end: Locator | null | undefined = before === null ? undefined : hours?.next(before, rows);
        const startedAt = performance.now();
        const stretch: SearchedStretch = {
          before,
          end: end === undefined ? await this.clickHouse.end(scope, moment, before, rows, boundsOf(looking)) : end,
        };
        best.add(await this.clickHouse.best(scope, search.words, moment, stretch, best.limit, boundsOf(looking)));
        looking.progress.hasLooked = true;
        if (stretch.end === null || best.isFinal(stretch.end.timestamp)) return true;
        before = stretch.end;
        rows = nextRows(rows, performance.now() - startedAt, CLICKHOUSE_STRETCH_MS, MAX_CLICKHOUSE_ROWS);
        hours ??= await this.clickHouse.hours(scope, moment, boundsOf(looking));
      } catch (error) {
        if (error instanceof ClickHouseUnavailable) return null;
        if (!(error instanceof ClickHouseTimeout)) throw error;
        // The first stretch has timed out. PostgreSQL still has time to scan from the newest events on.
        if (before === null) return null;
        // The stretch took longer than expected. A smaller one may fit, unless this one already had the fewest rows.
        if (rows === FEWEST_ROWS) return false;
        rows = Math.max(FEWEST_ROWS, Math.round(rows / 10));
      }
    }
    return false;
  }

  /** Limits the next statements of PostgreSQL to the time that is left, and returns that time. */
  private async timeOf(looking: Looking): Promise<SearchTime> {
    const milliseconds = leftOf(looking);
    await this.events.within(milliseconds, looking.tx);
    return { milliseconds, signal: looking.signal };
  }

  private async known(
    scope: ProjectScope,
    search: Search,
    best: BestEvents,
    { milliseconds, signal }: SearchTime,
    tx: Db,
  ): Promise<void> {
    const { words, window } = search;
    const giveUpAt = performance.now() + milliseconds;
    const time = (): SearchTime => ({ milliseconds: Math.max(1, giveUpAt - performance.now()), signal });
    const id = searchedId(words);
    if (id !== null) {
      const locator = await this.lists.find(scope, id, tx).catch(whereAway);
      if (locator !== null) best.add(await this.at(scope, window, locator, time(), tx));
    }
    const types = await this.types.find(scope, search, best.limit, tx, time());
    if (types.length === 0) return;
    const named = types.map((type) => type.id);
    best.add(await this.newestOf(scope, window, named, best.limit, time(), tx));
  }

  /** Returns the event at a locator, from ClickHouse when PostgreSQL no longer has it. */
  private async at(
    scope: ProjectScope,
    window: TimeWindow,
    locator: Locator,
    time: SearchTime,
    tx: Db,
  ): Promise<SearchedEvent[]> {
    const found = await this.events.at(scope, window, locator, tx);
    if (found.length > 0 || !this.clickHouse.isEnabled) return found;
    const replicated = await this.clickHouse.quickly(scope, window, time, tx, (moment, bounds) =>
      this.clickHouse.at(scope, moment, locator, bounds),
    );
    return replicated ?? [];
  }

  private async newestOf(
    scope: ProjectScope,
    window: TimeWindow,
    types: readonly string[],
    limit: number,
    time: SearchTime,
    tx: Db,
  ): Promise<SearchedEvent[]> {
    const replicated = await this.clickHouse.quickly(scope, window, time, tx, async (moment, bounds) => [
      ...(await this.events.newestOfTail(scope, moment.window, types, limit, tx)),
      ...(await this.clickHouse.newestOf(scope, moment, types, limit, bounds)),
    ]);
    return replicated ?? this.events.newestOf(scope, window, types, limit, tx);
  }
}

/** Treats an event in an unavailable archive as not found. The result as a whole reports that events may be missing. */
function whereAway(error: unknown): null {
  if (error instanceof ArchiveUnavailable) return null;
  throw error;
}

function leftOf({ giveUpAt }: Looking): number {
  return giveUpAt - performance.now();
}

/**
 * Returns the limits of one read of ClickHouse: half of the time that is left, so that another read can follow when
 * this one times out.
 */
function boundsOf(looking: Looking): ReadBounds {
  return { milliseconds: Math.max(1, Math.ceil(leftOf(looking) / 2)), signal: looking.signal };
}

function nextRows(rows: number, took: number, wanted: number, most: number): number {
  return Math.round(Math.min(most, Math.max(FEWEST_ROWS, (rows * wanted) / Math.max(1, took))));
}
