import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { TimeZone } from '../../../platform/clock/index.js';
import { ProjectsReader, ProjectTimeZoneReader } from '../../tenancy/projects/index.js';
import {
  type RequestStatsQuery,
  type BucketStats,
  bucketsOf,
  RollupPlanReader,
  RequestStatsReader,
  type TimeWindow,
  type ZonedBuckets,
} from '../event-store/index.js';
import { ratioOf, windowHead } from '../time-ranges/index.js';
import { type RequestSelection, RequestQuestions } from './request-selection.js';
import { FirstRequestReader } from './first-request.reader.js';
import type { RequestPoint, RequestSeriesQuery, RequestSeriesResponse } from './performance.dto.js';
import { PlannedReads } from './planned-reads.service.js';

interface Read {
  readonly buckets: ZonedBuckets;
  readonly stats: readonly BucketStats[];
}

/** Reads the requests of a window by bucket. */
@Injectable()
export class RequestSeriesService {
  constructor(
    private readonly reads: PlannedReads,
    private readonly plans: RollupPlanReader,
    private readonly stats: RequestStatsReader,
    private readonly first: FirstRequestReader,
    private readonly zones: ProjectTimeZoneReader,
    private readonly projects: ProjectsReader,
    private readonly questions: RequestQuestions,
  ) {}

  async get(scope: ProjectScope, query: RequestSeriesQuery, signal: AbortSignal): Promise<RequestSeriesResponse> {
    const selection = await this.questions.of(query);
    const [name, zone] = await Promise.all([this.projects.nameOf(scope), query.timezone ?? this.zones.of(scope)]);
    const divide = (window: TimeWindow): ZonedBuckets => bucketsOf(window, query.interval, new TimeZone(zone));
    const { buckets, stats } = await (selection.isAll
      ? this.readAll(scope, selection, divide, signal)
      : this.readWindow(scope, selection, divide(selection.window), signal));
    return {
      ...windowHead(scope.projectId, name, selection.window),
      interval: buckets.interval,
      timezone: zone,
      points: pointsOf(buckets.starts, stats),
    };
  }

  private readWindow(
    scope: ProjectScope,
    { window, filter }: RequestSelection,
    buckets: ZonedBuckets,
    signal: AbortSignal,
  ): Promise<Read> {
    return this.reads.run(
      scope,
      (tx) => this.plans.plan(scope, window, filter, buckets.starts, tx),
      async (tx, plan, time) => ({
        buckets,
        stats: await this.stats.read(scope, plan, filter, wantedOf(buckets), time, tx),
      }),
      signal,
    );
  }

  /** Reads all time, in buckets that start with the first request, which is read from the same snapshot. */
  private readAll(
    scope: ProjectScope,
    selection: RequestSelection,
    divide: (window: TimeWindow) => ZonedBuckets,
    signal: AbortSignal,
  ): Promise<Read> {
    const { window, filter } = selection;
    return this.reads.run(
      scope,
      (tx) => this.plans.plan(scope, window, filter, [], tx),
      async (tx, plan, time) => {
        const first = await this.first.among(scope, plan, selection, time, tx);
        const since = { from: first ?? window.to, to: window.to };
        const buckets = divide(since);
        const divided = await this.plans.plan(scope, since, filter, buckets.starts, tx);
        await time.limit();
        return { buckets, stats: await this.stats.read(scope, divided, filter, wantedOf(buckets), time, tx) };
      },
      signal,
    );
  }
}

function wantedOf({ starts }: ZonedBuckets): RequestStatsQuery {
  return { starts, quantiles: [0.5, 0.95, 0.99] };
}

function pointsOf(starts: readonly Date[], stats: readonly BucketStats[]): RequestPoint[] {
  const known = new Map(stats.map((one) => [one.bucket, one]));
  return starts.map((start, bucket): RequestPoint => {
    const { requests = 0, measured = 0, errors = 0, percentiles = [] } = known.get(bucket) ?? {};
    const [p50 = null, p95 = null, p99 = null] = percentiles;
    return {
      ts: start.toISOString(),
      requests,
      measured,
      errors,
      error_rate: ratioOf(errors, requests),
      p50_ms: p50,
      p95_ms: p95,
      p99_ms: p99,
    };
  });
}
