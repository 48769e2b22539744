export { EventFilters, EventsQuery, filterOf } from './asked-filters.js';
export { type AskedInterval, BUCKET_INTERVALS, type BucketInterval, IntervalField } from './asked-intervals.js';
export { AskedWindow, isAll, windowHead, WindowResponse } from './asked-window.js';
export { AskedWindows } from './asked-windows.js';
export { type BucketCoverage, bucketCoverageOf } from './bucket-coverage.js';
export { type Interval, INTERVALS } from './count.js';
export { type ColdEdges, ColdEdgesReader } from './cold-edges.reader.js';
export { countedBuckets } from './counted-buckets.reader.js';
export type { TimeWindow } from './coverage.js';
export {
  conditionsOf,
  copiedConditionsOf,
  type Dimension,
  DIMENSIONS,
  type EventFilter,
  inWindow,
  isEmptyFilter,
} from './event-filter.js';
export { LatenciesReader } from './latencies.reader.js';
export { changeOf, ratioOf } from './ratios.js';
export { EventTotalsReader, type FacetValue, type MatchingHour } from './totals.reader.js';
export { EventTotalsModule } from './totals.module.js';
export { withoutGaps } from './time-buckets.js';
export { bucketsOf, likeBucketsOf, type ZonedBuckets } from './zoned-buckets.js';
