import { Injectable } from '@nestjs/common';
import type { MatchingEvents } from '../scan/matching-events.reader.js';
import { type Divided, Division } from '../questions/division.js';
import { GatheredEventsReader, type Source } from '../questions/gathered-events.reader.js';
import { isCounted, type Question } from '../questions/question.js';
import { type Snapshot, Snapshots } from '../questions/snapshots.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { Dimension } from '../totals/event-filter.js';
import type { ZonedBuckets } from '../totals/zoned-buckets.js';
import type { AskedSeries, SeriesRow } from './asked-series.js';
import { ClickHouseTimeseriesRepository } from './clickhouse-timeseries.repository.js';
import { TimeseriesRepository } from './timeseries.repository.js';

/** Divides windows into buckets. */
export interface Dividing {
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

/** The windows of a question that are known before anything is read. */
interface Known {
  /** Null when the window begins with the first event, which has to be read. */
  readonly known: Divided | null;
  readonly before: Divided | null;
  readonly divide: (from: Date) => Divided;
  /** True when counted hours can answer, unless buckets are shorter than an hour. */
  readonly isCountable: boolean;
}

/** Aggregates events over time. Uses counted hours where they can answer. */
@Injectable()
export class TimeseriesReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly series: TimeseriesRepository,
    private readonly clickHouse: ClickHouseTimeseriesRepository,
  ) {}

  /** Reads everything in one snapshot. @throws QueryTooLong, TooManyQueries, and the errors of dividing */
  async of(question: Question, asked: AskedSeries, dividing: Dividing, signal: AbortSignal): Promise<AnsweredSeries> {
    const fields = asked.splitBy === undefined ? [] : [asked.splitBy];
    const isCountable = asked.field === undefined && isCounted(question, fields);
    const divide = (from: Date): Divided => {
      const window: TimeWindow = { from, to: question.window.to };
      return { window, buckets: dividing.window(window) };
    };
    const known = question.isAll ? null : divide(question.window.from);
    const { before: window } = question;
    const before =
      known !== null && window !== null && asked.hasPrevious
        ? { window, buckets: dividing.before(window, known.buckets) }
        : null;
    const divided = { known, before, divide, isCountable };
    return this.snapshots.run(question, signal, async (snapshot) => {
      const replicated = await this.fromClickHouse(question, asked, divided, snapshot, signal);
      return replicated ?? this.fromRows(question, asked, divided, snapshot);
    });
  }

  /** @returns null when PostgreSQL has to answer alone, or can use counted hours */
  private async fromClickHouse(
    question: Question,
    asked: AskedSeries,
    { known, before, divide, isCountable }: Known,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<AnsweredSeries | null> {
    if (isCountable && known?.buckets.interval !== 'minute') return null;
    const window = known === null ? question.window : new Division(known, before).span;
    const series = await this.clickHouse.begin(question, asked, window, snapshot, signal);
    if (series === null) return null;
    let divided = known;
    if (divided === null) {
      const first = await series.first();
      if (first === undefined) return null;
      divided = divide(first ?? question.window.to);
    }
    const division = new Division(divided, before);
    const answered = { buckets: divided.buckets, before: before?.buckets ?? null, first: division.first };
    if (divided.buckets.starts.length === 0) return { ...answered, rows: [] };
    const rows = await series.rows(division);
    if (rows !== undefined) return rows && { ...answered, rows };
    const source = await series.source(division);
    return source && { ...answered, rows: await this.series.rows(question, source, division, asked, snapshot) };
  }

  private async fromRows(
    question: Question,
    asked: AskedSeries,
    { known, before, divide, isCountable }: Known,
    snapshot: Snapshot,
  ): Promise<AnsweredSeries> {
    const all = known === null && !isCountable ? await this.gathered.events(question, question.window, snapshot) : null;
    const divided = known ?? divide(await this.beginningOfAll(question, all, snapshot));
    const division = new Division(divided, before);
    const answered = { buckets: divided.buckets, before: before?.buckets ?? null, first: division.first };
    if (divided.buckets.starts.length === 0) return { ...answered, rows: [] };
    const isOfHours = isCountable && divided.buckets.interval !== 'minute';
    const dimensions = isOfHours ? (asked.splitBy === undefined ? [] : [asked.splitBy as Dimension]) : null;
    const source: Source =
      all === null
        ? await this.gathered.source(question, division, dimensions, snapshot)
        : { type: 'events', events: all };
    return { ...answered, rows: await this.series.rows(question, source, division, asked, snapshot) };
  }

  /**
   * Returns the time of the first event, or the end of the window when there is none.
   * @param all null when counted hours can answer
   */
  private async beginningOfAll(question: Question, all: MatchingEvents | null, snapshot: Snapshot): Promise<Date> {
    const first =
      all === null
        ? await this.gathered.endOf(question, question.window, 'first', snapshot)
        : await this.gathered.firstOf(all, snapshot);
    return first ?? question.window.to;
  }
}
