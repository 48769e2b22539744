import { Injectable } from '@nestjs/common';
import { type Division, wholeWindows } from '../questions/division.js';
import { GatheredEventsReader, type Source, type TailEvents } from '../questions/gathered-events.reader.js';
import { isCounted, type Question } from '../questions/question.js';
import { type Snapshot, Snapshots } from '../questions/snapshots.js';
import type { Dimension } from '../totals/event-filter.js';
import type { BreakdownRow } from './breakdown-row.js';
import { BreakdownRepository } from './breakdown.repository.js';
import { ClickHouseBreakdownRepository } from './clickhouse-breakdown.repository.js';

/** The events of a question in a snapshot. A condition that SQL cannot decide is evaluated once for all breakdowns. */
export interface SelectedEvents {
  readonly question: Question;
  readonly division: Division;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
  readonly tail: () => Promise<TailEvents | null>;
  readonly source: () => Promise<Source>;
}

/** Counts events by the values of a field or property. Counted hours are used where they can answer. */
@Injectable()
export class BreakdownsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly breakdown: BreakdownRepository,
    private readonly clickHouse: ClickHouseBreakdownRepository,
  ) {}

  /**
   * Returns the total, the events without a value, and the `limit` values with the most events. All rows come from one
   * snapshot.
   * @throws QueryTooLong, TooManyQueries
   */
  rows(
    question: Question,
    asked: { readonly by: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<BreakdownRow[]> {
    return this.snapshots.run(question, signal, async (snapshot) => {
      if (!isCounted(question, [asked.by])) return this.ofEvents(this.select(question, snapshot, signal), asked);
      const division = wholeWindows(question);
      const source = await this.gathered.source(question, division, [asked.by as Dimension], snapshot);
      return this.breakdown.rows(question, source, division, asked, snapshot);
    });
  }

  /** Selects the events of a question for one or several breakdowns in a snapshot. */
  select(question: Question, snapshot: Snapshot, signal: AbortSignal): SelectedEvents {
    const division = wholeWindows(question);
    return {
      ...{ question, division, snapshot, signal },
      tail: once(() => this.gathered.tailOf(question, division.span, snapshot, signal)),
      source: once(() => this.gathered.source(question, division, null, snapshot)),
    };
  }

  /** Returns the same as {@link rows}, from the events themselves. @throws QueryTooLong */
  async ofEvents(
    { question, division, snapshot, signal, tail, source }: SelectedEvents,
    asked: { readonly by: string; readonly limit: number },
  ): Promise<BreakdownRow[]> {
    const replicated = await this.clickHouse.rows(question, division, asked, snapshot, signal, tail);
    return replicated ?? this.breakdown.rows(question, await source(), division, asked, snapshot);
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => (known ??= read());
}
