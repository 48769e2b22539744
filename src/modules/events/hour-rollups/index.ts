export { HourRollupsModule } from './hour-rollups.module.js';
export { hourRollupsJob } from './hour-rollups.job.js';
export {
  type ProjectSeries,
  SERIES_BUCKET_MS,
  type SeriesPoints,
  SeriesReader,
  type WantedSeries,
} from './series.reader.js';
