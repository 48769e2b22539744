import { Injectable } from '@nestjs/common';
import type { MatchingEvents } from '../scan/matching-events.reader.js';
import { type BucketedWindow, BucketLayout } from '../aggregation/bucket-layout.js';
import { AggregatedEventsReader, type AggregateSource } from '../aggregation/aggregated-events.reader.js';
import { isCounted, type AggregationQuery } from '../aggregation/aggregation-query.js';
import { type Snapshot, Snapshots } from '../aggregation/snapshots.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { Dimension } from '../totals/event-filter.js';
import type { ZonedBuckets } from '../totals/zoned-buckets.js';
import type { SeriesQuery, SeriesRow } from './series-query.js';
import { ClickHouseTimeseriesRepository } from './clickhouse-timeseries.repository.js';
import { TimeseriesRepository } from './timeseries.repository.js';

/** Divides windows into buckets. */
export interface BucketRules {
  readonly window: (window: TimeWindow) => ZonedBuckets;
  /** Divides the previous window like the window itself. */
  readonly before: (window: TimeWindow, buckets: ZonedBuckets) => ZonedBuckets;
}

export interface AnsweredSeries {
  readonly buckets: ZonedBuckets;
  /** The buckets of the previous window. Null when it is not requested. */
  readonly before: ZonedBuckets | null;
  /** Buckets are numbered from the first bucket of the previous window. */
  readonly rows: readonly SeriesRow[];
  /** The number of the window's first bucket. */
  readonly first: number;
}

/** The windows of a query that are known before anything is read. */
interface Known {
  /** Null when the window begins with the first event, which has to be read. */
  readonly known: BucketedWindow | null;
  readonly before: BucketedWindow | null;
  readonly bucketsFrom: (from: Date) => BucketedWindow;
  /** True when counted hours can answer, unless buckets are shorter than an hour. */
  readonly isCountable: boolean;
}

/** Aggregates events over time. Uses counted hours where they can answer. */
@Injectable()
export class TimeseriesReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly aggregated: AggregatedEventsReader,
    private readonly series: TimeseriesRepository,
    private readonly clickHouse: ClickHouseTimeseriesRepository,
  ) {}

  /** Reads everything in one snapshot. @throws QueryTooLong, TooManyQueries, and the errors of `bucketRules` */
  async of(
    query: AggregationQuery,
    params: SeriesQuery,
    bucketRules: BucketRules,
    signal: AbortSignal,
  ): Promise<AnsweredSeries> {
    const fields = params.splitBy === undefined ? [] : [params.splitBy];
    const isCountable = params.field === undefined && isCounted(query, fields);
    const bucketsFrom = (from: Date): BucketedWindow => {
      const window: TimeWindow = { from, to: query.window.to };
      return { window, buckets: bucketRules.window(window) };
    };
    const known = query.isAll ? null : bucketsFrom(query.window.from);
    const { before: window } = query;
    const before =
      known !== null && window !== null && params.hasPrevious
        ? { window, buckets: bucketRules.before(window, known.buckets) }
        : null;
    const bucketed = { known, before, bucketsFrom, isCountable };
    return this.snapshots.run(query, signal, async (snapshot) => {
      const replicated = await this.fromClickHouse(query, params, bucketed, snapshot, signal);
      return replicated ?? this.fromRows(query, params, bucketed, snapshot);
    });
  }

  /** @returns null when PostgreSQL has to answer alone, or can use counted hours */
  private async fromClickHouse(
    query: AggregationQuery,
    params: SeriesQuery,
    { known, before, bucketsFrom, isCountable }: Known,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<AnsweredSeries | null> {
    if (isCountable && known?.buckets.interval !== 'minute') return null;
    const window = known === null ? query.window : new BucketLayout(known, before).span;
    const series = await this.clickHouse.begin(query, params, window, snapshot, signal);
    if (series === null) return null;
    let bucketed = known;
    if (bucketed === null) {
      const first = await series.first();
      if (first === undefined) return null;
      bucketed = bucketsFrom(first ?? query.window.to);
    }
    const layout = new BucketLayout(bucketed, before);
    const answered = { buckets: bucketed.buckets, before: before?.buckets ?? null, first: layout.first };
    if (bucketed.buckets.starts.length === 0) return { ...answered, rows: [] };
    const rows = await series.rows(layout);
    if (rows !== undefined) return rows && { ...answered, rows };
    const source = await series.source(layout);
    return source && { ...answered, rows: await this.series.rows(query, source, layout, params, snapshot) };
  }

  private async fromRows(
    query: AggregationQuery,
    params: SeriesQuery,
    { known, before, bucketsFrom, isCountable }: Known,
    snapshot: Snapshot,
  ): Promise<AnsweredSeries> {
    const all = known === null && !isCountable ? await this.aggregated.events(query, query.window, snapshot) : null;
    const bucketed = known ?? bucketsFrom(await this.beginningOfAll(query, all, snapshot));
    const layout = new BucketLayout(bucketed, before);
    const answered = { buckets: bucketed.buckets, before: before?.buckets ?? null, first: layout.first };
    if (bucketed.buckets.starts.length === 0) return { ...answered, rows: [] };
    const isOfHours = isCountable && bucketed.buckets.interval !== 'minute';
    const dimensions = isOfHours ? (params.splitBy === undefined ? [] : [params.splitBy as Dimension]) : null;
    const source: AggregateSource =
      all === null
        ? await this.aggregated.source(query, layout, dimensions, snapshot)
        : { type: 'events', events: all };
    return { ...answered, rows: await this.series.rows(query, source, layout, params, snapshot) };
  }

  /**
   * Returns the time of the first event, or the end of the window when there is none.
   * @param all null when counted hours can answer
   */
  private async beginningOfAll(query: AggregationQuery, all: MatchingEvents | null, snapshot: Snapshot): Promise<Date> {
    const first =
      all === null
        ? await this.aggregated.endOf(query, query.window, 'first', snapshot)
        : await this.aggregated.firstOf(all, snapshot);
    return first ?? query.window.to;
  }
}
