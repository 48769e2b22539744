import { Injectable } from '@nestjs/common';
import { type BucketLayout, wholeWindows } from '../aggregation/bucket-layout.js';
import {
  AggregatedEventsReader,
  type AggregateSource,
  type TailEvents,
} from '../aggregation/aggregated-events.reader.js';
import { isCounted, type AggregationQuery } from '../aggregation/aggregation-query.js';
import { type Snapshot, Snapshots } from '../aggregation/snapshots.js';
import type { Dimension } from '../totals/event-filter.js';
import type { BreakdownRow } from './breakdown-row.js';
import { BreakdownRepository } from './breakdown.repository.js';
import { ClickHouseBreakdownRepository } from './clickhouse-breakdown.repository.js';

/** The events of a query in a snapshot. A condition that SQL cannot decide is evaluated once for all breakdowns. */
export interface SelectedEvents {
  readonly query: AggregationQuery;
  readonly layout: BucketLayout;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
  readonly tail: () => Promise<TailEvents | null>;
  readonly source: () => Promise<AggregateSource>;
}

/** Counts events by the values of a field or property. Counted hours are used where they can answer. */
@Injectable()
export class BreakdownsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly aggregated: AggregatedEventsReader,
    private readonly breakdown: BreakdownRepository,
    private readonly clickHouse: ClickHouseBreakdownRepository,
  ) {}

  /**
   * Returns the total, the events without a value, and the `limit` values with the most events. All rows come from one
   * snapshot.
   * @throws QueryTooLong, TooManyQueries
   */
  rows(
    query: AggregationQuery,
    params: { readonly by: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<BreakdownRow[]> {
    return this.snapshots.run(query, signal, async (snapshot) => {
      if (!isCounted(query, [params.by])) return this.ofEvents(this.select(query, snapshot, signal), params);
      const layout = wholeWindows(query);
      const source = await this.aggregated.source(query, layout, [params.by as Dimension], snapshot);
      return this.breakdown.rows(query, source, layout, params, snapshot);
    });
  }

  /** Selects the events of a query for one or several breakdowns in a snapshot. */
  select(query: AggregationQuery, snapshot: Snapshot, signal: AbortSignal): SelectedEvents {
    const layout = wholeWindows(query);
    return {
      ...{ query, layout, snapshot, signal },
      tail: once(() => this.aggregated.tailOf(query, layout.span, snapshot, signal)),
      source: once(() => this.aggregated.source(query, layout, null, snapshot)),
    };
  }

  /** Returns the same as {@link rows}, from the events themselves. @throws QueryTooLong */
  async ofEvents(
    { query, layout, snapshot, signal, tail, source }: SelectedEvents,
    params: { readonly by: string; readonly limit: number },
  ): Promise<BreakdownRow[]> {
    const replicated = await this.clickHouse.rows(query, layout, params, snapshot, signal, tail);
    return replicated ?? this.breakdown.rows(query, await source(), layout, params, snapshot);
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => (known ??= read());
}
