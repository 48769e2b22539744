export { CopiedRequestsReader, type ReadTime } from './copied-requests.reader.js';
export {
  ENDPOINT_SORTS,
  type EndpointFigures,
  EndpointFiguresReader,
  type EndpointSort,
  MOST_STATUSES,
  MOST_STATUSES_OF_ENDPOINT,
} from './endpoint-figures.reader.js';
export { HourRollupsModule } from './hour-rollups.module.js';
export { hourRollupsJob } from './hour-rollups.job.js';
export { MOST_KEPT_STATUSES, MOST_NAME_CHARACTERS } from './rollup-limits.js';
export type { ReadingPlan } from './reading-plan.js';
export { ReadingPlanReader } from './reading-plan.reader.js';
export {
  type AskedFigures,
  type BucketFigures,
  type RequestFigures,
  RequestFiguresReader,
} from './request-figures.reader.js';
export type { RequestFilter } from './request-filter.js';
export { type ProjectSeries, SERIES_BUCKET_MS, type SeriesPoints, SeriesReader } from './series.reader.js';
export { type BoundedHour, slowestFirst, type SlowPlace, SlowEventsReader } from './slow-events.reader.js';
