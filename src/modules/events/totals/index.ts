export { type Interval, INTERVALS } from './counted-rows.js';
export type { TimeWindow } from './coverage.js';
export {
  conditionsOf,
  type Dimension,
  DIMENSIONS,
  type EventFilter,
  isEmptyFilter,
  Parameters,
} from './event-filter.js';
export {
  type Bucket,
  EventTotalsRepository,
  type FacetValue,
  type Group,
  type MatchingHour,
  type Totals,
} from './totals.repository.js';
export { EventTotalsModule } from './totals.module.js';
export { withoutGaps } from './time-buckets.js';
