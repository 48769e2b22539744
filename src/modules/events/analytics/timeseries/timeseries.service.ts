import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { TimeZone } from '../../../../platform/clock/index.js';
import { failed, Fault, ValidationError } from '../../../../platform/http/fields/index.js';
import { ProjectTimeZoneReader } from '../../../tenancy/projects/index.js';
import { readAggregateField } from '../../conditions/index.js';
import {
  bucketsOf,
  type Dimension,
  type FittingEvents,
  likeBucketsOf,
  type TimeWindow,
  type ZonedBuckets,
} from '../../event-store/index.js';
import { windowHead } from '../../asked-windows/index.js';
import { countsEvents, withoutEvents } from './aggregates.js';
import { CopiedTimeseriesRepository } from './copied-timeseries.repository.js';
import { type Divided, Division } from '../asking/division.js';
import { GatheredEventsReader, type Source } from '../asking/gathered-events.reader.js';
import { scalarOf } from '../asking/keys.js';
import { finite } from '../asking/numbers.js';
import { isCounted, type Question, Questions } from '../asking/question.js';
import { type Snapshot, Snapshots } from '../asking/snapshots.js';
import type { TimeseriesQuery, TimeseriesResponse, ValueSeries, WholeSeries } from './timeseries.dto.js';
import { type AskedSeries, type SeriesRow, TimeseriesRepository } from './timeseries.repository.js';

/** What of the answer stands before its series. */
interface Answered {
  readonly buckets: ZonedBuckets;
  readonly before: ZonedBuckets | null;
  readonly rows: readonly SeriesRow[];
  readonly first: number;
}

/** How a window comes to its buckets. */
interface Dividing {
  /** Null: it begins with the first event. */
  readonly known: Divided | null;
  readonly before: Divided | null;
  readonly divide: (from: Date) => Divided;
  /** Whether counted hours can tell, unless buckets are shorter. */
  readonly isCountable: boolean;
}

/** Aggregates of events over time (DECISIONS 14). */
@Injectable()
export class TimeseriesService {
  constructor(
    private readonly questions: Questions,
    private readonly zones: ProjectTimeZoneReader,
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly series: TimeseriesRepository,
    private readonly copied: CopiedTimeseriesRepository,
  ) {}

  /** @throws ValidationError, QueryTooLong, TooManyQueries */
  async of(scope: ProjectScope, query: TimeseriesQuery, signal: AbortSignal): Promise<TimeseriesResponse> {
    const field = fieldOf(query);
    const question = await this.questions.of(scope, query);
    const timezone = query.timezone ?? (await this.zones.of(scope));
    const asked: AskedSeries = {
      aggregate: query.aggregate,
      field,
      splitBy: query.split_by,
      top: query.top,
      hasPrevious: query.compare === 'previous' && question.before !== null,
    };
    const answered = await this.answer(question, query, asked, new TimeZone(timezone), signal);
    return {
      ...windowHead(scope.projectId, question.projectName, question.window),
      interval: answered.buckets.interval,
      timezone,
      aggregate: query.aggregate,
      split_by: query.split_by ?? null,
      ...seriesOf(answered, asked),
    };
  }

  private async answer(
    question: Question,
    query: TimeseriesQuery,
    asked: AskedSeries,
    zone: TimeZone,
    signal: AbortSignal,
  ): Promise<Answered> {
    const fields = query.split_by === undefined ? [] : [query.split_by];
    const isCountable = asked.field === undefined && isCounted(question, fields);
    const divide = (from: Date): Divided => {
      const window: TimeWindow = { from, to: question.window.to };
      return { window, buckets: bucketsOf(window, query.interval, zone) };
    };
    const known = question.isAll ? null : divide(question.window.from);
    const { before: window } = question;
    const before =
      known !== null && window !== null && asked.hasPrevious
        ? { window, buckets: likeBucketsOf(window, known.buckets, zone) }
        : null;
    const isLong = !isCountable || known?.buckets.interval === 'minute';
    const divided = { known, before, divide, isCountable };
    return this.snapshots.run(question, { isLong, signal }, async (snapshot) => {
      const copied = await this.fromCopy(question, asked, divided, snapshot, signal);
      return copied ?? this.fromRows(question, asked, divided, snapshot);
    });
  }

  /** Null: PostgreSQL has to answer alone, or can tell by counted hours. */
  private async fromCopy(
    question: Question,
    asked: AskedSeries,
    { known, before, divide, isCountable }: Dividing,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<Answered | null> {
    if (isCountable && known?.buckets.interval !== 'minute') return null;
    const window = known === null ? question.window : new Division(known, before).span;
    const copy = await this.copied.begin(question, asked, window, snapshot, signal);
    if (copy === null) return null;
    let divided = known;
    if (divided === null) {
      const first = await copy.first();
      if (first === undefined) return null;
      divided = divide(first ?? question.window.to);
    }
    const division = new Division(divided, before);
    const answered = { buckets: divided.buckets, before: before?.buckets ?? null, first: division.first };
    if (divided.buckets.starts.length === 0) return { ...answered, rows: [] };
    const source = await copy.source(division);
    return source && { ...answered, rows: await this.series.rows(question, source, division, asked, snapshot) };
  }

  private async fromRows(
    question: Question,
    asked: AskedSeries,
    { known, before, divide, isCountable }: Dividing,
    snapshot: Snapshot,
  ): Promise<Answered> {
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
   * Where the first event is; without any, where the window ends.
   * @param all null where counted hours can tell
   */
  private async beginningOfAll(question: Question, all: FittingEvents | null, snapshot: Snapshot): Promise<Date> {
    const first =
      all === null
        ? await this.gathered.endOf(question, question.window, 'first', snapshot)
        : await this.gathered.firstOf(all, snapshot);
    return first ?? question.window.to;
  }
}

/** @throws ValidationError where the aggregate needs a field, takes none, or takes another */
function fieldOf({ aggregate, aggregate_field: given }: TimeseriesQuery): string | undefined {
  const counts = countsEvents(aggregate);
  const field = readAggregateField(given, { aggregate, counts, takesText: aggregate === 'unique', container: null });
  if (!failed(field)) return field;
  if (!(field instanceof Fault)) throw new Error('A text has one fault');
  const { type, msg, input, ctx } = field;
  throw new ValidationError([{ type, loc: ['query', 'aggregate_field'], msg, input, ...(ctx && { ctx }) }]);
}

function seriesOf(
  { buckets, before, rows, first }: Answered,
  { aggregate, splitBy, hasPrevious }: AskedSeries,
): Pick<TimeseriesResponse, 'series' | 'other' | 'previous'> {
  const empty = withoutEvents(aggregate);
  const numberOf = ({ value }: SeriesRow): number | null => (value === null ? empty : finite(Number(value)));
  const whole = (of: readonly SeriesRow[], starts: readonly Date[], offset: number): WholeSeries => {
    const values = new Map(of.map((row) => [row.bucket, numberOf(row)]));
    return {
      total: values.get(null) ?? empty,
      points: starts.map((start, index) => ({
        ts: start.toISOString(),
        value: values.get(index + offset) ?? empty,
      })),
    };
  };
  const named = rows.filter(({ part }) => part === 'series');
  const series = named
    .filter(({ bucket }) => bucket === null)
    .sort((one, other) => (one.place ?? 0) - (other.place ?? 0))
    .map(({ place, key }): ValueSeries => {
      const of = named.filter((row) => row.place === place);
      const is_missing = splitBy !== undefined && key === '';
      return { value: scalarOf(key ?? ''), is_missing, ...whole(of, buckets.starts, first) };
    });
  if (splitBy === undefined && series.length === 0) {
    series.push({ value: null, is_missing: false, ...whole([], buckets.starts, first) });
  }
  const others = rows.filter(({ part }) => part === 'other');
  const previous = rows.filter(({ part }) => part === 'previous');
  return {
    series,
    other: others.length === 0 ? null : { value: null, is_missing: false, ...whole(others, buckets.starts, first) },
    previous: hasPrevious ? whole(previous, before?.starts ?? [], 0) : null,
  };
}
