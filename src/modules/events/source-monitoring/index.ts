export { observeSchema, SAMPLE_BYTES, SAMPLE_EVENTS, type SampledEvent } from './observed-schema.js';
export { SourceMonitoringModule } from './source-monitoring.module.js';
