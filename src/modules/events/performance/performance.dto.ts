import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  NestedField,
  NumberField,
  TextField,
} from '../../../platform/http/validation/index.js';
import { TimeZoneField } from '../../tenancy/projects/index.js';
import {
  type RequestedInterval,
  BUCKET_INTERVALS,
  type BucketInterval,
  ENDPOINT_SORTS,
  type EndpointSort,
  MOST_KEPT_STATUSES,
  MOST_NAME_CHARACTERS,
  MOST_STATUSES,
  MOST_STATUSES_OF_ENDPOINT,
} from '../event-store/index.js';
import { ConditionField, ProjectEventFilters, IntervalField, WindowResponse } from '../time-ranges/index.js';

const COMPARISONS = ['none', 'previous'] as const;
const STATUSES_FROM = ['400', '500'] as const;
const GROUPINGS = ['endpoint', 'route'] as const;
const PERCENTILE =
  'Of the requests that carry a latency, by nearest rank; null when none does. Exact up to 5,000 of them, above that within 1 % or one millisecond';
const RATE = 'errors / requests; 0 without requests';

/** Selects the requests of a window that have the given values. */
export class PerformanceQuery extends ProjectEventFilters {
  @TextField({ optional: true, max: 200, description: 'Exact, in any case; empty: every method', example: 'GET' })
  method?: string;

  @TextField({
    optional: true,
    max: MOST_NAME_CHARACTERS,
    description: 'Exact; empty: every endpoint',
    example: '/cart',
  })
  endpoint?: string;

  @ConditionField()
  where?: string;

  @BooleanField({ optional: true, default: false, description: 'Leaves out events whose derived method is `EVENT`' })
  requests_only!: boolean;
}

export class SummaryQuery extends PerformanceQuery {
  @IntField({ min: 1, max: 600_000, optional: true, default: 300, description: 'Up to this a request satisfies' })
  apdex_ms!: number;

  @EnumField(COMPARISONS, {
    optional: true,
    default: 'previous',
    description: 'With the window before, of the same length',
  })
  compare!: (typeof COMPARISONS)[number];
}

export class RequestSeriesQuery extends PerformanceQuery {
  @IntervalField()
  interval!: RequestedInterval;

  @TimeZoneField({ optional: true, description: 'Of days and weeks; left out: that of the project' })
  timezone?: string;
}

export class EndpointsQuery extends PerformanceQuery {
  @EnumField(ENDPOINT_SORTS, { optional: true, default: 'requests', description: 'Descending' })
  sort!: EndpointSort;

  @EnumField(GROUPINGS, {
    optional: true,
    default: 'endpoint',
    description: 'What `endpoint` of an item is. A route is the field `log.route`',
  })
  group_by!: (typeof GROUPINGS)[number];

  @IntField({
    min: 1,
    max: 9_007_199_254_740_991,
    optional: true,
    default: 1,
    description: 'Leaves out rarer endpoints',
  })
  min_requests!: number;

  @IntField({ min: 1, max: 200, optional: true, default: 50, description: 'How many a page has at most' })
  limit!: number;

  @IntField({
    min: 0,
    max: 9_007_199_254_740_991,
    optional: true,
    default: 0,
    description: 'How many came before this page',
  })
  offset!: number;
}

export class SlowestQuery extends PerformanceQuery {
  @IntField({ min: 1, max: 100, optional: true, default: 20, description: 'How many a page has at most' })
  limit!: number;

  @IntField({ min: 0, max: 2_147_483_647, optional: true, default: 0, description: 'Leaves out faster requests' })
  min_ms!: number;
}

export class FailuresQuery extends PerformanceQuery {
  @EnumField(STATUSES_FROM, { optional: true, default: '400', description: 'The lowest status that is a failure' })
  status_from!: (typeof STATUSES_FROM)[number];

  @IntField({ min: 1, max: 200, optional: true, default: 50, description: 'Of by_endpoint' })
  limit!: number;
}

export class LatencyResponse {
  @IntField({ min: 0, nullable: true, description: 'Exact, as avg_ms and max_ms; null when nothing was measured' })
  min_ms!: number | null;

  @NumberField({ min: 0, nullable: true, description: 'Mean latency, in milliseconds; null: nothing was measured' })
  avg_ms!: number | null;

  @IntField({ min: 0, nullable: true, description: PERCENTILE })
  p50_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '75th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p75_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '90th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p90_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '95th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p95_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '99th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p99_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: 'Longest latency, in whole milliseconds; null: nothing was measured',
  })
  max_ms!: number | null;
}

export class LatencyClassesResponse {
  @IntField({ min: 0, description: 'Under 100 ms' })
  fast!: number;

  @IntField({ min: 0, description: 'Under 300 ms' })
  slow!: number;

  @IntField({ min: 0, description: 'From 300 ms' })
  very_slow!: number;
}

export class ApdexResponse {
  @IntField({ min: 1, description: 'Satisfied up to this latency, tolerating up to four times as much; milliseconds' })
  threshold_ms!: number;

  @NumberField({
    min: 0,
    max: 1,
    nullable: true,
    description: '(satisfied + tolerating / 2) / measured; null when nothing was measured',
  })
  score!: number | null;

  @IntField({ min: 0, description: 'A status below 500 and the threshold at most' })
  satisfied!: number;

  @IntField({ min: 0, description: 'A status below 500 and four times the threshold at most' })
  tolerating!: number;

  @IntField({ min: 0, description: 'All others, errors too' })
  frustrated!: number;
}

export class ComparedFigures {
  @IntField({ min: 0, description: 'Requests in the window before' })
  requests!: number;

  @NumberField({ min: 0, max: 1, description: 'Share of errors, from 0 to 1' })
  error_rate!: number;

  @IntField({
    min: 0,
    nullable: true,
    description: 'Median latency, in whole milliseconds; null: nothing was measured',
  })
  p50_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '95th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p95_ms!: number | null;

  @NumberField({ min: 0, max: 1, nullable: true, description: 'Score from 0 to 1; null: nothing was measured' })
  apdex!: number | null;
}

export class FiguresChange {
  @NumberField({
    nullable: true,
    description: '(now - before) / before, as p50_ms and p95_ms; null where before is 0 or null',
  })
  requests!: number | null;

  @NumberField({ description: 'now - before, as apdex' })
  error_rate!: number;

  @NumberField({ nullable: true, description: 'Relative change of the median; null: nothing to compare with' })
  p50_ms!: number | null;

  @NumberField({ nullable: true, description: 'Relative change of the 95th percentile; null: nothing to compare with' })
  p95_ms!: number | null;

  @NumberField({ nullable: true, description: 'Difference; null: nothing to compare with' })
  apdex!: number | null;
}

export class SummaryResponse extends WindowResponse {
  @IntField({ min: 0, description: 'Every event of the window is one' })
  requests!: number;

  @IntField({ min: 0, description: 'Those that carry a latency' })
  measured!: number;

  @NumberField({
    min: 0,
    description: 'Over the length of the window; for all since the first request. 0 without requests',
  })
  requests_per_minute!: number;

  @IntField({ min: 0, description: 'With a status of 400 to 499' })
  client_errors!: number;

  @IntField({ min: 0, description: 'With a status of 500 or more' })
  errors!: number;

  @NumberField({ min: 0, max: 1, description: RATE })
  error_rate!: number;

  @NestedField(() => LatencyResponse, { description: 'Of the measured requests' })
  latency!: LatencyResponse;

  @NestedField(() => LatencyClassesResponse, { description: 'Measured requests by how fast they were' })
  buckets!: LatencyClassesResponse;

  @NestedField(() => ApdexResponse, { description: 'Above 5,000 measured requests latencies are known to 1 %' })
  apdex!: ApdexResponse;

  @NestedField(() => ComparedFigures, {
    nullable: true,
    description: 'The window before; null for all, without a comparison, and where its events are not kept any more',
  })
  previous!: ComparedFigures | null;

  @NestedField(() => FiguresChange, {
    nullable: true,
    description: 'Against the window before; null: it was not asked for',
  })
  change!: FiguresChange | null;
}

export class RequestPoint {
  @DateTimeField({ description: 'Where the bucket begins; the first may begin before from_ts' })
  ts!: string;

  @IntField({ min: 0, description: 'Requests in this part of the window' })
  requests!: number;

  @IntField({ min: 0, description: 'Those that carry a latency' })
  measured!: number;

  @IntField({ min: 0, description: 'Those with a status of 500 or more' })
  errors!: number;

  @NumberField({ min: 0, max: 1, description: RATE })
  error_rate!: number;

  @IntField({ min: 0, nullable: true, description: PERCENTILE })
  p50_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '95th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p95_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '99th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p99_ms!: number | null;
}

export class RequestSeriesResponse extends WindowResponse {
  @EnumField(BUCKET_INTERVALS, { description: 'How long a bucket is' })
  interval!: BucketInterval;

  @TextField({ example: 'Europe/Berlin', description: 'IANA name of a time zone' })
  timezone!: string;

  @ListField(nested(() => RequestPoint), {
    description: 'Every bucket that has a part in the window, ascending; for all from the first request on',
  })
  points!: RequestPoint[];
}

export class EndpointResponse {
  @TextField({
    nullable: true,
    description: 'Null: of the rarest in hours with more than 1,000 pairs of method and endpoint',
  })
  method!: string | null;

  @TextField({
    nullable: true,
    description: `The endpoint, or the route with \`group_by=route\`. Cut to ${MOST_NAME_CHARACTERS.toLocaleString('en')} characters`,
  })
  endpoint!: string | null;

  @IntField({ min: 1, description: 'Requests to the endpoint' })
  requests!: number;

  @IntField({ min: 0, description: 'Those that carry a latency' })
  measured!: number;

  @IntField({ min: 0, description: 'Those with a status of 500 or more' })
  errors!: number;

  @NumberField({ min: 0, max: 1, description: RATE })
  error_rate!: number;

  @NumberField({ min: 0, description: 'Mean over the window' })
  requests_per_minute!: number;

  @NumberField({ min: 0, nullable: true, description: 'Mean latency, in milliseconds; null: nothing was measured' })
  avg_ms!: number | null;

  @IntField({ min: 0, nullable: true, description: PERCENTILE })
  p50_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '95th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p95_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '99th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p99_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: 'Longest latency, in whole milliseconds; null: nothing was measured',
  })
  max_ms!: number | null;

  @NumberField({ min: 0, max: 1, description: 'Its sum of latencies over that of all requests; 0 where that is 0' })
  total_time_share!: number;
}

export class EndpointsPageResponse extends WindowResponse {
  @ListField(nested(() => EndpointResponse), { description: 'Null last, then by endpoint and method' })
  items!: EndpointResponse[];

  @IntField({ min: 0, description: 'Pairs of method and endpoint with min_requests' })
  total!: number;

  @IntField({ description: 'How many a page has at most' })
  limit!: number;

  @IntField({ description: 'How many came before this page' })
  offset!: number;
}

export class StatusCountResponse {
  @IntField({ description: 'HTTP status' })
  status!: number;

  @IntField({ min: 1, description: 'Requests with this status' })
  requests!: number;
}

export class FailedStatus extends StatusCountResponse {
  @NumberField({ min: 0, max: 1, description: 'Of failed' })
  share!: number;
}

export class FailingEndpointResponse {
  @TextField({
    nullable: true,
    description: 'Null: of the rarest in hours with more than 1,000 pairs of method and endpoint',
  })
  method!: string | null;

  @TextField({ nullable: true, description: `Cut to ${MOST_NAME_CHARACTERS.toLocaleString('en')} characters` })
  endpoint!: string | null;

  @IntField({ min: 1, description: 'Requests to the endpoint, failed or not' })
  requests!: number;

  @IntField({ min: 1, description: 'Those that failed' })
  failed!: number;

  @NumberField({ min: 0, max: 1, description: 'Share of those that failed, from 0 to 1' })
  failure_rate!: number;

  @ListField(nested(() => StatusCountResponse), {
    description: `Failed ones, most requests first, ${MOST_STATUSES_OF_ENDPOINT} at most`,
  })
  statuses!: StatusCountResponse[];

  @DateTimeField({ description: 'Timestamp of the newest failed request' })
  last_failed_at!: string;
}

export class FailuresResponse extends WindowResponse {
  @IntField({ min: 0, description: 'Requests in the window, failed or not' })
  requests!: number;

  @IntField({ min: 0, description: 'Requests of status_from and above' })
  failed!: number;

  @NumberField({ min: 0, max: 1, description: 'failed / requests; 0 without requests' })
  failure_rate!: number;

  @ListField(nested(() => FailedStatus), {
    description: `Failed statuses, most requests first, ${MOST_STATUSES} at most. Of an endpoint with more than ${MOST_KEPT_STATUSES} in an hour those with the most requests there are counted`,
  })
  by_status!: FailedStatus[];

  @ListField(nested(() => FailingEndpointResponse), {
    description: 'Those with a failed request; most first, then by endpoint and method',
  })
  by_endpoint!: FailingEndpointResponse[];
}
