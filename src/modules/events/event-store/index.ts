export { type AlikeColumn, AlikeEvents } from './reading/alike-events.js';
export { ColdEventsAway, ColdEventsReader } from './reading/cold-events.reader.js';
export { EventStoreModule } from './event-store.module.js';
export { coldMonthsJob } from './keeping/cold-months.job.js';
export { ColdMonths } from './keeping/cold-months.js';
export { moveEvents } from './moving/move-events.js';
export { CopiedEventsReader, CopyCannotTell, CopyReadTooLong } from './reading/copied-events.reader.js';
export { writtenIds } from './reading/written-ids.js';
export { edgesOf, instantBeforeSql, inWindowsSql } from './reading/windows-sql.js';
export { MOST_UNCOPIED, uncopiedSql, UncopiedEventsReader, waitingSql } from './reading/uncopied-events.reader.js';
export { CopyLagReader } from './shipping/copy-lag.reader.js';
export { COPIED_SIZES, type CopiedConditions, CopiedPlacesReader } from './places/copied-places.reader.js';
export { decodeCursor, encodeCursor, type Place } from './places/cursor.js';
export { EventPlacesReader } from './places/event-places.reader.js';
export { type EventPlace, type EventSize, PLACE_COLUMNS, SIZE_COLUMNS } from './places/event-places.js';
export { ExploredPlacesReader, spanOf } from './places/explored-places.reader.js';
export { SourceEventsReader, type SourceVolume } from './places/source-events.reader.js';
export { HotEvents } from './retention/hot-events.js';
export { RetainedEvents } from './retention/retained-events.js';
export { EventRowsReader, type Selection } from './rows/event-rows.reader.js';
export { ArrivalsReader } from './totals/arrivals.reader.js';
export { type BucketCoverage, bucketCoverageOf } from './totals/bucket-coverage.js';
export {
  ASKED_INTERVALS,
  type AskedInterval,
  BUCKET_INTERVALS,
  type BucketInterval,
} from './totals/bucket-intervals.js';
export { type ColdEdges, ColdEdgesReader } from './totals/cold-edges.reader.js';
export { type Interval, INTERVALS } from './totals/count.js';
export { countedBuckets } from './totals/counted-buckets.reader.js';
export type { TimeWindow } from './totals/coverage.js';
export {
  conditionsOf,
  copiedConditionsOf,
  type Dimension,
  DIMENSIONS,
  type EventFilter,
  inWindow,
  isEmptyFilter,
} from './totals/event-filter.js';
export { LatenciesReader } from './totals/latencies.reader.js';
export { withoutGaps } from './totals/time-buckets.js';
export { EventTotalsReader, type FacetValue, type MatchingHour } from './totals/totals.reader.js';
export { bucketsOf, likeBucketsOf, type ZonedBuckets } from './totals/zoned-buckets.js';
