export { AskedWindow, windowHead, windowOf, WindowResponse } from './asked-window.js';
export { type Interval, INTERVALS } from './count.js';
export type { TimeWindow } from './coverage.js';
export { conditionsOf, type Dimension, DIMENSIONS, type EventFilter } from './event-filter.js';
export { LatenciesReader } from './latencies.reader.js';
export { EventTotalsReader, type FacetValue, type MatchingHour } from './totals.reader.js';
export { EventTotalsModule } from './totals.module.js';
export { withoutGaps } from './time-buckets.js';
