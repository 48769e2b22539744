import { Injectable } from '@nestjs/common';
import { wholeWindows } from '../aggregation/bucket-layout.js';
import { AggregatedEventsReader } from '../aggregation/aggregated-events.reader.js';
import { isCounted, type AggregationQuery } from '../aggregation/aggregation-query.js';
import { type Snapshot, Snapshots } from '../aggregation/snapshots.js';
import type { TimeWindow } from '../totals/coverage.js';
import { isEmptyFilter } from '../totals/event-filter.js';
import { LatenciesReader } from '../totals/latencies.reader.js';
import { ClickHouseOverviewRepository } from './clickhouse-overview.repository.js';
import { OVERVIEW_DIMENSIONS, OverviewRepository, type OverviewRow } from './overview.repository.js';

/** The totals of a window. */
export type OverviewStats = Pick<OverviewRow, 'events' | 'errors' | 'types' | 'sources' | 'p50' | 'p95' | 'last_at'>;
const NOTHING: OverviewStats = { events: 0, errors: 0, types: 0, sources: 0, p50: null, p95: null, last_at: null };
const QUANTILES = [0.5, 0.95];

export interface CountedOverview {
  readonly rows: readonly OverviewRow[];
  readonly now: OverviewStats;
  /** The previous window. Null when there is none. */
  readonly previous: OverviewStats | null;
}

/** Counts the events of a window and of the previous window. Uses counted hours where they can answer. */
@Injectable()
export class OverviewsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly aggregated: AggregatedEventsReader,
    private readonly overview: OverviewRepository,
    private readonly clickHouse: ClickHouseOverviewRepository,
    private readonly latencies: LatenciesReader,
  ) {}

  /** Reads everything in one snapshot. @throws QueryTooLong, TooManyQueries */
  count(query: AggregationQuery, signal: AbortSignal): Promise<CountedOverview> {
    const layout = wholeWindows(query);
    // Latencies of counted hours are not divided by field, so they cannot answer with a filter.
    const isOfHours = isCounted(query, []) && isEmptyFilter(query.filter);
    return this.snapshots.run(query, signal, async (snapshot) => {
      const replicated = isOfHours ? null : await this.clickHouse.source(query, layout, snapshot, signal);
      const source =
        replicated ?? (await this.aggregated.source(query, layout, isOfHours ? OVERVIEW_DIMENSIONS : null, snapshot));
      const rows = await this.overview.rows(query, source, layout, snapshot);
      const totals = rows.filter(({ part }) => part === 'totals');
      const of = async (bucket: number, window: TimeWindow): Promise<OverviewStats> => {
        const found = totals.find((row) => row.bucket === bucket);
        if (found === undefined) return NOTHING;
        return isOfHours ? this.withRest(query, window, found, snapshot) : found;
      };
      const now = await of(layout.first, query.window);
      const previous = query.before === null ? null : await of(layout.first - 1, query.before);
      return { rows, now, previous };
    });
  }

  /** Adds the percentiles and the newest timestamp, which counted hours do not have. */
  private async withRest(
    query: AggregationQuery,
    window: TimeWindow,
    found: OverviewStats,
    snapshot: Snapshot,
  ): Promise<OverviewStats> {
    const { scope } = query;
    await snapshot.limit();
    const percentiles = await this.latencies.percentiles(scope, window, QUANTILES, found.events, snapshot.tx);
    const [p50 = null, p95 = null] = percentiles;
    return { ...found, p50, p95, last_at: await this.aggregated.endOf(query, window, 'last', snapshot) };
  }
}
