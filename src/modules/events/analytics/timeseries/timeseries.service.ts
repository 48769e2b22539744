import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { TimeZone } from '../../../../platform/clock/index.js';
import { failed, Fault, ValidationError } from '../../../../platform/http/validation/index.js';
import { ProjectTimeZoneReader } from '../../../tenancy/projects/index.js';
import { readAggregateField } from '../../conditions/index.js';
import {
  type AnsweredSeries,
  type SeriesQuery,
  bucketsOf,
  countsEvents,
  type BucketRules,
  likeBucketsOf,
  scalarOf,
  type SeriesRow,
  TimeseriesReader,
  withoutEvents,
} from '../../event-store/index.js';
import { windowHead } from '../../time-ranges/index.js';
import { finite } from '../queries/numbers.js';
import { Questions } from '../queries/questions.js';
import type { TimeseriesQuery, TimeseriesResponse, ValueSeries, WholeSeries } from './timeseries.dto.js';

/** Reports an aggregate of events for each bucket of a window. */
@Injectable()
export class TimeseriesService {
  constructor(
    private readonly questions: Questions,
    private readonly zones: ProjectTimeZoneReader,
    private readonly series: TimeseriesReader,
  ) {}

  /** @throws ValidationError, QueryTooLong, TooManyQueries */
  async of(scope: ProjectScope, query: TimeseriesQuery, signal: AbortSignal): Promise<TimeseriesResponse> {
    const field = fieldOf(query);
    const question = await this.questions.of(scope, query);
    const timezone = query.timezone ?? (await this.zones.of(scope));
    const seriesQuery: SeriesQuery = {
      aggregate: query.aggregate,
      field,
      splitBy: query.split_by,
      top: query.top,
      hasPrevious: query.compare === 'previous' && question.before !== null,
    };
    const zone = new TimeZone(timezone);
    const bucketRules: BucketRules = {
      window: (window) => bucketsOf(window, query.interval, zone),
      before: (window, buckets) => likeBucketsOf(window, buckets, zone),
    };
    const answered = await this.series.of(question, seriesQuery, bucketRules, signal);
    return {
      ...windowHead(scope.projectId, question.projectName, question.window),
      interval: answered.buckets.interval,
      timezone,
      aggregate: query.aggregate,
      split_by: query.split_by ?? null,
      ...seriesOf(answered, seriesQuery),
    };
  }
}

/** @throws ValidationError when the aggregate field is missing, not allowed, or of the wrong type */
function fieldOf({ aggregate, aggregate_field: given }: TimeseriesQuery): string | undefined {
  const counts = countsEvents(aggregate);
  const field = readAggregateField(given, { aggregate, counts, takesText: aggregate === 'unique', container: null });
  if (!failed(field)) return field;
  if (!(field instanceof Fault)) throw new Error('A text has one fault');
  const { type, msg, input, ctx } = field;
  throw new ValidationError([{ type, loc: ['query', 'aggregate_field'], msg, input, ...(ctx && { ctx }) }]);
}

function seriesOf(
  { buckets, before, rows, first }: AnsweredSeries,
  { aggregate, splitBy, hasPrevious }: SeriesQuery,
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
