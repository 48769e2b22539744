import { Injectable } from '@nestjs/common';
import type { Question } from '../questions/question.js';
import { scalarOf } from '../questions/keys.js';
import { Snapshots } from '../questions/snapshots.js';
import { type Dimension, DIMENSIONS } from '../totals/event-filter.js';
import type { FacetValue } from '../totals/totals.reader.js';
import { BreakdownsReader, type SelectedEvents } from './breakdowns.reader.js';

export interface AskedFacets {
  readonly question: Omit<Question, 'isAll' | 'before'>;
  /** The maximum number of values of each fixed field. */
  readonly limit: number;
}

/** Reads facets that hourly counters cannot answer, because the question has a condition. */
@Injectable()
export class FacetsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly breakdowns: BreakdownsReader,
  ) {}

  /**
   * Returns the values of each fixed field with the most events, counted under the filters on the other fields. All of
   * them come from one snapshot.
   * @throws QueryTooLong, TooManyQueries, ArchiveUnavailable
   */
  read(asked: AskedFacets, signal: AbortSignal): Promise<Record<Dimension, FacetValue[]>> {
    const question: Question = { ...asked.question, isAll: false, before: null };
    return this.snapshots.run(question, signal, async (snapshot) => {
      const all = this.breakdowns.select(question, snapshot, signal);
      const values = {} as Record<Dimension, FacetValue[]>;
      for (const name of DIMENSIONS) {
        const { [name]: own, ...filter } = question.filter;
        const events = own === undefined ? all : this.breakdowns.select({ ...question, filter }, snapshot, signal);
        values[name] = await this.valuesOf(name, events, asked.limit);
      }
      return values;
    });
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
