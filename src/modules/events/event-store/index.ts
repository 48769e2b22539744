// The module, jobs and commands.
export { EventStoreModule } from './event-store.module.js';
export { archiveMonthsJob } from './archiving/month-archiver.job.js';
export { runBackfill } from './replication/backfill/run-backfill.js';
export { ReplicationLagReader } from './replication/replication-lag.reader.js';
export { ReplicationLoop } from './replication/replication-loop.js';

// Lists of events: pages and exports.
export { decodeCursor, encodeCursor, type Locator } from './lists/cursor.js';
export { type EventLocator, type EventSize, LOCATOR_COLUMNS } from './lists/event-locator.js';
export { EventListReader } from './lists/event-list.reader.js';
export { ExploredListReader, filterInBoth, spanOf } from './lists/explored-list.reader.js';
export { MatchesReader } from './matches/matches.reader.js';
export { SourceEventsReader, type SourceVolume } from './lists/source-events.reader.js';

// The events themselves.
export { EventRowsReader, type Selection } from './rows/event-rows.reader.js';
export { EventSubjectsReader } from './rows/event-subjects.reader.js';

// Aggregates: counts, facets, percentiles and buckets.
export { ArrivalsReader } from './totals/arrivals.reader.js';
export {
  REQUESTED_INTERVALS,
  type RequestedInterval,
  BUCKET_INTERVALS,
  type BucketInterval,
} from './totals/bucket-intervals.js';
export { type Interval, INTERVALS } from './totals/count.js';
export type { TimeWindow } from './totals/coverage.js';
export type { EventFilter } from './totals/event-filter.js';
export { LatenciesReader } from './totals/latencies.reader.js';
export { withoutGaps } from './totals/time-buckets.js';
export { EventTotalsReader, type FacetValue, type MatchingHour } from './totals/totals.reader.js';
export { bucketsOf, likeBucketsOf, type ZonedBuckets } from './totals/zoned-buckets.js';

// Rollups of ended hours and days, combined with the events that no rollup contains yet.
export { ClickHouseRequestsReader } from './rollups/clickhouse-requests.reader.js';
export { DayRollupsWriter, type DueDay } from './rollups/day-rollups.writer.js';
export {
  ENDPOINT_SORTS,
  type EndpointStats,
  EndpointStatsReader,
  type EndpointSort,
  MOST_STATUSES,
  MOST_STATUSES_OF_ENDPOINT,
} from './rollups/endpoint-stats.reader.js';
export { type DueHour, type HourCursor, HourRollupsWriter } from './rollups/hour-rollups.writer.js';
export type { ReadTime } from './rollups/read-time.js';
export type { RollupPlan } from './rollups/rollup-plan.js';
export { RollupPlanReader } from './rollups/rollup-plan.reader.js';
export {
  type RequestStatsQuery,
  type BucketStats,
  type RequestStats,
  RequestStatsReader,
} from './rollups/request-stats.reader.js';
export type { RequestFilter } from './rollups/request-filter.js';
export { MOST_KEPT_STATUSES, MOST_NAME_CHARACTERS } from './rollups/rollup-limits.js';
export { type ProjectSeries, SeriesReader } from './rollups/series.reader.js';
export { type BoundedHour, slowestFirst, SlowEventsReader, type SlowLocator } from './rollups/slow-events.reader.js';

// Analytics over a window: breakdowns, series, funnels and overviews.
export { type ScalarValue, scalarOf, SHOWN_CHARACTERS } from './aggregation/keys.js';
export type { AggregationQuery } from './aggregation/aggregation-query.js';
export type { BreakdownRow } from './breakdowns/breakdown-row.js';
export { BreakdownsReader } from './breakdowns/breakdowns.reader.js';
export { FacetsReader, type PropertyFacet } from './breakdowns/facets.reader.js';
export { type Aggregate, AGGREGATES, countsEvents, withoutEvents } from './series/aggregates.js';
export type { SeriesQuery, SeriesRow } from './series/series-query.js';
export { type AnsweredSeries, type BucketRules, TimeseriesReader } from './series/timeseries.reader.js';
export { FunnelsReader } from './funnels/funnels.reader.js';
export { type OverviewStats, OverviewsReader } from './overviews/overviews.reader.js';

// The candidates of EQL queries.
export { type ScanRow, ScanSelection } from './scan/scan-selection.js';
export { EventScan, type ScanOptions } from './scan/event-scan.js';
export { ClickHouseScanReader, KeysUntold } from './scan/clickhouse-scan.reader.js';
export { type Joined, joinedBy } from './scan/clickhouse-join-keys.js';
export { NewestEventsReader } from './scan/newest-events.reader.js';

// Event search.
export { ClickHouseEventSearchReader, type ReplicaSnapshot } from './search/clickhouse-event-search.reader.js';
export {
  searchedId,
  EventSearchReader,
  type SearchedEvent,
  type SearchedStretch,
} from './search/event-search.reader.js';
export { EventTypeSearch } from './search/event-type-search.reader.js';
export { ScanStretches } from './search/scan-stretches.js';

// Log search.
export { LogSearchTooLong, LogsReader, TooManyLogSearches } from './logs/logs.reader.js';
export { LogSearchIndexWriter } from './logs/search-index.writer.js';

// The history that Sentinel learns from.
export { EventHistoryReader, type NewEventType } from './history/event-history.reader.js';

// The values that alert rules measure, now and in the past.
export { type GroupValue, groupValueOf } from './measures/group-value.js';
export { type Measured, MeasuresReader } from './measures/measures.reader.js';
export { type PastEvent, PastEventsReader } from './measures/past-events.reader.js';

// Accepted events that alert rules have not processed yet.
export type { AcceptedEvent, AcceptedLocator, OutboxRow, OutboxSlice } from './outbox/accepted-event.js';
export { AcceptedEventsReader, MOST_TOLD_BYTES } from './outbox/accepted-events.reader.js';
export { LEFT_OUT, type ToldEvent } from './outbox/event-row.js';

// The start of retention.
export { RetainedEvents } from './retention/retained-events.js';

// Errors of reads that ClickHouse cannot answer.
export { ArchiveUnavailable, ArchivedEventsReader } from './reading/archived-events.reader.js';
export { ClickHouseUnavailable, ClickHouseTimeout } from './reading/clickhouse-events.reader.js';

// Writing, and the comparison of events with their counters.
export type { PlanParameters } from './writing/batch-parameters.js';
export { type ComparedHour, type CounterCursor, CountersReader } from './writing/counters.reader.js';
export {
  type BatchResult,
  type BatchStore,
  PostgresBatchWriter,
  type RequestVerdict,
} from './writing/postgres-batch.writer.js';
export { EventTracesWriter } from './writing/event-traces.writer.js';
export { UniqueEventsWriter } from './writing/unique-events.writer.js';
export { PartitionsWriter } from './writing/partitions.writer.js';
export { ServiceEventsWriter } from './writing/service-events.writer.js';
export { PendingWrite } from './writing/pending-write.js';
export {
  type Closure,
  type Duplicates,
  EventIntake,
  type Idempotency,
  IdempotencyKeyInProgress,
  NO_DUPLICATES,
  type Sender,
  type StoredAnswer,
  type Verdict,
  type WriteRequest,
} from './writing/write-request.js';
