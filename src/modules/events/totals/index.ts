export { type Interval, INTERVALS } from './counted-rows.js';
export type { TimeWindow } from './coverage.js';
export { conditionsOf, type Dimension, DIMENSIONS, type EventFilter, Parameters } from './event-filter.js';
export { EventTotalsRepository, type FacetValue, type MatchingHour } from './totals.repository.js';
export { EventTotalsModule } from './totals.module.js';
export { withoutGaps } from './time-buckets.js';
