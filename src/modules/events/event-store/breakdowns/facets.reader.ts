import { Injectable } from '@nestjs/common';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import { type ScalarValue, scalarOf } from '../aggregation/keys.js';
import { Snapshots } from '../aggregation/snapshots.js';
import { type Dimension, DIMENSIONS } from '../totals/event-filter.js';
import { EventTotalsReader, type FacetValue } from '../totals/totals.reader.js';
import type { BreakdownRow } from './breakdown-row.js';
import { BreakdownsReader, type SelectedEvents } from './breakdowns.reader.js';

export interface FacetCountsQuery {
  readonly query: Omit<AggregationQuery, 'isAll' | 'before'>;
  /** The maximum number of values of each fixed field. */
  readonly limit: number;
  /** Properties whose values are counted, too. `limitBy` is the maximum number of values of each. */
  readonly by: readonly string[];
  readonly limitBy: number;
}

export interface Facets {
  readonly values: Record<Dimension, FacetValue[]>;
  readonly by: readonly PropertyFacet[];
}

/** The most frequent values of a property, and the numbers of other values and events. */
export interface PropertyFacet {
  readonly field: string;
  readonly values: readonly { readonly value: ScalarValue; readonly events: number }[];
  readonly others: { readonly values: number; readonly events: number };
  /** The number of events without a scalar value. */
  readonly missing: number;
}

/** Reads facets that hourly counters cannot answer alone, because of a condition or of properties. */
@Injectable()
export class FacetsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly breakdowns: BreakdownsReader,
    private readonly totals: EventTotalsReader,
  ) {}

  /**
   * Returns the values of each fixed field with the most events, counted under the filters on the other fields. Returns
   * the same for each property, counted under all filters. All counts come from one snapshot.
   * @throws QueryTooLong, TooManyQueries, ArchiveUnavailable
   */
  read({ query: params, limit, by, limitBy }: FacetCountsQuery, signal: AbortSignal): Promise<Facets> {
    const query: AggregationQuery = { ...params, isAll: false, before: null };
    const { scope, window, filter, where } = query;
    return this.snapshots.run(query, signal, async (snapshot) => {
      const all = this.breakdowns.select(query, snapshot, signal);
      const values =
        where === null
          ? await this.totals.facets(scope, window, filter, limit, snapshot)
          : await this.ofFields(all, limit);
      const properties: PropertyFacet[] = [];
      for (const field of by) {
        properties.push(facetOf(field, await this.breakdowns.ofEvents(all, { by: field, limit: limitBy })));
      }
      return { values, by: properties };
    });
  }

  private async ofFields(all: SelectedEvents, limit: number): Promise<Record<Dimension, FacetValue[]>> {
    const { query, snapshot, signal } = all;
    const values = {} as Record<Dimension, FacetValue[]>;
    for (const name of DIMENSIONS) {
      const { [name]: own, ...filter } = query.filter;
      const events = own === undefined ? all : this.breakdowns.select({ ...query, filter }, snapshot, signal);
      values[name] = await this.valuesOf(name, events, limit);
    }
    return values;
  }

  private async valuesOf(by: Dimension, events: SelectedEvents, limit: number): Promise<FacetValue[]> {
    const rows = await this.breakdowns.ofEvents(events, { by, limit });
    const items = rows.filter(({ part }) => part === 'item');
    const missing = rows.filter(({ part }) => part === 'missing');
    return [...items, ...missing]
      .map(({ key, events: count }) => ({ value: key === null ? null : String(scalarOf(key)), events: count }))
      .sort((one, other) => other.events - one.events)
      .slice(0, limit);
  }
}

function facetOf(field: string, rows: readonly BreakdownRow[]): PropertyFacet {
  const total = rows.find(({ part }) => part === 'total');
  const missing = rows.find(({ part }) => part === 'missing')?.events ?? 0;
  const items = rows.filter(({ part }) => part === 'item');
  const shown = items.reduce((sum, { events }) => sum + events, missing);
  return {
    field,
    values: items.map(({ key, events }) => ({ value: scalarOf(key ?? '') ?? '', events })),
    others: { values: (total?.more ?? 0) - items.length, events: (total?.events ?? 0) - shown },
    missing,
  };
}
