import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { EventCondition } from '../../eql-language/index.js';
import { BreakdownsReader } from '../breakdowns/breakdowns.reader.js';
import { type ScanRow, ScanSelection } from '../scan/scan-selection.js';
import { EventScan, type ScanOptions } from '../scan/event-scan.js';
import { ClickHouseScanReader } from '../scan/clickhouse-scan.reader.js';
import { type EventListQuery, olderThan } from '../lists/event-list-query.js';
import { clickHouseOlderThan } from '../lists/clickhouse-list.reader.js';
import { type EventLocator, LOCATOR_COLUMNS } from '../lists/event-locator.js';
import { filterInBoth } from '../lists/explored-list.reader.js';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import { type Snapshot, Snapshots } from '../aggregation/snapshots.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import { ClickHouseUnavailable } from '../reading/clickhouse-events.reader.js';
import { EventRowsReader, type Selection } from '../rows/event-rows.reader.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { OffsetPage } from '../totals/totals.reader.js';

type Scope = Pick<ProjectScope, 'organizationId' | 'projectId'>;

export interface MatchListQuery extends EventListQuery {
  readonly window: TimeWindow;
  readonly where: EventCondition;
  /**
   * True when the read may use only half of the organization's time for long reads. The other half is left to other
   * reads.
   */
  readonly isBackground?: boolean;
}

interface Matches {
  /** The matching events after the offset, up to the limit. */
  readonly rows: readonly ScanRow[];
  /** The number of matching events that were read, skipped ones included. */
  readonly read: number;
}

const LOCATORS: Selection<EventLocator> = { columns: LOCATOR_COLUMNS };

/**
 * Lists events that match an EQL condition, newest first and then by id. Candidates are read from both stores, like
 * those of an EQL query about single events. Each list is a long read, so it has a time limit and a slot.
 */
@Injectable()
export class MatchesReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly scan: EventScan,
    private readonly clickHouse: ClickHouseScanReader,
    private readonly archived: ArchivedEventsReader,
    private readonly rows: EventRowsReader,
    private readonly breakdowns: BreakdownsReader,
  ) {}

  /** @throws QueryTooLong, TooManyQueries, ArchiveUnavailable */
  newest(scope: Scope, params: MatchListQuery, signal: AbortSignal): Promise<EventLocator[]> {
    const read = async (snapshot: Snapshot): Promise<EventLocator[]> => {
      const { rows } = await this.read(scope, params, snapshot, signal, 'page');
      return this.locators(scope, rows, snapshot);
    };
    return this.snapshots.run({ scope }, signal, read, params.isBackground);
  }

  /** Returns a page and the number of all matching events, from one snapshot. @throws as {@link newest} */
  page(
    params: Omit<AggregationQuery, 'isAll' | 'before' | 'where'> & { readonly where: EventCondition },
    { limit, offset }: OffsetPage,
    signal: AbortSignal,
  ): Promise<{ total: number; locators: EventLocator[] }> {
    const { scope, window, where, filter } = params;
    const matches = { window, where, conditions: filterInBoth(filter), limit, offset };
    return this.snapshots.run(params, signal, async (snapshot) => {
      if (!where.isExact) {
        const { rows, read } = await this.read(scope, matches, snapshot, signal, 'all');
        return { total: read, locators: await this.locators(scope, rows, snapshot) };
      }
      // Counting the matches in SQL is faster than reading them.
      const query: AggregationQuery = { ...params, isAll: false, before: null };
      const counts = await this.breakdowns.ofEvents(this.breakdowns.select(query, snapshot, signal), {
        by: 'event',
        limit: 1,
      });
      const total = counts.find(({ part }) => part === 'total')?.events ?? 0;
      if (offset >= total) return { total, locators: [] };
      const { rows } = await this.read(scope, matches, snapshot, signal, 'page');
      return { total, locators: await this.locators(scope, rows, snapshot) };
    });
  }

  /** @param wanted `all` reads every matching event, in order to count them */
  private async read(
    scope: Scope,
    params: MatchListQuery,
    snapshot: Snapshot,
    signal: AbortSignal,
    wanted: 'page' | 'all',
  ): Promise<Matches> {
    const { window, where, limit } = params;
    const selection = new ScanSelection([{ category: null, condition: where }], []);
    const options = scanOptionsOf(params, snapshot, wanted);
    const replicated = await this.fromClickHouse(scope, params, selection, options, snapshot, signal, wanted);
    this.clickHouse.countRead(replicated === null ? 'postgres' : 'clickhouse');
    if (replicated !== null) return replicated;
    const found = await this.collect(scope, params, selection, options, snapshot, wanted);
    const last = wanted === 'page' && found.rows.length === limit ? found.rows.at(-1) : undefined;
    await this.archived.assertNotArchived(last === undefined ? window : { from: new Date(last.ms) });
    return found;
  }

  /** @returns null when PostgreSQL has to answer alone */
  private async fromClickHouse(
    scope: Scope,
    params: MatchListQuery,
    selection: ScanSelection,
    options: ScanOptions,
    snapshot: Snapshot,
    signal: AbortSignal,
    wanted: 'page' | 'all',
  ): Promise<Matches | null> {
    try {
      const rows = await this.clickHouse.rows(snapshot.tx, scope, spanOf(params), selection, options, signal);
      return rows && (await this.collect(scope, params, selection, { ...options, rows }, snapshot, wanted));
    } catch (error) {
      if (error instanceof ClickHouseUnavailable) return null;
      throw error;
    }
  }

  private async collect(
    scope: Scope,
    params: MatchListQuery,
    selection: ScanSelection,
    options: ScanOptions,
    { tx, deadline }: Snapshot,
    wanted: 'page' | 'all',
  ): Promise<Matches> {
    const { where, limit, offset = 0 } = params;
    const rows: ScanRow[] = [];
    let read = 0;
    await this.scan.forEach(tx, scope, spanOf(params), selection, options, (row) => {
      if (!where.isExact && where.truth(selection.subject(row), deadline) !== true) return true;
      read += 1;
      if (read > offset && rows.length < limit) rows.push(row);
      return wanted === 'all' || rows.length < limit;
    });
    return { rows, read };
  }

  /**
   * Reads the sizes of events that PostgreSQL has returned without them. An event that was removed in the meantime is
   * left out.
   */
  private async locators(scope: Scope, found: readonly ScanRow[], snapshot: Snapshot): Promise<EventLocator[]> {
    const others = found
      .filter(({ size }) => size === undefined)
      .map(({ id, ms }) => ({ id, timestamp: new Date(ms) }));
    await snapshot.limit();
    const read = await this.rows.read<EventLocator>(scope, others, LOCATORS, snapshot.tx);
    const known = new Map(read.map((locator) => [locator.id, locator]));
    return found.flatMap(({ id, ms, size }) =>
      size === undefined ? (known.get(id) ?? []) : { id, timestamp: new Date(ms), ...size },
    );
  }
}

function scanOptionsOf(
  { where, conditions, before, limit, offset = 0 }: MatchListQuery,
  { deadline }: Snapshot,
  wanted: 'page' | 'all',
): ScanOptions {
  return {
    isNewestFirst: true,
    wanted: wanted === 'all' ? 'all' : where.isExact ? offset + limit : 'some',
    deadline,
    withSizes: true,
    within: (bind) => `true${olderThan(before, { bind })}${conditions?.postgres({ bind }) ?? ''}`,
    clickHouseWithin: (bind) =>
      `${before ? ` AND ${clickHouseOlderThan(before, bind)}` : ''}${conditions?.indexed?.(bind) ?? ''}${conditions?.clickHouse(bind) ?? ''}`,
  };
}

/** Returns the part of the window that ends with the timestamp of `before`. */
function spanOf({ window, before }: MatchListQuery): TimeWindow {
  const to = before && before.timestamp < window.to ? new Date(before.timestamp.getTime() + 1) : window.to;
  return { from: window.from > to ? to : window.from, to };
}
